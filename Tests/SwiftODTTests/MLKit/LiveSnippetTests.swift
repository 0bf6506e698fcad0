import Foundation
import Testing

@testable import SwiftODT
@testable import SwiftODTMLKit

/// Compiles and runs ML Kit's iOS snippets for live detection, with another import and another image source.
@Suite struct LiveSnippetTests {
    /// The camera's scene: one bright object moves over a background at 15 frames per second.
    static let scene = MotionScene(
        width: 96, height: 72, seconds: 3,
        shapes: [.init(width: 18, height: 22, level: 235) { (x: 10 + 20 * $0, y: 36) }])

    static func camera(_ body: (_ sampleBuffer: Frame, _ truth: Box) throws -> Void) rethrows {
        let painter = MotionPainter(scene)
        let picture = TestPicture(.gray8, width: scene.width, height: scene.height)
        for index in 0..<Int(scene.seconds * scene.framesPerSecond) {
            let time = Double(index) / scene.framesPerSecond
            try picture.withFrame(time: Nanoseconds(time * 1e9)) { frame in
                painter.paint(time, into: frame)
                try body(frame, scene.truth(time)[0].box)
            }
        }
    }

    @Test func mostProminentObjectIsTracked() throws {
        // Live detection and tracking
        let options = VisionObjectDetectorOptions()
        options.detectorMode = .stream
        options.shouldEnableClassification = false
        options.detector.method = .motion
        let objectDetector = Vision.vision().objectDetector(options: options)

        var ids = Set<Int>()
        var found = 0
        try Self.camera { sampleBuffer, truth in
            let image = VisionImage(buffer: sampleBuffer)
            let metadata = VisionImageMetadata()
            metadata.orientation = .topLeft
            image.metadata = metadata

            let objects = try objectDetector.results(in: image)
            #expect(objects.count <= 1)
            for obj in objects {
                let bounds: CGRect = obj.frame
                #expect(Double(bounds.origin.x) == obj.box.x)
                let id = obj.trackingID
                let category = obj.classificationCategory
                let confidence = obj.confidence
                #expect(category == .unknown)
                #expect(confidence == nil, "classification is off")
                if let id { ids.insert(id.intValue) }
                if obj.box.iou(truth) > 0.7 { found += 1 }
            }
        }
        #expect(ids == [1], "one object, one id, from call to call")
        #expect(found > 25, "detected in \(found) of 45 frames")
    }

    @Test func completionHandlerGetsResults() throws {
        let objectDetector = Vision.vision().objectDetector(
            options: .forTests(), detector: ScriptedDetector(.chair, .banana))
        let image = VisionImage(image: try .plain)
        let text = Promise<String>()

        objectDetector.process(image) { detectedObjects, error in
            guard error == nil else {
                text.fulfil(.success("Error: \(String(describing: error))"))
                return
            }
            guard let detectedObjects = detectedObjects, !detectedObjects.isEmpty else {
                text.fulfil(.success("No objects detected."))
                return
            }
            let lines = detectedObjects.map { object in
                "frame: \(Int(object.frame.origin.x)), \(Int(object.frame.midY)), \(Int(object.frame.size.width)), "
                    + "id: \(object.trackingID ?? -1)"
            }
            text.fulfil(.success(lines.joined(separator: "\n")))
        }
        #expect(try text.wait() == "frame: 30, 30, 40, id: 1")
    }

    @Test func categoryMayArriveLater() throws {
        let classifier = ScriptedClassifier()
        let options = VisionObjectDetectorOptions.forTests()
        options.shouldEnableClassification = true
        let objectDetector = VisionObjectDetector(
            options: options,
            detector: ScriptedDetector(Detection(box: Box(x: 20, y: 10, width: 40, height: 40), score: 0.9)),
            classifier: TrackClassifier(crop: classifier))
        func detect() throws -> VisionObject {
            try #require(try objectDetector.results(in: VisionImage(image: try .plain)).first)
        }

        let first = try detect()
        #expect(first.trackingID == 1 && first.classificationCategory == .unknown && first.confidence == nil)
        #expect(first.labels.isEmpty)
        classifier.answer([.plant: 0.9])
        let second = try detect()
        #expect(second.trackingID == 1 && second.classificationCategory == .plants)
        #expect(try #require(second.confidence).floatValue > 0.5)
        #expect(second.labels.first?.text == "Plant" && second.labels.first?.index == 4)
    }

    @Test func sizeChangeBeginsEpochAndIDsContinue() throws {
        let objectDetector = VisionObjectDetector(options: .forTests(), detector: ScriptedDetector(.chair))
        func id(_ picture: Frame) throws -> Int? {
            try objectDetector.results(in: VisionImage(image: picture)).first?.trackingID?.intValue
        }
        #expect(try id(try .plain) == 1)
        #expect(try id(try .plain) == 1)
        #expect(try id(TestPicture(.i420, width: 200, height: 120).withFrame { try $0.owned() }) == 2)
    }

    @Test func increasingTimestampsAreKept() throws {
        let detector = ScriptedDetector(.chair)
        let objectDetector = VisionObjectDetector(options: .forTests(), detector: detector)
        for time in [5_000, 33_000_000, 33_000_000, nil, 10, 9_000_000_000, .max, -3] as [Nanoseconds?] {
            let image = VisionImage(image: try .plain)
            image.timestamp = time.map { MediaTime(nanoseconds: $0) }
            _ = try objectDetector.results(in: image)
        }
        let times = detector.shown.map(\.time)
        #expect(times[0] == 5_000 && times[1] == 33_000_000 && times[5] == 9_000_000_000)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
    }
}

extension VisionObjectDetectorOptions {
    /// Stream options that report each track after its first detection.
    static func forTests() -> VisionObjectDetectorOptions {
        let options = VisionObjectDetectorOptions()
        options.scene.tracker.minHits = 1
        return options
    }
}

extension Vision {
    /// Creates an object detector with a test double, in the form of ML Kit's factory method.
    func objectDetector(options: VisionObjectDetectorOptions, detector: any Detector) -> VisionObjectDetector {
        VisionObjectDetector(options: options, detector: detector)
    }
}

extension Frame {
    static var plain: Frame { get throws { Frame(try Picture.plain) } }
}

extension Picture {
    /// A grey picture of 100 x 60 pixels.
    static var plain: Picture {
        get throws {
            let picture = TestPicture(.nv12, width: 100, height: 60)
            picture.paint { _, _ in 90 }
            return try picture.withFrame { try Picture(copying: $0) }
        }
    }
}

extension Detection {
    static let chair = Detection(
        box: Box(x: 30, y: 10, width: 40, height: 40), score: 0.8, label: Label(index: 61, text: "chair"))
    static let banana = Detection(
        box: Box(x: 2, y: 40, width: 16, height: 10), score: 0.6, label: Label(index: 51, text: "banana"))
    static let person = Detection(
        box: Box(x: 80, y: 20, width: 40, height: 30), score: 0.7, label: Label(index: 0, text: "person"))
}
