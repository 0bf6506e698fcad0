import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests the rescaling of 8-bit weights with sums that overflow on x86 processors without VNNI.
@Suite struct TFLiteWeightsTests {
    private static let (convolution, depthwise, fullyConnected): (UInt32, UInt32, UInt32) = (3, 4, 9)

    /// Returns a model with one layer of two output channels and four input channels.
    ///
    /// - Parameters:
    ///   - input: the number of the input's type: 9 for 8-bit integers, 0 for floats.
    ///   - sharesBias: whether a second operation uses the bias, too.
    private func model(
        _ weights: [Int8], scales: [Float] = [0.5, 0.25], code: UInt32 = 3, zero: UInt32 = 0, input: UInt32 = 9,
        sharesBias: Bool = false
    ) -> [UInt8] {
        let shape: FlatBufferMaker.Value = .numbers(code == Self.fullyConnected ? [2, 4] : [2, 1, 1, 4])
        let tensors: [[Int: FlatBufferMaker.Value]] = [
            [1: .number(input), 2: .number(0)],
            [
                0: shape, 1: .number(9), 2: .number(1),
                4: .table([2: .floats(scales), 3: .zeros(scales.flatMap { _ in [zero, 0] })]),
            ],
            [0: .numbers([2]), 1: .number(2), 2: .number(2), 4: .table([2: .floats(scales.map { $0 * 2 })])],
            [2: .number(0)],
        ]
        var operations: [[Int: FlatBufferMaker.Value]] = [[0: .number(0), 1: .numbers([0, 1, 2]), 2: .numbers([3])]]
        if sharesBias { operations.append([0: .number(1), 1: .numbers([3, 2]), 2: .numbers([0])]) }
        let buffers: [[Int: FlatBufferMaker.Value]] = [
            [:], [0: .bytes(weights.map { UInt8(bitPattern: $0) })],
            [
                0: .bytes(
                    [1000, -30].flatMap { number in withUnsafeBytes(of: Int32(number).littleEndian) { Array($0) } })
            ],
        ]
        return FlatBufferMaker.make(
            [
                1: .tables([[0: .number(code)], [0: .number(0)]]),
                2: .tables([[0: .tables(tensors), 3: .tables(operations)]]), 4: .tables(buffers),
            ], identifier: "TFL3")
    }

    private struct Values: Equatable {
        var weights: [Int8]
        var scales: [Float]
        var bias: [Int32]
        var biasScales: [Float]
    }

    private func values(_ content: [UInt8]) throws -> Values {
        let root = try #require(FlatBuffer(content, identifier: "TFL3")?.root)
        let (tensors, buffers) = (try #require(root.tables(2).first).tables(0), root.tables(4))
        return Values(
            weights: buffers[1].integers(0, as: Int8.self), scales: tensors[1].table(4)?.floats(2) ?? [],
            bias: try #require(buffers[2].contents(0)?.integers(as: Int32.self)),
            biasScales: tensors[2].table(4)?.floats(2) ?? [])
    }

    private func rescaled(_ content: [UInt8]) -> [UInt8]? {
        FlatBuffer(content, identifier: "TFL3").flatMap { TFLiteWeights(model: $0) }?.rescaled(content)
    }

    /// Only the first channel has two adjacent weights with a sum above 127. The pairs are (100, 90) and (-20, 60).
    @Test(arguments: [convolution, fullyConnected])
    func channelWithLargeSumIsRescaled(code: UInt32) throws {
        let content = model([100, 90, -20, 60, 100, -90, 60, 66], code: code)
        let values = try values(#require(rescaled(content)))
        let factor: Float = 190 / 127
        #expect(values.weights == [67, 60, -13, 40, 100, -90, 60, 66])
        #expect(values.bias == [668, -30])
        #expect(abs(values.scales[0] - 0.5 * factor) < 1e-6 && values.scales[1] == 0.25)
        #expect(abs(values.biasScales[0] - factor) < 1e-6 && values.biasScales[1] == 0.5)
    }

    @Test func smallestWeightsDoNotOverflow() throws {
        let values = try values(#require(rescaled(model([-128, -128, -128, -128, 127, 127, 127, 127]))))
        #expect(values.weights == [-64, -64, -64, -64, 64, 64, 64, 64])
    }

    @Test func channelsWithCommonScaleGetSameFactor() throws {
        let values = try values(#require(rescaled(model([100, 90, -20, 60, 100, -90, 60, 66], scales: [0.5]))))
        #expect(values.weights == [67, 60, -13, 40, 67, -60, 40, 44] && values.bias == [668, -20])
        #expect(values.scales.count == 1 && values.biasScales.count == 1)
        #expect(abs(values.scales[0] - 0.5 * 190 / 127) < 1e-6)
    }

    /// The sums of these models do not overflow, or rescaling would change another operation's inputs.
    @Test func otherModelsAreUnchanged() {
        let large: [Int8] = [100, 90, -20, 60, 100, -90, 60, 66]
        for content in [
            model([60, 66, 1, 2, 100, -90, 60, 66]), model(large, code: Self.depthwise), model(large, zero: 3),
            model(large, scales: [1, 2, 3]), model(large + [1]), model(large, input: 0), model(large, sharesBias: true),
        ] {
            #expect(rescaled(content) == nil)
        }
    }

    @Test func damagedModelIsSurvived() {
        var generator = SeededGenerator(seed: 8)
        let sound = model([100, 90, -20, 60, 100, -90, 60, 66])
        for _ in 0..<5000 {
            let damaged = generator.damage(sound)
            if let changed = rescaled(damaged) { #expect(changed.count == damaged.count) }
        }
    }
}
