/// The nodes of an .onnx file, as far as they are looked at for making a network cheaper.
struct ONNXGraph {
    /// The fields of the file, and of the graph within it.
    private let file: [ProtobufField]
    private let fields: [ProtobufField]
    private(set) var nodes: [Node] = []
    private(set) var inputs: [Input] = []
    private var constants: [String: [Int]] = [:]
    private var readers: [String: Int] = [:]

    struct Node {
        /// Its place among the graph's fields.
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
        /// Open where they are given by name or not at all.
        let dimensions: [Int?]
    }

    /// - Returns: `nil` where the file is not as it should be, which the runtime judges better, or keeps weights in other files.
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
                nodes.append(node)
                for input in node.inputs { readers[input, default: 0] += 1 }
                if node.operation == "Constant", let name = node.outputs.first {
                    constants[name] = node.attributes["value"]?.bytes(5).flatMap { ProtobufFields.all(of: $0)?.tensor }
                }
            case Number.constant:
                guard parts.number(14) ?? 0 == 0, let name = parts.text(8) else { return nil }
                constants[name] = parts.tensor
            case Number.input:
                if let input = Input(parts, field: place) { inputs.append(input) }
            case Number.output:
                guard let name = parts.text(1) else { return nil }
                readers[name, default: 0] += 1
            default: break
            }
        }
    }

    /// The numbers of a constant that holds whole ones of 64 bits.
    func integers(_ name: String) -> [Int]? { constants[name] }

    /// How many nodes and outputs take up a tensor.
    func readers(of name: String) -> Int { readers[name] ?? 0 }

    /// The file without some of its nodes, and with another input in the place of one.
    func written(without nodes: Set<Int>, feeding input: Input) -> [UInt8] {
        var graph = ProtobufMessage()
        for (place, field) in fields.enumerated() where !nodes.contains(place) {
            if place == input.field { graph.append(Number.input, input.encoded) } else { graph.append(field) }
        }
        var whole = ProtobufMessage()
        for field in file {
            if field.number == Number.graph { whole.append(Number.graph, graph.bytes) } else { whole.append(field) }
        }
        return whole.bytes
    }

    /// Field numbers of the format.
    private enum Number {
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

    fileprivate var encoded: [UInt8] {
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
        return whole.bytes
    }
}

extension [ProtobufField] {
    /// The numbers of a tensor of 64-bit integers.
    fileprivate var tensor: [Int]? {
        guard number(2) == 7 else { return nil }
        guard let raw = bytes(9) else { return integers(7) }
        guard raw.count % 8 == 0 else { return nil }
        return raw.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 8).map {
                Int(Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self)))
            }
        }
    }
}
