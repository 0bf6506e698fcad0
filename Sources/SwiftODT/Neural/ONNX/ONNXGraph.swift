/// The nodes, inputs and constants of an .onnx file. Nodes can be found and replaced.
struct ONNXGraph {
    /// The protobuf fields of the file (`file`) and of its graph (`fields`).
    private let file: [ProtobufField]
    private let fields: [ProtobufField]
    private(set) var nodes: [Node] = []
    private(set) var inputs: [Input] = []
    /// Indices in ``nodes``, by the names of the tensors that the nodes compute.
    private var producers: [String: Int] = [:]
    /// How often a tensor is an input of a node or an output of the graph, by tensor name.
    private var consumers: [String: Int] = [:]
    /// The protobuf fields of each `TensorProto`, by name.
    private var constants: [String: [ProtobufField]] = [:]

    struct Node {
        /// The index of the node among the protobuf fields of the graph.
        let field: Int
        let operation: String
        let inputs: [String]
        let outputs: [String]
        fileprivate let attributes: [String: [ProtobufField]]
    }

    struct Input {
        let field: Int
        let name: String
        let type: Int
        /// `nil` for dimensions that are symbolic or missing.
        let dimensions: [Int?]
    }

    /// Returns `nil` if the file is malformed, or if it stores weights in other files. The runtime then reads the
    /// original file. It reports a malformed file with a better message than this parser could.
    init?(_ content: [UInt8]) {
        guard let file = ProtobufFields.all(of: content[...]), let graph = file.bytes(Number.graph),
            let fields = ProtobufFields.all(of: graph)
        else { return nil }
        self.file = file
        self.fields = fields
        for (place, field) in fields.enumerated() {
            guard case .bytes(let bytes) = field.value else { continue }
            guard
                let parts = [Number.node, Number.constant, Number.input, Number.output].contains(field.number)
                    ? ProtobufFields.all(of: bytes) : []
            else { return nil }
            switch field.number {
            case Number.node:
                guard let node = Node(parts, field: place) else { return nil }
                for output in node.outputs { producers[output] = nodes.count }
                for input in node.inputs { consumers[input, default: 0] += 1 }
                if node.operation == "Constant", let name = node.outputs.first {
                    constants[name] = node.attributes["value"]?.bytes(5).flatMap(ProtobufFields.all)
                }
                nodes.append(node)
            case Number.constant:
                guard parts.number(14) ?? 0 == 0, let name = parts.text(8) else { return nil }
                constants[name] = parts
            case Number.input:
                if let input = Input(parts, field: place) { inputs.append(input) }
            case Number.output:
                guard let name = parts.text(1) else { return nil }
                consumers[name, default: 0] += 1
            default: break
            }
        }
    }

    /// Returns the files in which a model stores constants, relative to the folder of the model.
    static func externalFiles(_ content: [UInt8]) -> Set<String> {
        guard let graph = ProtobufFields.all(of: content[...])?.bytes(Number.graph),
            let constants = ProtobufFields.all(of: graph)?.all(Number.constant)
        else { return [] }
        // The field 13 of a `TensorProto` has the entries `location`, `offset` and `length`.
        let entries = constants.compactMap(ProtobufFields.all).flatMap { $0.all(13) }.compactMap(ProtobufFields.all)
        return Set(entries.filter { $0.text(1) == "location" }.compactMap { $0.text(2) })
    }

    /// Returns `nil` if the constant does not exist or if its elements are not 64-bit integers.
    func integers(_ name: String) -> [Int]? { constants[name]?.tensor }

    func shape(_ name: String) -> [Int]? { constants[name]?.integers(1) }

    func consumers(of name: String) -> Int { consumers[name] ?? 0 }

    /// Returns the node that computes a tensor. With `ifSoleConsumer`, the tensor must have exactly one consumer.
    func node(producing name: String, ifSoleConsumer: Bool = false) -> Node? {
        if ifSoleConsumer && consumers(of: name) != 1 { return nil }
        return producers[name].map { nodes[$0] }
    }

    /// Returns the content of the file with some fields of the graph replaced.
    ///
    /// - Parameter changes: the new fields, by the index of the field that they replace. An empty list removes the
    ///   field.
    func written(_ changes: [Int: [Part]]) -> [UInt8] {
        var graph = ProtobufMessage()
        for (place, field) in fields.enumerated() {
            guard let parts = changes[place] else {
                graph.append(field)
                continue
            }
            for part in parts { graph.append(part.number, part.bytes) }
        }
        var whole = ProtobufMessage()
        for field in file {
            if field.number == Number.graph { whole.append(Number.graph, graph.bytes) } else { whole.append(field) }
        }
        return whole.bytes
    }

