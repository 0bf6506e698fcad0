import Foundation

@testable import SwiftODT

/// An .onnx file that takes a picture into quarters and hands them out, as networks with a focus stem begin.
struct FocusNetwork {
    /// Rows and columns that the quarters begin with, in their order.
    var order = [(0, 0), (1, 0), (0, 1), (1, 1)]
    var size: (height: Int?, width: Int?) = (12, 8)
    /// Pixels from one of a quarter to the next.
    var step = 2
    /// Whether the rows and the columns are taken in one node, as some exporters write it.
    var takesBothAtOnce = false
    /// Whether the picture is wanted by another node as well.
    var looksAtAllToo = false

    /// The same file with its quarters handed out as they are.
    func write() throws -> String {
        let file = TestNetwork.folder + "/focus-\(UUID().uuidString).onnx"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }

    var bytes: [UInt8] {
        var graph = ProtobufMessage()
        for (number, begin) in order.enumerated() {
            if takesBothAtOnce {
                slice("picture", [(begin.0, 2), (begin.1, 3)], to: "quarter\(number)", in: &graph)
            } else {
                slice("picture", [(begin.0, 2)], to: "rows\(number)", in: &graph)
                slice("rows\(number)", [(begin.1, 3)], to: "quarter\(number)", in: &graph)
            }
        }
        graph.append(1, node("Concat", order.indices.map { "quarter\($0)" }, "joined", axis: 1))
        graph.append(1, node("Relu", ["joined"], "out"))
        if looksAtAllToo { graph.append(1, node("Relu", ["picture"], "all")) }
        graph.append(2, "focus")
        graph.append(11, value("picture", [1, 3, size.height, size.width]))
        graph.append(12, value("out", [1, 12, size.height.map { $0 / 2 }, size.width.map { $0 / 2 }]))
        if looksAtAllToo { graph.append(12, value("all", [1, 3, size.height, size.width])) }
        var set = ProtobufMessage()
        set.append(2, 11)
        var model = ProtobufMessage()
        model.append(1, 6)
        model.append(7, graph.bytes)
        model.append(8, set.bytes)
        return model.bytes
    }

    private func slice(
        _ source: String, _ cuts: [(begin: Int, axis: Int)], to target: String, in graph: inout ProtobufMessage
    ) {
        let lists = [cuts.map(\.begin), cuts.map { _ in .max }, cuts.map(\.axis), cuts.map { _ in step }]
        for (number, list) in lists.enumerated() {
            graph.append(5, constant("\(target).\(number)", list))
        }
        graph.append(1, node("Slice", [source] + lists.indices.map { "\(target).\($0)" }, target))
    }

    private func node(_ operation: String, _ inputs: [String], _ output: String, axis: Int? = nil) -> [UInt8] {
        var node = ProtobufMessage()
        for input in inputs { node.append(1, input) }
        node.append(2, output)
        node.append(4, operation)
        if let axis {
            var attribute = ProtobufMessage()
            attribute.append(1, "axis")
            attribute.append(3, axis)
            attribute.append(20, 2)
            node.append(5, attribute.bytes)
        }
        return node.bytes
    }

    private func constant(_ name: String, _ list: [Int]) -> [UInt8] {
        var tensor = ProtobufMessage()
        tensor.append(1, list.count)
        tensor.append(2, 7)
        tensor.append(8, name)
        tensor.append(9, list.flatMap { withUnsafeBytes(of: Int64($0).littleEndian, Array.init) })
        return tensor.bytes
    }

    private func value(_ name: String, _ shape: [Int?]) -> [UInt8] {
        var dimensions = ProtobufMessage()
        for size in shape {
            var dimension = ProtobufMessage()
            if let size { dimension.append(1, size) } else { dimension.append(2, "open") }
            dimensions.append(1, dimension.bytes)
        }
        var tensor = ProtobufMessage()
        tensor.append(1, 1)
        tensor.append(2, dimensions.bytes)
        var type = ProtobufMessage()
        type.append(1, tensor.bytes)
        var value = ProtobufMessage()
        value.append(1, name)
        value.append(2, type.bytes)
        return value.bytes
    }
}
