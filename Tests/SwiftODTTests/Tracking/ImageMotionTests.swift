import Glibc
import Testing

@testable import SwiftODT

/// Tests the propagation of boxes between detections by image motion, with a detection every fifth frame.
@Suite struct ImageMotionTests {
    private static let people = SyntheticScene(objects: [
        .init(width: 90, height: 200, place: { (150 + 80 * sin(3 * $0), 120 + 60 * $0) }, seed: 21),
        .init(width: 60, height: 130, place: { (900 - 150 * $0, 400 + 40 * cos(4 * $0)) }, seed: 34),
        .init(width: 140, height: 110, place: { (500 + 100 * cos(2.5 * $0), 250 + 100 * sin(2.5 * $0)) }, seed: 55),
    ])

    /// Returns the mean IoU of propagated boxes in frames without a detection, and all reported ids.
    private func carried(_ scene: SyntheticScene, withImage: Bool) -> (overlap: Double, ids: Set<Int>) {
        let tracker = Tracker()
        var overlaps: [Double] = []
        var ids: Set<Int> = []
        for frame in 0..<60 {
            let time = Double(frame) / 30
            tracker.advance(
                to: Nanoseconds(time * 1e9), width: SyntheticScene.width, height: SyntheticScene.height,
                luma: withImage ? scene.plane(at: time) : nil)
            let boxes = scene.boxes(at: time)
            if frame % 5 == 0 {
                tracker.update(boxes.map { Detection(box: $0, score: 0.9) }, seenAt: Nanoseconds(time * 1e9))
            }
            let tracks = tracker.tracks
            ids.formUnion(tracks.compactMap(\.id))
            if frame % 5 == 0 || frame < 10 { continue }
            for box in boxes { overlaps.append(tracks.map { $0.box.iou(box) }.max() ?? 0) }
        }
        return (overlaps.reduce(0, +) / Double(overlaps.count), ids)
    }

    @Test func boxesFollowImageBetweenDetections() {
        let seen = carried(Self.people, withImage: true)
        let blind = carried(Self.people, withImage: false)
        #expect(seen.overlap > 0.9)
        #expect(seen.overlap > blind.overlap)
        #expect(seen.ids == [1, 2, 3])
    }

    @Test func boxesFollowImageDuringPan() {
        var scene = Self.people
        scene.camera = { (120 * sin(2 * $0), 30 * cos(3 * $0)) }
        let seen = carried(scene, withImage: true)
        #expect(seen.overlap > 0.9)
        #expect(seen.ids == [1, 2, 3])
    }

    /// While the picture is calm, only key frames arrive. An inaccurate box in one of them gives the filter a velocity,
    /// which the picture must correct in the next one.
    @Test func boxOfStandingObjectStaysInKeyFrames() throws {
        let scene = SyntheticScene(objects: [.init(width: 140, height: 137, place: { _ in (553, 299) }, seed: 21)])
        let tracker = Tracker()
        let box = scene.boxes(at: 0)[0]
        for frame in 0..<44 {
            let time = frame < 40 ? Double(frame) / 25 : Double(frame - 39) * 2
            tracker.advance(
                to: Nanoseconds(time * 1e9), width: SyntheticScene.width, height: SyntheticScene.height,
                luma: scene.plane(at: time))
            guard frame <= 40 else { continue }
            let seen = frame == 40 ? box.offset(x: -30, y: 0) : box
            tracker.update([Detection(box: seen, score: 0.9)], seenAt: Nanoseconds(time * 1e9))
        }
        let track = try #require(tracker.tracks.first)
        #expect(abs(track.box.centerX - box.centerX) < 30)
    }

