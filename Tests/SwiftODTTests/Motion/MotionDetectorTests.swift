import Foundation
import Testing

@testable import SwiftODT

/// Tests the accuracy of the motion detector in synthetic scenes: moving objects are detected with accurate boxes, and
/// noise, light changes and shadows are not.
@Suite struct MotionDetectorTests {
    typealias Shape = MotionScene.Shape

    /// Three shapes: two with crossing paths, and one that stops.
    static let traffic: [Shape] = [
        Shape(width: 18, height: 26, level: 220) { (x: 10 + 24 * $0, y: 40) },
        Shape(width: 22, height: 16, level: 30, isRound: true) { $0 < 0.5 ? nil : (x: 170 - 28 * ($0 - 0.5), y: 52) },
        Shape(width: 14, height: 14, level: 245) { $0 < 1 ? nil : (x: 140, y: min(150 - 40 * ($0 - 1), 95)) },
    ]

    static func expectTrue(
        _ scene: MotionScene, warmUp: Double = 1, overlap: Double = 0.8, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try scene.run(warmUp: warmUp)
        #expect(outcome.recall > 0.95, "recall \(outcome.recall)", sourceLocation: location)
        #expect(outcome.precision > 0.94, "precision \(outcome.precision)", sourceLocation: location)
        #expect(outcome.meanOverlap > overlap, "overlap \(outcome.meanOverlap)", sourceLocation: location)
    }

    @Test func shapesAreDetectedOnPlainBackground() throws {
        try Self.expectTrue(MotionScene(isTextured: false, shapes: Self.traffic))
    }

    @Test(arguments: [5.0, 60]) func detectionIsIndependentOfFrameRate(_ rate: Double) throws {
        try Self.expectTrue(
            MotionScene(framesPerSecond: rate, seconds: rate > 30 ? 2.5 : 5, noise: 2, shapes: Self.traffic))
    }

    /// In each frame, objects cover a part of most blocks of the picture.
    @Test func busySceneIsDetectedAfterThreeSeconds() throws {
        let shapes = (0..<12).map { number in
            Shape(width: 8, height: 8, level: 230) { time in
                (x: (Double(number * 37) + 20 * time).truncatingRemainder(dividingBy: 160), y: 5 + 10 * Double(number))
            }
        }
        let outcome = try MotionScene(seconds: 8, shapes: shapes).run(warmUp: 5)
        #expect(outcome.recall > 0.8, "recall \(outcome.recall)")
    }

