@testable import SwiftODT

/// Generates an .onnx file with a focus layer. The output of the layer is the network's output.
struct FocusLayerNetwork {
    /// The first row and column of each quarter, in the order of the concatenation.
    var order = [(0, 0), (1, 0), (0, 1), (1, 1)]
    var size: (height: Int?, width: Int?) = (12, 8)
    /// The step of the slices in pixels.
    var step = 2
    /// Whether one node slices both rows and columns, as some exporters generate.
    var slicesBothAxes = false
    /// Whether another node uses the input as well.
    var hasOtherConsumer = false

    var bytes: [UInt8] {
        var graph = ProtobufMessage()
        for (number, begin) in order.enumerated() {
            if slicesBothAxes {
                slice("picture", [(begin.0, 2), (begin.1, 3)], to: "quarter\(number)", in: &graph)
            } else {
                slice("picture", [(begin.0, 2)], to: "rows\(number)", in: &graph)
                slice("rows\(number)", [(begin.1, 3)], to: "quarter\(number)", in: &graph)
            }
        }
        graph.append(.node("Concat", order.indices.map { "quarter\($0)" }, "joined", ["axis": .number(1)]))
        graph.append(.node("Relu", ["joined"], "out"))
        if hasOtherConsumer { graph.append(.node("Relu", ["picture"], "all")) }
        graph.append(.input("picture", type: 1, dimensions: [1, 3, size.height, size.width]))
        graph.append(output: "out", [1, 12, size.height.map { $0 / 2 }, size.width.map { $0 / 2 }])
        if hasOtherConsumer { graph.append(output: "all", [1, 3, size.height, size.width]) }
        return graph.file
    }

    private func slice(
        _ source: String, _ cuts: [(begin: Int, axis: Int)], to target: String, in graph: inout ProtobufMessage
    ) {
        let lists = [cuts.map(\.begin), cuts.map { _ in .max }, cuts.map(\.axis), cuts.map { _ in step }]
        for (number, list) in lists.enumerated() { graph.append(.constant("\(target).\(number)", list)) }
        graph.append(.node("Slice", [source] + lists.indices.map { "\(target).\($0)" }, target))
    }
}
