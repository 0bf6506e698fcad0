import Glibc
import Testing

@testable import SwiftODT

/// Tests camera motion that is estimated from the common displacement of all detections.
@Suite struct CameraMotionTests {
    /// Eight objects in a row. Their gaps are smaller than the camera's jump.
    private static func boxes(camera: Double) -> [Box] {
        (0..<8).map { Box(x: 100 + 90 * Double($0) - camera, y: 200 + 10 * Double($0 % 3), width: 50, height: 120) }
    }

    @Test func cameraJumpIsEstimatedFromDetections() {
        let tracker = Tracker()
        for frame in 0..<40 {
            let camera = frame < 20 ? 0.0 : 30
            let boxes = Self.boxes(camera: camera)
            let tracks = tracker.step(Nanoseconds(frame) * 33_333_333, boxes.map { Detection(box: $0, score: 0.9) })
            #expect(Set(tracks.compactMap(\.id)) == Set(1...8))
        }
    }

    /// One object is not detected while the camera jumps; its track moves with the others.
    @Test func missedObjectsFollowCameraMotion() throws {
        let tracker = Tracker()
        for frame in 0..<30 {
            let camera = frame < 20 ? 0.0 : 30
            var boxes = Self.boxes(camera: camera)
            if frame >= 18 { boxes.remove(at: 4) }
            _ = tracker.step(Nanoseconds(frame) * 33_333_333, boxes.map { Detection(box: $0, score: 0.9) })
        }
        let unseen = try #require(tracker.tracks.first { $0.state == .coasting })
        #expect(abs(unseen.box.x - Self.boxes(camera: 30)[4].x) < 10)
    }

    @Test func independentMotionGivesNoCameraMotion() {
        var motion = CameraMotion()
        motion.begin()
        for number in 0..<8 {
            let angle = Double(number) * 0.8
            motion.add(SIMD2(20 * cos(angle) + 2, 20 * sin(angle)))
        }
        let shift = motion.estimate()
        #expect(abs(shift.x) < 2 && abs(shift.y) < 2)
    }
}
