import TestSupport
import Testing

@testable import SwiftODT

/// Protects the shortcut at a network's end: taken where it is known, the answer stays what it was.
struct RowsEndTests {
    @Test(
        .enabled(if: TestNetwork.hasRuntime, "no OpenVINO on this machine"),
        arguments: [
            (RowsEndNetwork(), true), (RowsEndNetwork(shape: [1, 0, -1]), true), (RowsEndNetwork(axis: -1), true),
            (RowsEndNetwork(tellsShapes: true), true), (RowsEndNetwork(handsOutLevel: true), false),
            (RowsEndNetwork(hidesPlanes: true), false),
        ])
    func theAnswerStaysTheSame(_ network: RowsEndNetwork, _ isStraightened: Bool) throws {
        #expect((RowsEnd.straightened(network.bytes) != nil) == isStraightened)
        let (width, height) = RowsEndNetwork.size
        let request = try Network.load(
            file: TestNetwork.write(onnx: network.bytes), input: NetworkInput(width: width, height: height),
            hint: .latency
        ).makeRequest()
        let picture = PlainPicture(.rgb, width: width, height: height) { c, x, y in UInt8(1 + 60 * c + 8 * y + x) }
        _ = try withExtendedLifetime(picture) { try request.fill(from: picture.frame()) }
        try request.infer()
        let answer = try #require(try request.outputs().first)
        let expected = RowsEndNetwork.rows { c, x, y in Float(1 + 60 * c + 8 * y + x) }
        #expect(answer.shape == [1, expected.count, 3])
        #expect(Array(answer.bytes.bindMemory(to: Float.self)) == expected.flatMap { $0 })
    }

    /// Six numbers a cell of half the cells are no planes: turned around by level they would be others.
    @Test func otherEndsAreLeftAlone() {
        #expect(RowsEnd.straightened(RowsEndNetwork().bytes) != nil)
        #expect(RowsEnd.straightened(RowsEndNetwork(shape: [1, 6, -1]).bytes) == nil)
        #expect(RowsEnd.straightened(RowsEndNetwork(shape: [1, -1, 12]).bytes) == nil)
        #expect(RowsEnd.straightened(RowsEndNetwork(shape: [1, 3, 0]).bytes) == nil)
        #expect(RowsEnd.straightened(RowsEndNetwork(axis: 1).bytes) == nil)
        #expect(RowsEnd.straightened(RowsEndNetwork(order: [0, 1, 2]).bytes) == nil)
    }

    /// Joints of joints of joints of one tensor, each two thousand times: counting their planes took thousands of millions of steps
    /// for a file of sixty kilobytes.
    @Test(.timeLimit(.minutes(1))) func tensorsJoinedOverAndOverAreLeftAlone() {
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
        #expect(RowsEnd.straightened(graph.file) == nil)
    }

    @Test func damagedFilesAreLeftToTheRuntime() {
        var generator = SeededGenerator(seed: 7)
        let sound = RowsEndNetwork().bytes
        for _ in 0..<3000 { _ = RowsEnd.straightened(generator.damage(sound)) }
        #expect(RowsEnd.straightened([]) == nil)
    }
}
