@testable import SwiftODT

/// Generates an .onnx file with two output levels that are concatenated and transposed, as in YOLOX and NanoDet.
///
/// The channels of a level are three times the picture's first channel, its second channel, and the sum of its first
/// and third channels. The second level has every second pixel of every second row.
struct TrailingTransposeNetwork {
    /// The shape of a reshaped level, with the channels second.
    var shape = [1, 3, -1]
    var axis = 2
    var order = [0, 2, 1]
    /// Whether one of the levels is also an output of the network.
    var outputsLevel = false
    /// Whether the file declares the shapes of its levels, as simplified files do.
    var declaresShapes = false
    /// Whether a node before the reshape hides the number of channels.
    var hidesPlanes = false

    static let size = (width: 8, height: 6)

    /// Returns the expected rows, one per cell, for the given picture.
    static func rows(_ picture: (_ channel: Int, _ x: Int, _ y: Int) -> Float) -> [[Float]] {
        [1, 2].flatMap { step in
            stride(from: 0, to: size.height, by: step).flatMap { y in
                stride(from: 0, to: size.width, by: step).map { x in
                    [3 * picture(0, x, y), picture(1, x, y), picture(0, x, y) + picture(2, x, y)]
                }
            }
        }
    }

    var bytes: [UInt8] {
        var graph = ProtobufMessage()
        graph.append(constant: "weights", [3, 3, 1, 1], [3, 0, 0, 0, 1, 0, 1, 0, 1])
        graph.append(.constant("shape", shape))
        for step in 1...2 {
            let strides = ["strides": ONNXGraph.Attribute.numbers([step, step])]
            graph.append(.node("Conv", ["picture", "weights"], "conv\(step)", strides))
            graph.append(.node("Relu", ["conv\(step)"], "relu\(step)"))
            graph.append(.node("Concat", ["conv\(step)"], "planes\(step)", ["axis": .number(1)]))
            graph.append(
                .node("Reshape", [(hidesPlanes ? "relu" : "planes") + "\(step)", "shape"], "level\(step)"))
        }
        graph.append(.node("Concat", ["level1", "level2"], "joined", ["axis": .number(axis)]))
        graph.append(.node("Transpose", ["joined"], "out", ["perm": .numbers(order)]))
        graph.append(.input("picture", type: 1, dimensions: [1, 3, Self.size.height, Self.size.width]))
        graph.append(output: "out", [nil, nil, nil])
        if declaresShapes {
            for (level, cells) in [("level1", 48), ("level2", 12)] {
                graph.append(13, ONNXGraph.Part.input(level, type: 1, dimensions: [1, 3, cells]).bytes)
            }
        }
        if outputsLevel { graph.append(output: "level1", [nil, nil, nil]) }
        return graph.file
    }
}
