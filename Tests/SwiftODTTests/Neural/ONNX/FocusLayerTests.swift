import Foundation
import ODTTestSupport
import Testing

@testable import SwiftODT

/// Verifies that focus layers are removed where they are recognised, and that the network's outputs do not change.
struct FocusLayerTests {
    @Test(
        .enabled(if: TestNetwork.hasRuntime, "no OpenVINO on this machine"),
        arguments: [
            (FocusLayerNetwork(), true), (FocusLayerNetwork(slicesBothAxes: true), true),
            (FocusLayerNetwork(size: (nil, nil)), true),
            (FocusLayerNetwork(order: [(0, 0), (0, 1), (1, 0), (1, 1)]), false),
            (FocusLayerNetwork(order: [(0, 0), (1, 0), (1, 0), (1, 1)]), false),
            (FocusLayerNetwork(hasOtherConsumer: true), false),
        ])
    func foldedNetworkReceivesSameInput(_ network: FocusLayerNetwork, _ isCut: Bool) throws {
        let (width, height) = (8, 12)
        let input = NetworkInput(width: width, height: height)
        let request = try Network.load(file: TestNetwork.write(onnx: network.bytes), input: input, hint: .latency)
            .makeRequest()
        #expect(request.network.input.layout == (isCut ? .spaceToDepth : .nchw))
        let picture = PackedPicture(.rgb, width: width, height: height) { c, x, y in UInt8(1 + 80 * c + 6 * y + x) }
        _ = try withExtendedLifetime(picture) { try request.fill(from: picture.frame()) }
        try request.infer()
        let seen = try #require(try request.outputs().first).bytes.bindMemory(to: Float.self)
        for (quarter, begin) in network.order.enumerated() {
            for place in 0..<3 * width * height / 4 {
                let (c, y, x) = (place / 24, place / 4 % 6 * 2 + begin.0, place % 4 * 2 + begin.1)
                #expect(seen[quarter * 72 + place] == Float(1 + 80 * c + 6 * y + x))
            }
        }
    }

    @Test func otherSlicesAreUnchanged() {
        #expect(FocusLayer.folded(FocusLayerNetwork().bytes) != nil)
        #expect(FocusLayer.folded(FocusLayerNetwork(step: 3).bytes) == nil)
        #expect(FocusLayer.folded(FocusLayerNetwork(order: [(0, 0), (2, 0), (0, 1), (2, 1)]).bytes) == nil)
    }

    /// `Slice` nodes without slices that form a cycle. The search for the source must end.
    @Test func cyclicGraphsAreUnchanged() {
        var graph = ProtobufMessage()
        graph.append(.constant("none", []))
        graph.append(.node("Slice", ["loop", "none", "none", "none", "none"], "loop"))
        graph.append(.node("Concat", ["loop"], "joined", ["axis": .number(1)]))
        var two = ProtobufMessage()
        two.append(.constant("none", []))
        two.append(.node("Slice", ["b", "none", "none", "none", "none"], "a"))
        two.append(.node("Slice", ["a", "none", "none", "none", "none"], "b"))
        two.append(.node("Concat", ["c"], "joined", ["axis": .number(1)]))
        two.append(.node("Slice", ["a", "none", "none", "none", "none"], "c"))
        #expect(FocusLayer.folded(Self.selfFed) == nil)
        #expect(FocusLayer.folded(graph.file) == nil)
        #expect(FocusLayer.folded(two.file) == nil)
    }

    /// A slice with two outputs: one is its own input, the other is an input of a `Concat` node.
    private static var selfFed: [UInt8] {
        var node = ProtobufMessage()
        for input in ["loop", "none", "none", "none", "none"] { node.append(1, input) }
        for output in ["loop", "quarter"] { node.append(2, output) }
        node.append(4, "Slice")
        var graph = ProtobufMessage()
        graph.append(.constant("none", []))
        graph.append(ONNXGraph.Number.node, node.bytes)
        graph.append(.node("Concat", ["quarter"], "joined", ["axis": .number(1)]))
        return graph.file
    }

    @Test func damagedFilesAreUnchanged() {
        var generator = SeededGenerator(seed: 6)
        let sound = FocusLayerNetwork().bytes
        for _ in 0..<3000 { _ = FocusLayer.folded(generator.damage(sound)) }
        #expect(FocusLayer.folded([]) == nil)
    }
}
