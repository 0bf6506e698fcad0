import Testing

@testable import SwiftODT

/// Tests region inference in the tracker: objects outside the region are not missed, and cut boxes are not trusted.
@Suite struct RegionInferenceTests {
    private static let left = Box(x: 0, y: 0, width: 320, height: 480)

    private func detection(x: Double, width: Double = 40, label: String? = nil, score: Double = 0.9) -> Detection {
        Detection(
            box: Box(x: x, y: 50, width: width, height: 80), score: score, label: label.map(Self.label))
    }

    private static func label(_ text: String) -> Label { Label(index: Int(text.utf8.first ?? 0), text: text) }

    private func step(
        _ tracker: Tracker, frame: Int, region: Box? = nil, _ detections: [Detection]
    ) -> [Track] {
        let time = Nanoseconds(frame) * 40_000_000
        tracker.advance(to: time, width: 640, height: 480, luma: nil)
        tracker.update(detections, seenAt: time, region: region.map { InferredRegion($0, width: 640, height: 480) })
        return tracker.tracks
    }

    @Test func objectsOutsideRegionAreNotMissed() {
        let tracker = Tracker()
        for frame in 0..<10 { _ = step(tracker, frame: frame, [detection(x: 100), detection(x: 500)]) }
        for frame in 10..<60 {
            let tracks = step(tracker, frame: frame, region: Self.left, [detection(x: 100)])
            #expect(tracks.map(\.state) == [.tracked, .tracked])
        }
        let looked = step(tracker, frame: 60, [detection(x: 100)])
        #expect(looked.map(\.state) == [.tracked, .coasting])
    }

    /// For example in a recording of one region only.
    @Test func tracksOutsideRegionsExpire() {
        let tracker = Tracker()
        for frame in 0..<10 { _ = step(tracker, frame: frame, [detection(x: 500)]) }
        for frame in 10..<150 { _ = step(tracker, frame: frame, region: Self.left, []) }
        #expect(tracker.tracks.isEmpty)
    }

    /// In a static scene, inferences are seconds apart and each covers another region.
    @Test(arguments: [nil, Box(x: 320, y: 0, width: 320, height: 240)])
    func stationaryTrackIsKeptOutsideRegion(_ found: Box?) {
        let tracker = Tracker()
        for frame in 0..<10 { _ = step(tracker, frame: frame, region: found, [detection(x: 500)]) }
        let id = tracker.tracks[0].id
        for look in 1...5 {
            for frame in look * 100 - 90..<look * 100 {
                tracker.advance(to: Nanoseconds(frame) * 40_000_000, width: 640, height: 480, luma: nil)
            }
            // The full frame's magnification is too low to detect the object.
            let region = look % 2 == 1 || found == nil ? Self.left : nil
            #expect(step(tracker, frame: look * 100, region: region, []).map(\.state) == [.tracked])
        }
        #expect(step(tracker, frame: 501, region: found, [detection(x: 500)]).map(\.id) == [id])
    }

    /// A false track from a region is missed in the full frame, which would show an object of its size.
    @Test func largeObjectIsMissedInFullFrame() {
        let tracker = Tracker()
        let near = Box(x: 320, y: 0, width: 320, height: 240)
        let large = Detection(box: Box(x: 330, y: 20, width: 290, height: 200), score: 0.9)
        for frame in 0..<10 { _ = step(tracker, frame: frame, region: near, [large]) }
        #expect(step(tracker, frame: 10, region: Self.left, []).map(\.state) == [.tracked])
        #expect(step(tracker, frame: 11, []).map(\.state) == [.coasting])
    }

    /// A half-visible object at the region's inner edge neither starts a track nor changes the known track's width.
    @Test func fragmentDoesNotStartOrChangeTrack() {
        let tracker = Tracker()
        for frame in 0..<10 { _ = step(tracker, frame: frame, [detection(x: 290, width: 60)]) }
        for frame in 10..<20 {
            let tracks = step(
                tracker, frame: frame, region: Self.left,
                [detection(x: 290, width: 30), Detection(box: Box(x: 280, y: 300, width: 40, height: 80), score: 0.9)])
            #expect(tracks.count == 1 && tracks[0].state == .tracked)
            #expect(abs(tracks[0].box.width - 60) < 3)
        }
    }

    @Test func detailOfCutObjectStartsNoTrack() {
        let tracker = Tracker()
        let giant = Detection(box: Box(x: 100, y: 20, width: 400, height: 440), score: 0.9)
        for frame in 0..<10 { _ = step(tracker, frame: frame, [giant]) }
        for frame in 10..<20 {
            #expect(step(tracker, frame: frame, region: Self.left, [detection(x: 150)]).count == 1)
        }
    }

    /// A large bus and a person in front of it, the bus with another label, or a second bus within it.
    @Test(arguments: [
        ("person", Box(x: 150, y: 200, width: 30, height: 60), 0.9, 2),
        ("truck", Box(x: 110, y: 30, width: 190, height: 400), 0.9, 1),
        ("bus", Box(x: 150, y: 200, width: 30, height: 60), 0.7, 1),
        ("bus", Box(x: 150, y: 200, width: 30, height: 60), 0.9, 2),
    ])
    func objectInFrontOfLargeOneIsNoFragment(label: String, box: Box, score: Double, count: Int) {
        let tracker = Tracker()
        let bus = Detection(box: Box(x: 100, y: 20, width: 400, height: 440), score: 0.4, label: Self.label("bus"))
        let other = Detection(box: box, score: score, label: Self.label(label))
        for frame in 0..<10 { _ = step(tracker, frame: frame, [bus]) }
        for frame in 10..<20 { _ = step(tracker, frame: frame, region: Self.left, [other]) }
        #expect(step(tracker, frame: 20, [bus]).count == count)
    }

    /// A small object is not missed in the full frame, because its magnification is too low, but its track expires
    /// eventually.
    @Test func smallObjectIsNotMissedInFullFrame() {
        let tracker = Tracker()
        let region = Box(x: 0, y: 0, width: 320, height: 240)
        for frame in 0..<40 {
            let tracks =
                frame % 2 == 0
                ? step(tracker, frame: frame, frame == 0 ? [detection(x: 500)] : [])
                : step(tracker, frame: frame, region: region, [detection(x: 100)])
            let small = tracks.first { $0.box.x < 300 && $0.state != .lost }
            #expect(frame < 3 || small?.state == (frame == 3 ? .new : .tracked))
        }
        let later = (40..<140).map { step(tracker, frame: $0, []).filter { $0.box.x < 300 } }
        #expect(later[20].allSatisfy { $0.state == .tracked } && later[99].isEmpty)
        // In a region that would show the object, it is missed at once.
        for frame in 140..<150 { _ = step(tracker, frame: frame, region: region, [detection(x: 100)]) }
        #expect(step(tracker, frame: 150, region: region, []).contains { $0.state == .coasting })
    }

    /// A label from a magnified region has a higher weight than one from the full frame.
    @Test func magnifiedDetectionsWeighMoreForLabel() {
        let tracker = Tracker()
        let region = Box(x: 0, y: 0, width: 160, height: 240)
        for frame in 0..<60 {
            _ =
                frame % 2 == 0
                ? step(tracker, frame: frame, [detection(x: 60, label: "bird", score: 0.6)])
                : step(tracker, frame: frame, region: region, [detection(x: 60, label: "kite", score: 0.6)])
        }
        #expect(tracker.tracks.first?.label?.text == "kite")
    }
}