    /// Field numbers in onnx.proto. `graph` is a field of `ModelProto`, the others are fields of `GraphProto`.
    enum Number {
        static let graph = 7
        static let node = 1
        static let constant = 5
        static let input = 11
        static let output = 12
    }
}

extension ONNXGraph.Node {
    fileprivate init?(_ fields: [ProtobufField], field: Int) {
        guard let operation = fields.text(4) else { return nil }
        self.field = field
        self.operation = operation
        inputs = fields.all(1).map { String(decoding: $0, as: UTF8.self) }
        outputs = fields.all(2).map { String(decoding: $0, as: UTF8.self) }
        var attributes: [String: [ProtobufField]] = [:]
        for bytes in fields.all(5) {
            guard let attribute = ProtobufFields.all(of: bytes), let name = attribute.text(1) else { return nil }
            attributes[name] = attribute
        }
        self.attributes = attributes
    }

    func integer(_ attribute: String) -> Int? { attributes[attribute]?.number(3).map { Int(truncatingIfNeeded: $0) } }

    func integers(_ attribute: String) -> [Int]? { attributes[attribute]?.integers(8) }
}

extension ONNXGraph.Input {
    fileprivate init?(_ fields: [ProtobufField], field: Int) {
        guard let name = fields.text(1),
            let tensor = fields.bytes(2).flatMap(ProtobufFields.all)?.bytes(1).flatMap(ProtobufFields.all),
            let type = tensor.number(1), let shape = tensor.bytes(2).flatMap(ProtobufFields.all)
        else { return nil }
        self.field = field
        self.name = name
        self.type = Int(truncatingIfNeeded: type)
        dimensions = shape.all(1).map { ProtobufFields.all(of: $0)?.number(1).map { Int(truncatingIfNeeded: $0) } }
    }
}

extension [ProtobufField] {
    /// The elements of a `TensorProto`. `nil` if they are not 64-bit integers.
    fileprivate var tensor: [Int]? {
        guard number(2) == 7 else { return nil }
        guard let raw = bytes(9) else { return integers(7) }
        return raw.integers(as: Int64.self)?.map { Int($0) }
    }
}

extension ONNXGraph {
    /// An encoded protobuf field of the graph.
    struct Part {
        let number: Int
        let bytes: [UInt8]
    }

    enum Attribute {
        case number(Int)
        case numbers([Int])
    }
}

extension ONNXGraph.Part {
    static func node(
        _ operation: String, _ inputs: [String], _ output: String, _ attributes: [String: ONNXGraph.Attribute] = [:]
    ) -> Self {
        var node = ProtobufMessage()
        for input in inputs { node.append(1, input) }
        node.append(2, output)
        node.append(4, operation)
        for (name, value) in attributes { node.append(5, value.encoded(name)) }
        return Self(number: ONNXGraph.Number.node, bytes: node.bytes)
    }

    /// Returns a list of 64-bit integers.
    static func constant(_ name: String, _ list: [Int]) -> Self {
        var tensor = ProtobufMessage()
        tensor.append(1, list.count)
        tensor.append(2, 7)
        tensor.append(8, name)
        tensor.append(9, list.flatMap { withUnsafeBytes(of: Int64($0).littleEndian, Array.init) })
        return Self(number: ONNXGraph.Number.constant, bytes: tensor.bytes)
    }

    static func input(_ name: String, type: Int, dimensions: [Int?]) -> Self {
        var shape = ProtobufMessage()
        for size in dimensions {
            var dimension = ProtobufMessage()
            if let size { dimension.append(1, size) }
            shape.append(1, dimension.bytes)
        }
        var tensor = ProtobufMessage()
        tensor.append(1, type)
        tensor.append(2, shape.bytes)
        var kind = ProtobufMessage()
        kind.append(1, tensor.bytes)
        var whole = ProtobufMessage()
        whole.append(1, name)
        whole.append(2, kind.bytes)
        return Self(number: ONNXGraph.Number.input, bytes: whole.bytes)
    }
}

extension ONNXGraph.Attribute {
    fileprivate func encoded(_ name: String) -> [UInt8] {
        var attribute = ProtobufMessage()
        attribute.append(1, name)
        switch self {
        case .number(let value):
            attribute.append(3, value)
            attribute.append(20, 2)
        case .numbers(let values):
            for value in values { attribute.append(8, value) }
            attribute.append(20, 7)
        }
        return attribute.bytes
    }
}
