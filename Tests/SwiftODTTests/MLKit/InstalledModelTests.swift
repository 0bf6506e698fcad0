import Testing

@testable import SwiftODT
@testable import SwiftODTMLKit

/// Tests detection and classification of a photograph with the installed models.
@Suite struct InstalledModelTests {
    static let photo = "data/photos/coco-val-128/images/000000000632.jpg"
    static let isPossible = SharedMaterial.has(photo) && (try? DetectorConfiguration(.neural).makeDetector()) != nil

    @Test(.enabled(if: isPossible, "no installed model or no test material"))
    func bedroomObjectsAreDetectedAndCategorised() async throws {
        let options = VisionObjectDetectorOptions()
        options.detectorMode = .singleImage
        options.shouldEnableMultipleObjects = true
        options.shouldEnableClassification = true
        let objectDetector = Vision.vision().objectDetector(options: options)
        let image = try VisionImage(contentsOfFile: SharedMaterial.path(Self.photo))

        let objects = try objectDetector.results(in: image)
        #expect((2...5).contains(objects.count))
        #expect(objects.contains { $0.classificationCategory == .homeGoods && $0.confidence != nil })
        #expect(objects.contains { $0.classificationCategory == .plants })
        #expect(objects.allSatisfy { $0.trackingID == nil && $0.box.area > 100 })
        let again = try await objectDetector.process(image)
        #expect(again == objects, "results for the same picture are equal")
    }
}
