import Foundation
import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests the metadata of .tflite files: normalisation and score threshold are read, and damaged files neither crash nor
/// give invalid values.
@Suite struct TFLiteMetadataTests {
    /// Vectors can share memory, so a small file can contain an exponential number of nested tables.
    /// The limit includes the time for which the test waits for other tests, so only an endless loop exceeds it.
    @Test(.timeLimit(.minutes(15))) func readingSharedTablesIsBounded() throws {
        // A graph whose inputs are the same table 32,768 times, which itself has 32,768 entries.
        let count = 1 << 15
        let (inner, step) = (52 + 4 * count, 64 + 8 * count)
        var bytes = [UInt8](repeating: 0, count: step + 8)
        func put(_ number: Int, at place: Int) {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) {
                bytes.replaceSubrange(place..<place + 4, with: $0)
            }
        }
        bytes.replaceSubrange(4..<8, with: "M001".utf8)
        // All tables share one vtable, in which all five fields have the same offset.
        bytes.replaceSubrange(8..<22, with: [14, 0, 8, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0])
        put(24, at: 0)
        for (table, vector) in [(24, 32), (40, 48), (inner, inner + 8), (step, step + 4)] {
            put(table - 8, at: table)
            put(vector - table - 4, at: table + 4)
        }
        put(1, at: 32)
        put(4, at: 36)
        for (vector, element) in [(48, inner), (inner + 8, step)] {
            put(count, at: vector)
            for place in stride(from: vector + 4, to: vector + 4 + 4 * count, by: 4) { put(element - place, at: place) }
        }
        _ = TFLiteMetadata(notes: bytes)
    }

    private func notes(mean: [Float], deviation: [Float], threshold: Float?) -> [UInt8] {
        let normalisation: [Int: FlatBufferMaker.Value] = [
            0: .number(1), 1: .table([0: .floats(mean), 1: .floats(deviation)]),
        ]
        let calibration: [Int: FlatBufferMaker.Value] = [0: .number(2), 1: .table([0: .number(1)])]
        let output: [Int: FlatBufferMaker.Value] =
            threshold.map { [4: .tables([calibration, [0: .number(3), 1: .table([0: .float($0)])]])] } ?? [:]
        let graph: [Int: FlatBufferMaker.Value] = [
            2: .tables([[0: .text("image"), 4: .tables([normalisation])]]), 3: .tables([[0: .text("score")], output]),
        ]
        return FlatBufferMaker.make([0: .text("a classifier"), 3: .tables([graph])], identifier: "M001")
    }

    private func model(_ notes: [UInt8]) -> [UInt8] {
        FlatBufferMaker.make(
            [
                0: .number(3), 4: .tables([[:], [0: .bytes([1, 2, 3])], [0: .bytes(notes)]]),
                6: .tables([[0: .text("other"), 1: .number(1)], [0: .text("TFLITE_METADATA"), 1: .number(2)]]),
            ], identifier: "TFL3")
    }

    private func read(_ model: [UInt8]) -> TFLiteMetadata? {
        FlatBuffer(model, identifier: "TFL3").flatMap { TFLiteMetadata(model: $0) }
    }

    @Test func normalisationAndThresholdAreRead() throws {
        let one = try #require(read(model(notes(mean: [127.5], deviation: [127.5], threshold: 0.25))))
        #expect(one.mean == SIMD3(repeating: 127.5) && one.deviation == SIMD3(repeating: 127.5))
        #expect(one.scoreThreshold == 0.25)
        let three = try #require(read(model(notes(mean: [1, 2, 3], deviation: [4, 5, 6], threshold: nil))))
        #expect(three.mean == SIMD3(1, 2, 3) && three.deviation == SIMD3(4, 5, 6) && three.scoreThreshold == nil)
    }

    /// MediaPipe Model Maker writes the anchors of a detector into the metadata.
    @Test func anchorsInMetadataReplaceThoseOfTheFamily() throws {
        let count = (1024 + 256 + 64 + 16 + 4) * 9
        // The fields of an anchor are the centre x, the centre y, the width and the height.
        let anchor: [Int: FlatBufferMaker.Value] = [0: .float(0.5), 1: .float(0.25), 2: .float(0.125), 3: .float(0.75)]
        let options = FlatBufferMaker.make(
            [1: .table([0: .table([0: .tables(Array(repeating: anchor, count: count))])])], identifier: "V001")
        let graph: [Int: FlatBufferMaker.Value] = [
            9: .tables([[0: .text("other")], [0: .text("DETECTOR_METADATA"), 1: .bytes(options)]])
        ]
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "net.tflite", model(FlatBufferMaker.make([3: .tables([graph])], identifier: "M001")))
        let network = NetworkDescription(
            inputs: [TensorDescription(name: "x", shape: [1, 256, 256, 3], element: .float32)],
            outputs: [
                TensorDescription(name: "boxes", shape: [1, count, 4], element: .float32),
                TensorDescription(name: "scores", shape: [1, count, 3], element: .float32),
            ])
        func firstAnchor(_ manifest: ModelManifest?) throws -> Anchors.Anchor {
            let found = try DetectionFamily.recognise(network, manifest: manifest, labels: names(3), file: file)
            return try #require((found.decoder as? AnchorDecoder)?.anchors.boxes.first)
        }
        let own = try firstAnchor(nil)
        #expect(own.centerX == 128 && own.centerY == 64 && own.width == 32 && own.height == 192)
        var manifest = ModelManifest(name: "x")
        manifest.anchors = ModelManifest.AnchorSettings()
        #expect(try firstAnchor(manifest).centerX == 4)
        withExtendedLifetime(folder) {}
    }

    @Test func invalidValuesAreIgnored() throws {
        let none = try #require(read(model(notes(mean: [1, 2], deviation: [0, 1, 1], threshold: 7))))
        #expect(none == TFLiteMetadata(notes: notes(mean: [], deviation: [], threshold: nil)))
        #expect(none.mean == nil && none.deviation == nil && none.scoreThreshold == nil)
        #expect(read(FlatBufferMaker.make([0: .number(3)], identifier: "TFL3")) == nil)
        #expect(read(FlatBufferMaker.make([0: .number(3)], identifier: "TFL9")) == nil)
    }

    @Test func metadataCompletesManifest() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("flowers.tflite", model(notes(mean: [120], deviation: [60], threshold: 0.125)))
        let alone = try #require(try ModelManifest.load(model: file))
        #expect(alone.name == "flowers.tflite" && alone.scoreThreshold == 0.125)
        #expect(alone.input.mean == SIMD3(repeating: 120) && alone.input.scale == SIMD3(repeating: 1 / 60))
        _ = try folder.write("flowers.json", #"{"name": "x", "score-threshold": 0.5, "input": {"mean": 3}}"#)
        let told = try #require(try ModelManifest.load(model: file))
        #expect(told.name == "x" && told.scoreThreshold == 0.5)
        #expect(told.input.mean == SIMD3(repeating: 3) && told.input.scale == nil)
    }

    @Test func damagedMetadataIsSurvived() {
        var generator = SeededGenerator(seed: 4)
        let sound = model(notes(mean: [1, 2, 3], deviation: [4, 5, 6], threshold: 0.5))
        for _ in 0..<5000 {
            guard let damaged = read(generator.damage(sound)) else { continue }
            if let deviation = damaged.deviation { #expect(deviation.min() > 0) }
            if let threshold = damaged.scoreThreshold { #expect((0...1).contains(threshold)) }
        }
    }

    @Test(.enabled(if: SharedMaterial.has("models/object_labeler.tflite"), "no shared test material"))
    func mlKitSampleIsRead() throws {
        let metadata = try #require(
            try FlatBuffer.read(tflite: SharedMaterial.path("models/object_labeler.tflite")).flatMap {
                TFLiteMetadata(model: $0)
            })
        #expect(metadata.mean != nil && metadata.deviation != nil && metadata.scoreThreshold == 0.35)
    }
}
