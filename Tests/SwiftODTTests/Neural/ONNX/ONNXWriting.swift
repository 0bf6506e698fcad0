import Foundation

@testable import SwiftODT

/// Test helpers that encode an ONNX graph and the .onnx file around it.
extension ProtobufMessage {
    mutating func append(_ part: ONNXGraph.Part) { append(part.number, part.bytes) }

    mutating func append(output name: String, _ dimensions: [Int?]) {
        append(ONNXGraph.Number.output, ONNXGraph.Part.input(name, type: 1, dimensions: dimensions).bytes)
    }

    /// Appends a constant with floats.
    mutating func append(constant name: String, _ dimensions: [Int], _ values: [Float]) {
        var tensor = ProtobufMessage()
        for size in dimensions { tensor.append(1, size) }
        tensor.append(2, 1)
        tensor.append(8, name)
        tensor.append(9, values.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) })
        append(ONNXGraph.Number.constant, tensor.bytes)
    }

    /// An .onnx file with the message as its graph.
    var file: [UInt8] {
        var graph = self
        graph.append(2, "graph")
        var set = ProtobufMessage()
        set.append(2, 13)
        var model = ProtobufMessage()
        model.append(1, 7)
        model.append(7, graph.bytes)
        model.append(8, set.bytes)
        return model.bytes
    }
}

extension TestNetwork {
    /// Writes the content to a new file and returns its path.
    static func write(onnx content: [UInt8]) throws -> String {
        let file = folder + "/\(UUID().uuidString).onnx"
        try Data(content).write(to: URL(fileURLWithPath: file))
        return file
    }
}
