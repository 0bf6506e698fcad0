import ODTTestSupport
import Testing

@testable import SwiftODT

/// Verifies that trailing transposes are replaced where they are recognised, and that the outputs do not change.
struct TrailingTransposeTests {
    @Test(
        .enabled(if: TestNetwork.hasRuntime, "no OpenVINO on this machine"),
        arguments: [
            (TrailingTransposeNetwork(), true), (TrailingTransposeNetwork(shape: [1, 0, -1]), true),
            (TrailingTransposeNetwork(axis: -1), true),
            (TrailingTransposeNetwork(declaresShapes: true), true),
            (TrailingTransposeNetwork(outputsLevel: true), false),
            (TrailingTransposeNetwork(hidesPlanes: true), false),
        ])
    func outputIsUnchanged(_ network: TrailingTransposeNetwork, _ isStraightened: Bool) throws {
        #expect((TrailingTranspose.transposeRemoved(network.bytes) != nil) == isStraightened)
        let (width, height) = TrailingTransposeNetwork.size
        let request = try Network.load(
            file: TestNetwork.write(onnx: network.bytes), input: NetworkInput(width: width, height: height),
            hint: .latency
        ).makeRequest()
        let picture = PackedPicture(.rgb, width: width, height: height) { c, x, y in UInt8(1 + 60 * c + 8 * y + x) }
        _ = try withExtendedLifetime(picture) { try request.fill(from: picture.frame()) }
        try request.infer()
        let answer = try #require(try request.outputs().first)
        let expected = TrailingTransposeNetwork.rows { c, x, y in Float(1 + 60 * c + 8 * y + x) }
        #expect(answer.shape == [1, expected.count, 3])
        #expect(Array(answer.bytes.bindMemory(to: Float.self)) == expected.flatMap { $0 })
    }

    /// The reshaped dimension must equal the number of channels, else a transpose per level would change the outputs.
    @Test func otherOutputsAreUnchanged() {
        #expect(TrailingTranspose.transposeRemoved(TrailingTransposeNetwork().bytes) != nil)
        #expect(TrailingTranspose.transposeRemoved(TrailingTransposeNetwork(shape: [1, 6, -1]).bytes) == nil)
        #expect(TrailingTranspose.transposeRemoved(TrailingTransposeNetwork(shape: [1, -1, 12]).bytes) == nil)
        #expect(TrailingTranspose.transposeRemoved(TrailingTransposeNetwork(shape: [1, 3, 0]).bytes) == nil)
        #expect(TrailingTranspose.transposeRemoved(TrailingTransposeNetwork(axis: 1).bytes) == nil)
        #expect(TrailingTranspose.transposeRemoved(TrailingTransposeNetwork(order: [0, 1, 2]).bytes) == nil)
    }

    /// Three nested levels of `Concat` nodes with 2,000 inputs each. Counting channels without a limit would need
    /// billions of steps.
    @Test(.timeLimit(.minutes(15))) func deepConcatenationsAreUnchanged() {
        var graph = ProtobufMessage()
        graph.append(constant: "weights", [3, 3, 1, 1], [3, 0, 0, 0, 1, 0, 1, 0, 1])
        graph.append(.constant("shape", [1, 3, -1]))
        graph.append(.node("Conv", ["picture", "weights"], "planes0"))
        for depth in 1...3 {
            let inputs = Array(repeating: "planes\(depth - 1)", count: 2000)
            graph.append(.node("Concat", inputs, "planes\(depth)", ["axis": .number(1)]))
        }
        graph.append(.node("Reshape", ["planes3", "shape"], "level"))
        graph.append(.node("Concat", ["level"], "joined", ["axis": .number(2)]))
        graph.append(.node("Transpose", ["joined"], "out", ["perm": .numbers([0, 2, 1])]))
        #expect(TrailingTranspose.transposeRemoved(graph.file) == nil)
    }

    @Test func damagedFilesAreUnchanged() {
        var generator = SeededGenerator(seed: 7)
        let sound = TrailingTransposeNetwork().bytes
        for _ in 0..<3000 { _ = TrailingTranspose.transposeRemoved(generator.damage(sound)) }
        #expect(TrailingTranspose.transposeRemoved([]) == nil)
    }
}
