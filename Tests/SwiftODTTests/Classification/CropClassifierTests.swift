import Foundation
import Testing

@testable import SwiftODT

/// Tests classification with real networks. Requires the runtime; some tests also require models.
@Suite(.enabled(if: TestNetwork.hasRuntime, "no OpenVINO on this machine")) struct CropClassifierTests {
    private static let mlKit = "models/object_labeler.tflite"
    private static let hasDefault = (try? ModelSearchPath.locate(.classifier)) != nil

    /// Classifies a region of one of the photographs.
    private func classify(_ picture: String, _ box: Box, with classifier: CropClassifier) throws -> Classification {
        let picture = try Picture(
            contentsOfFile: SharedMaterial.path("data/photos/coco-val-128/images/\(picture).jpg"))
        return try picture.withFrame { try classifier.start($0, box: box) }.wait()
    }

    @Test(.enabled(if: SharedMaterial.has(mlKit), "no shared test material"))
    func mlKitSampleClassifierWorksUnmodified() throws {
        let classifier = try CropClassifier(modelFile: SharedMaterial.path(Self.mlKit))
        let bus = try classify("000000001584", Box(x: 0, y: 0, width: 480, height: 640), with: classifier)
        #expect(bus.label?.text == "Bus" && bus.labelScore > classifier.threshold)
        #expect(bus.scores == CategoryScores([.unknown: bus.labelScore]), "its labels are independent")
    }

    @Test(.enabled(if: hasDefault && SharedMaterial.has("data/photos"), "no shared test material"))
    func defaultClassifierIsDeterministic() throws {
        let classifier = try CropClassifier()
        let box = Box(x: 100, y: 100, width: 200, height: 200)
        let first = try classify("000000000285", box, with: classifier)
        for _ in 0..<3 { #expect(try classify("000000000285", box, with: classifier) == first) }
        #expect(
            try classify("000000000285", Box(x: 0, y: 0, width: 586, height: 640), with: classifier).label?.text
                .contains("bear") == true)
    }

    @Test(.enabled(if: hasDefault && SharedMaterial.has("data/photos"), "no shared test material"))
    func boxOutsidePictureIsAnError() throws {
        let classifier = try CropClassifier()
        for box in [Box(x: -50, y: 0, width: 20, height: 20), Box(x: 0, y: 0, width: .nan, height: 5)] {
            #expect(throws: ODTError.self) { try classify("000000000285", box, with: classifier) }
        }
    }

    /// A model is required if it is named or requested; otherwise categories can come from labels alone.
    @Test func modelIsNeededOnlyIfNamedOrRequested() {
        #expect(TrackClassifierConfiguration(modelFile: "mine.tflite").isModelNeeded)
        #expect(!TrackClassifierConfiguration().isModelNeeded)
        #expect(TrackClassifierConfiguration(isModelNeeded: true).isModelNeeded)
        #expect(!TrackClassifierConfiguration(modelFile: "mine.tflite", isModelNeeded: false).isModelNeeded)
    }

    @Test func customModelClassifiesAllObjects() {
        #expect(TrackClassifierConfiguration(modelFile: "mine.tflite").options.classifiesAll)
        #expect(!TrackClassifierConfiguration().options.classifiesAll)
    }

    @Test func missingFileIsNamed() throws {
        let error = try detectorError { _ = try CropClassifier(modelFile: "/nowhere/mine.tflite") }
        #expect(error.reason == .fileNotFound && error.description.contains("/nowhere/mine.tflite"))
    }

    @Test func invalidFileIsNamed() throws {
        let file = TestNetwork.folder + "/broken.tflite"
        try Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(fileURLWithPath: file))
        let error = try detectorError { _ = try CropClassifier(modelFile: file) }
        #expect(error.description.contains(file))
    }

    @Test func nonClassifierNetworkIsNamed() throws {
        let network = try TestNetwork([[1, 3, 32, 32]])
        let unlabelled = try detectorError { _ = try CropClassifier(modelFile: network.file) }
        #expect(unlabelled.description.contains("specify a label file"))
        let labels = TestNetwork.folder + "/two.txt"
        try "cat\ndog\n".write(toFile: labels, atomically: true, encoding: .utf8)
        let mismatched = try detectorError {
            _ = try CropClassifier(modelFile: network.file, labelFile: labels)
        }
        #expect(mismatched.description.contains(network.file))
    }

    @Test func networkWithoutFiniteScoreIsRefusedWhenLoaded() throws {
        let network = try TestNetwork([[1, 3, 32, 32]])
        let labels = TestNetwork.folder + "/pixels.txt"
        try (0..<3072).map { "thing \($0)" }.joined(separator: "\n")
            .write(toFile: labels, atomically: true, encoding: .utf8)
        #expect(throws: Never.self) { _ = try CropClassifier(modelFile: network.file, labelFile: labels) }
        // The square roots of the negative input values are not numbers.
        let layers = try String(contentsOfFile: network.file, encoding: .utf8)
        try layers.replacingOccurrences(of: "ReLU", with: "Sqrt")
            .write(toFile: network.file, atomically: true, encoding: .utf8)
        try #"{"name": "mine", "input": {"mean": 300, "scale": 1}}"#
            .write(toFile: ModelManifest.path(besideModel: network.file), atomically: true, encoding: .utf8)
        let error = try detectorError { _ = try CropClassifier(modelFile: network.file, labelFile: labels) }
        #expect(error.description.contains("no finite score"))
    }
}
