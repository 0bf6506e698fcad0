import Testing

@testable import SwiftODT
@testable import SwiftODTMLKit

@Suite struct VisionObjectDetectorTests {
    private static let objects = ["chair", "dog"].enumerated().map { index, name in
        Detection(
            box: Box(x: 20 + 30 * Double(index), y: 10, width: 20, height: 20), score: 0.9,
            label: .init(index: index, text: name))
    }

    private static func names(allowing labels: Set<String> = [], denying denied: Set<String> = []) throws -> [String?] {
        let options = VisionObjectDetectorOptions.forTests()
        options.shouldEnableMultipleObjects = true
        (options.allowedLabels, options.deniedLabels) = (labels, denied)
        let detector = VisionObjectDetector(
            options: options, detector: ScriptedDetector(labels: ["chair", "dog"]) { _ in Self.objects })
        return try detector.results(in: VisionImage(image: try .plain)).map(\.name)
    }

    @Test func labelGroupsAreExpanded() throws {
        #expect(try Self.names(allowing: ["@animals"]) == ["dog"])
        #expect(try Self.names(allowing: ["Chair", "unknown"]) == ["chair"])
        #expect(try Self.names(denying: ["@animals"]) == ["chair"])
    }

    @Test(arguments: ["chiar", "@nosuch"]) func unknownLabelIsAnError(_ label: String) {
        #expect(throws: ODTError.self) { try Self.names(allowing: [label]) }
        #expect(throws: ODTError.self) { try Self.names(denying: [label]) }
    }

    /// A coasting object of higher prominence does not take the place of a detected one.
    @Test func onlyDetectedObjectsCountTowardsTheLimit() throws {
        let large = Detection(box: Box(x: 10, y: 5, width: 70, height: 50), score: 0.9)
        let small = Detection(box: Box(x: 80, y: 40, width: 15, height: 15), score: 0.6)
        let detector = VisionObjectDetector(
            options: .forTests(), detector: ScriptedDetector { $0 < 5 ? [large, small] : [small] })
        func width() throws -> Double? { try detector.results(in: VisionImage(image: try .plain)).first?.box.width }
        for _ in 0..<5 { #expect(try width() == 70) }
        #expect(try width() == 15)
    }

    @Test func labelsAreThoseOfCustomClassifier() throws {
        let options = VisionObjectDetectorOptions.forTests()
        options.shouldEnableClassification = true
        options.classifierFile = "birds.tflite"
        var classes = TrackClassifierOptions()
        classes.classifiesAll = true
        let robin = ReadyClassifier([.unknown: 1], label: Label(index: 7, text: "robin"), labelScore: 0.75)
        let detector = VisionObjectDetector(
            options: options, detector: ScriptedDetector(Self.objects[0]),
            classifier: TrackClassifier(crop: robin, options: classes))
        for _ in 0..<2 { _ = try detector.results(in: VisionImage(image: try .plain)) }
        let object = try #require(try detector.results(in: VisionImage(image: try .plain)).first)
        #expect(object.labels == [VisionObjectLabel(text: "robin", index: 7, confidence: 0.75)])
        #expect(object.classificationCategory == .homeGoods)
    }

    @Test func otherOrientationBeginsAnotherStream() throws {
        let detector = VisionObjectDetector(options: .forTests(), detector: ScriptedDetector(Self.objects[0]))
        let image = VisionImage(image: try .plain)
        let first = try #require(try detector.results(in: image).first)
        image.orientation = .bottomRight
        let second = try #require(try detector.results(in: image).first)
        #expect(first.trackingID == 1 && second.trackingID == 2)
    }
}
