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

    @Test func otherOrientationBeginsAnotherStream() throws {
        let detector = VisionObjectDetector(options: .forTests(), detector: ScriptedDetector(Self.objects[0]))
        let image = VisionImage(image: try .plain)
        let first = try #require(try detector.results(in: image).first)
        image.orientation = .bottomRight
        let second = try #require(try detector.results(in: image).first)
        #expect(first.trackingID == 1 && second.trackingID == 2)
    }
}
