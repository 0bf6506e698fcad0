import Foundation
import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests the replacement of the TFLite post-processing operation, which the runtime does not support: its parameters
/// are found, the model is cut before it, and the decoder gives the same boxes as the operation.
@Suite struct TFLitePostProcessTests {
    /// Includes num_classes 2, y_scale 10, x_scale 9, h_scale 5 and w_scale 4, encoded by Google's library.
    private static let options = Array(
        Data(
            base64Encoded:
                "bWF4X2RldGVjdGlvbnMAbm1zX2lvdV90aHJlc2hvbGQAbnVtX2NsYXNzZXMAeV9zY2FsZQB4X3NjYWxlAGhfc2NhbGUAd19zY2FsZQB1c2VfcmVndWxhcl9ubXMACCFfUUAVHi84AAAKAAAAAQAAAAgAAAAAAKBAGQAAAAAAAD8CAAAAAAAAAAAAgEAAABBBAAAgQQ4GDgZqDg4OKCYB"
        ) ?? Data())

    /// Returns a model with two anchors and three score columns, the first of them for the background.
    private func model(quantised: Bool = false, name: String = "TFLite_Detection_PostProcess") -> [UInt8] {
        let anchors: [Float] = [0.5, 0.5, 0.5, 0.25, 0.25, 0.5, 0.5, 0.5]
        let contents =
            quantised
            ? anchors.map { UInt8($0 * 100 + 10) }
            : anchors.flatMap { withUnsafeBytes(of: $0.bitPattern) { Array($0) } }
        let quantisation: FlatBufferMaker.Value = .table([2: .floats([0.01]), 3: .zeros([10, 0])])
        let constant: [Int: FlatBufferMaker.Value] =
            quantised ? [1: .number(3), 2: .number(1), 4: quantisation] : [2: .number(1)]
        let tensors: [[Int: FlatBufferMaker.Value]] = [[:], [:], [:], constant, [:], [:], [:], [:]]
        let operations: [[Int: FlatBufferMaker.Value]] = [
            [0: .number(0), 1: .numbers([0]), 2: .numbers([1, 2])],
            [0: .number(1), 1: .numbers([1, 2, 3]), 2: .numbers([4, 5, 6, 7]), 5: .bytes(Self.options)],
        ]
        let graph: [Int: FlatBufferMaker.Value] = [
            0: .tables(tensors), 1: .numbers([0]), 2: .numbers([4, 5, 6, 7]), 3: .tables(operations),
        ]
        return FlatBufferMaker.make(
            [
                1: .tables([[0: .number(3)], [1: .text(name)]]), 2: .tables([graph]),
                4: .tables([[:], [0: .bytes(contents)]]),
            ], identifier: "TFL3")
    }

    private func end(_ model: [UInt8]) -> TFLitePostProcess? {
        FlatBuffer(model, identifier: "TFL3").flatMap { TFLitePostProcess(model: $0) }
    }

    @Test(arguments: [false, true])
    func operationParametersAreFound(quantised: Bool) throws {
        let end = try #require(self.end(model(quantised: quantised)))
        #expect(end.scales == [10, 9, 5, 4] && end.classCount == 2 && end.anchors.count == 8)
        for (seen, meant) in zip(end.anchors, [0.5, 0.5, 0.5, 0.25, 0.25, 0.5, 0.5, 0.5]) {
            #expect(abs(seen - Float(meant)) < 1e-5)
        }
        #expect(self.end(model(name: "TFLite_Other")) == nil)
    }

    @Test func modelIsCutBeforeOperation() throws {
        let whole = model()
        let cut = try #require(self.end(whole)).cut(whole)
        #expect(cut.count == whole.count)
        let root = try #require(FlatBuffer(cut, identifier: "TFL3")?.root)
        let graph = try #require(root.tables(2).first)
        #expect(graph.integers(2, as: UInt32.self) == [1, 2])
        #expect(graph.tables(3).count == 1)
        #expect(end(cut) == nil)
    }

    @Test func decodingEqualsOperation() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("ssd.tflite", model())
        let boxes = TestTensor([1, 2, 4], [0, 0, 0, 0, 1, 0.9, 0, 0])
        let scores = TestTensor([1, 2, 3], [0.9, 0, 0.1, 0, 0, 0.8])
        let found = try DetectionFamily.recognise(
            NetworkDescription(input: [1, 100, 200, 3], [boxes, scores]), manifest: nil, labels: names(2), file: file)
        #expect(found.family == .ssd && found.decoder.input.fit == .stretch)
        let detection = try #require(try found.decoder.decode([boxes, scores]).first)
        // The second anchor is 100 x 50 around (100, 25); the box is shifted right and down by a tenth of its size.
        #expect(detection.box.iou(Box(centerX: 110, centerY: 30, width: 100, height: 50)) > 0.999)
        withExtendedLifetime(folder) {}
        #expect(abs(detection.score - 0.8) < 1e-6 && detection.label?.text == "thing 1")
    }

    @Test func damagedModelIsSurvived() {
        var generator = SeededGenerator(seed: 5)
        let sound = model()
        for _ in 0..<5000 {
            let damaged = generator.damage(sound)
            guard let end = self.end(damaged) else { continue }
            #expect(end.anchors.count % 4 == 0 && end.scales.allSatisfy { $0 > 0 })
            #expect(end.cut(damaged).count == damaged.count)
        }
    }

    @Test func everyNumberWidthIsRead() throws {
        let bytes = Array(
            Data(
                base64Encoded:
                    "c21hbGwAd2lkZQB0ZXh0AAF4AGxhcmdlAAQHGxEXAAAGAAAAAAAAAAEAAAAAAAAABAAAAAAAAACQ7v7///////3/////////NwAAAAAAAACamZmZmZm5PwcHFA8kJwE="
            ) ?? Data())
        #expect(FlexBuffer.numbers(bytes) == ["small": -3, "large": -70000, "wide": 0.1])
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<5000 { _ = FlexBuffer.numbers(generator.damage(bytes)) }
        for _ in 0..<5000 { _ = FlexBuffer.numbers(generator.damage(Self.options)) }
    }
}