    /// The filter does not learn of the motion of an object that stood still while it is not detected, but the displayed
    /// box follows the picture.
    @Test func objectThatBeginsToMoveKeepsID() {
        let scene = SyntheticScene(objects: [
            .init(
                width: 90, height: 130, place: { (200 + 150 * min(1, $0) + 240 * max(0, $0 - 3), 300) }, seed: 21)
        ])
        let tracker = Tracker()
        var ids: Set<Int> = []
        for frame in 0..<115 {
            let time = Double(frame) / 30
            tracker.advance(
                to: Nanoseconds(time * 1e9), width: SyntheticScene.width, height: SyntheticScene.height,
                luma: scene.plane(at: time))
            if frame <= 90 ? frame % 5 == 0 : frame >= 110 {
                // An inaccurate detector.
                let boxes = scene.boxes(at: time).map { $0.offset(x: 5 * sin(Double(frame)), y: 0) }
                tracker.update(boxes.map { Detection(box: $0, score: 0.9) }, seenAt: Nanoseconds(time * 1e9))
            }
            ids.formUnion(tracker.tracks.compactMap(\.id))
        }
        #expect(ids == [1])
    }

    /// A tentative track follows the image, so that its second detection matches although the camera has moved by more
    /// than the object's width.
    @Test func newObjectIsConfirmedDuringPan() {
        let scene = SyntheticScene(
            objects: [
                .init(width: 90, height: 200, place: { _ in (400, 300) }, seed: 21),
                .init(width: 40, height: 100, place: { _ in (700, 200) }, seed: 34),
            ], camera: { (-300 * $0, 0) })
        let tracker = Tracker()
        for frame in 0..<30 {
            let time = Double(frame) / 30
            let moment = Nanoseconds(time * 1e9)
            tracker.advance(
                to: moment, width: SyntheticScene.width, height: SyntheticScene.height, luma: scene.plane(at: time))
            let boxes = scene.boxes(at: time).prefix(frame < 10 ? 1 : 2)
            if frame % 5 == 0 { tracker.update(boxes.map { Detection(box: $0, score: 0.9) }, seenAt: moment) }
        }
        #expect(tracker.tracks.map(\.id) == [1, 2])
    }

    /// The camera pans while an object is missed. The velocity of an earlier measurement, before the pan, does not count.
    @Test func missedObjectFollowsPanThatBeganWhileAllObjectsWereDetected() throws {
        var scene = SyntheticScene(objects: [
            .init(width: 60, height: 150, place: { _ in (300, 250) }, seed: 21),
            .init(width: 60, height: 150, place: { _ in (700, 250) }, seed: 34),
        ])
        scene.camera = { (200 * max(0, $0 - 1), 0) }
        let tracker = Tracker()
        for frame in 0..<72 {
            let time = Double(frame) / 30
            let moment = Nanoseconds(time * 1e9)
            tracker.advance(
                to: moment, width: SyntheticScene.width, height: SyntheticScene.height, luma: scene.plane(at: time))
            let boxes = scene.boxes(at: time)
            // The second object is missed in the frames 10 to 14 and from frame 60 on.
            let isMissed = (10..<15).contains(frame) || frame >= 60
            tracker.update(boxes.prefix(isMissed ? 1 : 2).map { Detection(box: $0, score: 0.9) }, seenAt: moment)
            guard frame >= 60 else { continue }
            let object = try #require(tracker.tracks.first { $0.id == 2 })
            #expect(object.box.iou(boxes[1]) > 0.8, "frame \(frame)")
        }
    }

    /// Most of each detection box shows stationary background behind a slim moving object. Two detections reveal this.
    @Test func unreliableImageMotionIsIgnored() {
        let slim = SyntheticScene(objects: [
            .init(width: 40, height: 300, place: { (100 + 400 * $0, 200) }, seed: 21)
        ])
        let tracker = Tracker()
        var worst = 1.0
        for frame in 0..<60 {
            let time = Double(frame) / 30
            let moment = Nanoseconds(time * 1e9)
            tracker.advance(
                to: moment, width: SyntheticScene.width, height: SyntheticScene.height, luma: slim.plane(at: time))
            let object = slim.boxes(at: time)[0]
            let wide = Box(x: object.minX - 80, y: object.minY, width: object.width + 160, height: object.height)
            if frame % 5 == 0 { tracker.update([Detection(box: wide, score: 0.9)], seenAt: moment) }
            if frame >= 15 { worst = min(worst, tracker.tracks.map { $0.box.iou(wide) }.max() ?? 0) }
        }
        #expect(worst > 0.75)
        #expect(tracker.tracks.map(\.id) == [1])
    }

