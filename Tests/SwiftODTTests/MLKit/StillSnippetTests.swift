import Foundation
import ODTTestSupport
import Testing

@testable import SwiftODT
@testable import SwiftODTMLKit

/// Compiles and runs ML Kit's snippets for single images: several objects, complete results or an error, no tracking
/// ids.
@Suite struct StillSnippetTests {
    static func options() -> VisionObjectDetectorOptions {
        // Multiple object detection in static images
        let options = VisionObjectDetectorOptions()
        options.detectorMode = .singleImage
        options.shouldEnableMultipleObjects = true
        options.shouldEnableClassification = true
        return options
    }

    @Test func multipleObjectsHaveCategories() throws {
        let objectDetector = VisionObjectDetector(
            options: Self.options(), detector: ScriptedDetector(.chair, .person, .banana), classifier: TrackClassifier()
        )
        let image = VisionImage(image: try Frame.plain)

        var results: [VisionObject]? = nil
        do {
            results = try objectDetector.results(in: image)
        } catch let error {
            Issue.record("Failed to detect object with error: \(error.localizedDescription).")
            return
        }
        let objects = try #require(results)
        var described: Set<String> = []
        for obj in objects {
            #expect(obj.trackingID == nil, "single images have no tracking ids")
            switch obj.classificationCategory {
            case .food: described.insert("food \(obj.confidence?.doubleValue ?? -1)")
            case .homeGoods: described.insert("home \(obj.confidence?.doubleValue ?? -1)")
            case .unknown: described.insert("unknown \(obj.confidence?.doubleValue ?? -1)")
            case .fashionGoods, .places, .plants: described.insert("other")
            }
        }
        #expect(described == ["food 0.6", "home 0.8", "unknown -1.0"])
        let person = try #require(objects.first { $0.name == "person" })
        #expect(person.box == Box(x: 80, y: 20, width: 20, height: 30), "clipped to the picture")
    }

    @Test func singleImageResultsAreComplete() throws {
        let classifier = ReadyClassifier([.fashionGood: 0.8])
        let unclassified = Detection(box: Box(x: 10, y: 10, width: 30, height: 30), score: 0.9)
        let objectDetector = VisionObjectDetector(
            options: Self.options(), detector: ScriptedDetector(unclassified),
            classifier: TrackClassifier(crop: classifier))
        let object = try #require(try objectDetector.results(in: VisionImage(image: Frame.plain)).first)
        #expect(object.classificationCategory == .fashionGoods && object.confidence != nil && object.score == 0.9)

        let failing = ScriptedClassifier(failure: ODTError(.failed, "the classifier broke"))
        let other = VisionObjectDetector(
            options: Self.options(), detector: ScriptedDetector(unclassified),
            classifier: TrackClassifier(crop: failing))
        #expect(throws: ODTError.self) { try other.results(in: VisionImage(image: Frame.plain)) }
    }

    @Test func salientObjectIsReportedWithoutLabels() throws {
        let options = Self.options()
        options.includesUnknownObjects = true
        let salient = ScriptedDetector(Detection(box: Box(x: 10, y: 10, width: 30, height: 30), score: 0.7))
        func results(_ detector: ScriptedDetector) throws -> [VisionObject] {
            try VisionObjectDetector(
                options: options, detector: detector,
                classifier: TrackClassifier(crop: ReadyClassifier([.fashionGood: 0.8])), salient: salient
            ).results(in: VisionImage(image: Frame.plain))
        }
        #expect(try results(ScriptedDetector(.chair)).map(\.name) == ["chair"])
        #expect(salient.shown.isEmpty, "the saliency network does not run if there are detections")
        let object = try #require(try results(ScriptedDetector()).first)
        #expect(object.name == nil && object.trackingID == nil && object.classificationCategory == .fashionGoods)
        options.includesUnknownObjects = false
        #expect(try results(ScriptedDetector()).isEmpty)
        #expect(salient.shown.count == 1)
    }

    @Test func defaultOptionsGiveOneObjectWithoutCategory() throws {
        let options = VisionObjectDetectorOptions()
        options.detectorMode = .singleImage
        let objectDetector = VisionObjectDetector(
            options: options, detector: ScriptedDetector(.banana, .chair), classifier: TrackClassifier())
        let objects = try objectDetector.results(in: VisionImage(image: Frame.plain))
        #expect(objects.count == 1)
        #expect(objects[0].name == "chair", "the most prominent one")
        #expect(objects[0].classificationCategory == .unknown && objects[0].confidence == nil)
    }

    @Test func currentMLKitNamesWork() async throws {
        let options = ObjectDetectorOptions()
        options.detectorMode = .singleImage
        options.shouldEnableClassification = true
        options.shouldEnableMultipleObjects = true
        let objectDetector = SwiftODTMLKit.ObjectDetector(
            options: options, detector: ScriptedDetector(.banana), classifier: TrackClassifier())

        let visionImage = VisionImage(image: try Frame.plain)
        visionImage.orientation = .right
        let objects: [Object] = try await objectDetector.process(visionImage)
        let description = objects.flatMap { object in
            object.labels.enumerated().map { (index, label) in
                "Label \(index): \(label.text), \(label.confidence), \(label.index)"
            }
        }.joined(separator: "\n")
        #expect(description == "Label 0: Food, 0.6, 2")
    }

    @Test func scoreThresholdBelowDefaultIsUsed() throws {
        let options = Self.options()
        let weak = Detection(box: Box(x: 20, y: 10, width: 40, height: 40), score: 0.05)
        func count(_ threshold: Double) throws -> Int {
            options.scoreThreshold = threshold
            let detector = ScriptedDetector(weak)
            let objectDetector = VisionObjectDetector(options: options, detector: detector)
            let objects = try objectDetector.results(in: VisionImage(image: Frame.plain))
            #expect(detector.scoreFloors == [min(0.1, threshold / 2)])
            return objects.count
        }
        #expect(try count(0.02) == 1 && count(0.4) == 0)
    }

    @Test(arguments: [40, -1, Double.nan]) func invalidScoreThresholdIsAnError(threshold: Double) {
        let options = Self.options()
        options.scoreThreshold = threshold
        #expect { try VisionObjectDetector(options: options).results(in: VisionImage(image: Frame.plain)) } throws: {
            ($0 as? ODTError)?.reason == .invalidOption
        }
    }

    @Test func categoriesHaveValuesOfFirebase() {
        let names: [VisionObjectCategory] = [.unknown, .homeGoods, .fashionGoods, .food, .places, .plants]
        #expect(names.map(\.rawValue) == Array(0...5))
    }

    @Test func picturesAreReadFromFiles() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("picture", EncodedPictures.pngRedAndBlue)
        let objectDetector = VisionObjectDetector(options: Self.options(), detector: ScriptedDetector())
        let image = try withExtendedLifetime(folder) { try VisionImage(contentsOfFile: file) }
        #expect(try objectDetector.results(in: image).isEmpty)
        #expect(throws: ODTError.self) { try VisionImage(contentsOfFile: file + "-missing") }
    }

    @Test(arguments: PixelFormat.allCases) func buffersOfAnyFormatAreAccepted(_ format: PixelFormat) throws {
        let detector = ScriptedDetector(.chair)
        let objectDetector = VisionObjectDetector(options: Self.options(), detector: detector)
        let image = TestPicture(format, width: 101, height: 61, padding: 7).withFrame { VisionImage(buffer: $0) }
        #expect(try objectDetector.results(in: image).count == 1)
        #expect(detector.shown.map(\.format) == [format])
    }
}
