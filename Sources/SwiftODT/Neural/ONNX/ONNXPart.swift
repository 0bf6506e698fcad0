/// Encodes nodes, constants and inputs of an .onnx graph.
extension ONNXGraph {
    /// An encoded field of the graph.
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

    /// Returns a constant with a list of 64-bit integers.
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