    /// Image motion moves the box of an occluded object along with the object in front of it. With a detection every
    /// 0.3 s, both objects keep their ids.
    @Test(arguments: [60.0, 90]) func passingObjectsKeepIDsBetweenDetections(_ speed: Double) {
        let scene = SyntheticScene(objects: [
            .init(width: 70, height: 180, place: { (640 - speed * ($0 - 3), 250) }, seed: 34),
            .init(width: 70, height: 180, place: { (640 + speed * ($0 - 3), 270) }, seed: 21),
        ])
        let tracker = Tracker()
        var ids: [[Int?]] = []
        for frame in 0..<60 {
            let time = Double(frame) / 10
            let moment = Nanoseconds(time * 1e9)
            tracker.advance(
                to: moment, width: SyntheticScene.width, height: SyntheticScene.height, luma: scene.plane(at: time))
            let boxes = scene.boxes(at: time)
            // The occluded object is not detected while more than half of it is covered.
            let isHidden = boxes[0].intersection(boxes[1]).area > 0.5 * boxes[0].area
            if frame % 3 == 0 {
                tracker.update(
                    boxes.dropFirst(isHidden ? 1 : 0).map { Detection(box: $0, score: 0.9) }, seenAt: moment)
            }
            let tracks = tracker.tracks
            guard frame % 3 == 0, frame == 6 || frame == 57 else { continue }
            ids.append(boxes.map { box in tracks.first { $0.box.iou(box) > 0.5 }?.id })
        }
        #expect(ids.count == 2 && ids[0] == ids[1] && !ids[0].contains(nil))
    }

    /// The object passes behind an undetected pillar. The stationary image of the pillar then fills the box, also in frames without
    /// inference.
    @Test func missedObjectIsPredictedAlongItsPath() throws {
        let rate = 10.0
        let scene = SyntheticScene(objects: [
            .init(width: 80, height: 200, place: { (300 + 200 * $0, 300) }, seed: 3),
            .init(width: 150, height: 500, place: { _ in (640, 100) }, seed: 77, light: -30),
        ])
        let tracker = Tracker()
        var (worst, misses) = (1.0, 0)
        for frame in 0..<Int(2.8 * rate) {
            let time = Double(frame) / rate
            let moment = Nanoseconds(time * 1e9)
            tracker.advance(
                to: moment, width: SyntheticScene.width, height: SyntheticScene.height, luma: scene.plane(at: time))
            let walker = scene.boxes(at: time)[0]
            let isSeen = walker.maxX < 640 + 40 || walker.minX > 790 - 40
            if frame % Int(rate / 5) == 0 {
                tracker.update(isSeen ? [Detection(box: walker, score: 0.8)] : [], seenAt: moment)
            }
            // The object is not reported during the occlusion, because its box shows something else.
            _ = tracker.snapshot()
            let track = try #require(tracker.state.tracklets.first)
            misses = max(misses, track.misses)
            if frame > Int(rate) { worst = min(worst, track.shownBox(at: moment).iou(walker)) }
        }
        #expect(misses >= 3)
        #expect(worst > 0.5)
        #expect(tracker.tracks.map(\.id) == [1])
    }

    @Test func pointFlowHasSubpixelAccuracy() throws {
        var scene = SyntheticScene()
        scene.camera = { (-10 * $0, 6 * $0) }
        let flow = PointFlow(from: ImagePyramid(scene.plane(at: 0)), to: ImagePyramid(scene.plane(at: 1)))
        let found = try #require(flow.checkedDisplacement(of: SIMD2(100, 80), guess: .zero, levels: 3))
        #expect(abs(found.x - 2.5) < 0.2 && abs(found.y + 1.5) < 0.2)
    }

    @Test func uniformPictureHasNoMotion() {
        let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64 * 48)
        pixels.initialize(repeating: 100)
        let pyramid = ImagePyramid(
            LumaPlane(adopting: pixels, width: 64, height: 48, scaleX: 4, scaleY: 4, time: 0))
        let flow = PointFlow(from: pyramid, to: pyramid)
        #expect(flow.displacement(of: SIMD2(30, 20), guess: .zero, levels: 3) == nil)
    }
}