    /// A change of the light cannot be estimated from underexposed and overexposed pixels, or from those of the object.
    @Test(arguments: [0, 255]) func objectBeforeClippedBackgroundIsDetected(_ background: Int) {
        var analyzer: MotionAnalyzer?
        var found = 0
        for frame in 0..<60 {
            let left = frame < 15 ? -100 : 3 * (frame - 15)
            let pixels = DrawnGrid.pixels(width: 160, height: 120) { x, y in
                (left..<left + 40).contains(x) && (40..<80).contains(y) ? 110 + (x * 7 + y * 5) % 40 : background
            }
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: pixels.count)
            _ = copy.initialize(from: pixels)
            let plane = LumaPlane(
                adopting: copy, width: 160, height: 120, scaleX: 1, scaleY: 1, time: Nanoseconds(frame) * 66_666_667)
            let current = MotionAnalyzer.reusing(analyzer, for: plane)
            analyzer = current
            if current.analyze(at: plane).count == 1 { found += 1 }
        }
        #expect(found > 30)
    }

    /// The times are measured in seconds, not in frames.
    @Test func stoppedObjectEndsInSlowStream() throws {
        let shape = Shape(width: 20, height: 30, level: 220) { (x: min(20 + 4 * $0, 100), y: 60) }
        let outcome = try MotionScene(framesPerSecond: 0.25, seconds: 80, shapes: [shape]).run()
        #expect(outcome.detections.map(\.count).dropFirst(8).max() == 0)
    }

    @Test(arguments: [0.0, 4, 9]) func noiseIsRejected(_ noise: Double) throws {
        try Self.expectTrue(MotionScene(noise: noise, shapes: Self.traffic))
    }

    @Test func slowAndFlickeringLightIsRejected() throws {
        try Self.expectTrue(
            MotionScene(noise: 2, gain: { 1 + 0.3 * sin($0) + 0.05 * sin($0 * 40) }, shapes: Self.traffic))
    }

    @Test func suddenLightChangeRecoversQuickly() throws {
        try Self.expectTrue(MotionScene(noise: 2, gain: { $0 > 3 ? 1.35 : 0.9 }, shapes: Self.traffic))
    }

    @Test(arguments: [true, false]) func shadowsAreRejected(_ isTextured: Bool) throws {
        let shapes = Self.traffic.prefix(2).map { shape in
            var shape = shape
            shape.shadow = 0.6
            return shape
        }
        try Self.expectTrue(MotionScene(isTextured: isTextured, noise: 1, shapes: shapes), warmUp: 2, overlap: 0.75)
    }

    @Test func emptyScenesGiveNoDetections() throws {
        for noise in [0.0, 3, 12] {
            let outcome = try MotionScene(seconds: 2, noise: noise).run(warmUp: 0)
            #expect(outcome.detections.allSatisfy { $0.isEmpty }, "noise \(noise)")
        }
    }

    @Test func leavingObjectLeavesNoGhost() throws {
        let leaver = Shape(width: 24, height: 30, level: 230) {
            $0 < 1 ? (x: 60, y: 60) : (x: 60 + 60 * ($0 - 1), y: 60)
        }
        let outcome = try MotionScene(seconds: 5, noise: 2, shapes: [leaver]).run()
        let place = Box(x: 48, y: 45, width: 24, height: 30)
        let ghosts = outcome.detections.dropFirst(38).filter { $0.contains { $0.box.iou(place) > 0.3 } }
        #expect(ghosts.isEmpty, "\(ghosts.count) frames")
    }

    @Test func stoppedObjectIsReportedForSeconds() throws {
        let stopper = Shape(width: 24, height: 30, level: 230) { (x: min(10 + 40 * $0, 80), y: 60) }
        let outcome = try MotionScene(framesPerSecond: 10, seconds: 15, noise: 2, shapes: [stopper]).run()
        let place = Box(x: 68, y: 45, width: 24, height: 30)
        let isSeen = outcome.detections.map { $0.contains { $0.box.iou(place) > 0.7 } }
        #expect(isSeen[20..<80].allSatisfy { $0 }, "reported for six seconds")
        #expect(!isSeen[140...].contains(true), "background in the end")
    }

    @Test func panGivesNoDetections() throws {
        for speed in [20.0, 60, 200] {
            let scene = MotionScene(seconds: 4, noise: 2, pan: { (x: $0 < 1 ? 0 : min($0 - 1, 1.5) * speed, y: 0) })
            let outcome = try scene.run(warmUp: 0)
            #expect(outcome.falseAlarms == 0, "\(speed) pixels a second: \(outcome.falseAlarms)")
        }
    }

    @Test func sceneCutGivesNoDetectionsAndIsLearnt() throws {
        let scene = MotionScene(
            noise: 2, pan: { (x: $0 < 2 ? 0 : 1000, y: 0) },
            shapes: [Shape(width: 20, height: 26, level: 235) { $0 < 3 ? nil : (x: 30 * ($0 - 3), y: 60) }])
        let outcome = try scene.run()
        #expect(outcome.falseAlarms == 0)
        #expect(outcome.recall > 0.95, "\(outcome.recall)")
    }

    @Test(arguments: [(1, 1), (2, 2), (17, 13), (4096, 17), (3, 500)])
    func anyFrameSizeIsAccepted(_ width: Int, _ height: Int) throws {
        let picture = TestPicture(.gray8, width: width, height: height)
        let detector = MotionDetector()
        for index in 0..<20 {
            picture.paint { x, y in x / 3 == index % 5 && y < 3 ? 255 : 10 }
            let promise = try picture.withFrame(time: Nanoseconds(index) * 100_000_000) {
                try detector.start($0, options: DetectionOptions())
            }
            for detection in try promise.wait() {
                #expect(detection.box.isFinite && !detection.box.isEmpty && (0...1).contains(detection.score))
                #expect(detection.box.clipped(width: width, height: height) == detection.box)
            }
        }
    }

    @Test func sizeChangeAndResetRestartLearning() throws {
        let detector = MotionDetector()
        let first = try MotionScene(seconds: 3, shapes: Self.traffic).run(detector)
        #expect(first.hits > 0)
        let other = try MotionScene(width: 120, height: 90, seconds: 2).run(detector, warmUp: 0)
        #expect(other.detections.allSatisfy { $0.isEmpty })
        detector.reset()
        let again = try MotionScene(width: 120, height: 90, seconds: 0.3, shapes: Self.traffic).run(detector, warmUp: 0)
        #expect(again.detections.allSatisfy { $0.isEmpty }, "no detections before the background is learnt")
    }

    @Test func irregularTimesAreSurvived() throws {
        let picture = TestPicture(.gray8, width: 64, height: 48)
        let detector = MotionDetector()
        for time in [0, 5_000_000_000, 1, .max, .min, -7, 0, 0] as [Nanoseconds] {
            picture.paint { x, y in UInt8(truncatingIfNeeded: x &* 3 &+ y) }
            _ = try picture.withFrame(time: time) { try detector.start($0, options: DetectionOptions()) }.wait()
        }
    }
}
