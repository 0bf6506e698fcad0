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

    @Test func damagedFilesAreLeftToTheRuntime() {
        var generator = SeededGenerator(seed: 7)
        let sound = RowsEndNetwork().bytes
        for _ in 0..<3000 { _ = RowsEnd.straightened(generator.damage(sound)) }
        #expect(RowsEnd.straightened([]) == nil)
    }
}
