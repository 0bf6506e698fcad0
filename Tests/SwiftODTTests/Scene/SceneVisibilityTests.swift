import Testing

@testable import SwiftODT

/// Tests that objects outside the picture, and objects of an earlier scene, are not reported.
@Suite struct SceneVisibilityTests {
    /// Between inferences, the tracker extrapolates an object that leaves the picture beyond its edge.
    @Test func objectExtrapolatedOutsidePictureIsNotReported() throws {
        var options = SceneOptions()
        options.multipleObjects = true
        let scene = Scene(options: options)
        var widths: [Double] = []
        for frame in 0..<40 {
            let time = Nanoseconds(frame) * 40_000_000
            scene.advance(to: time, width: 640, height: 360, luma: nil)
            let box = Box(x: 300 + 16 * Double(frame), y: 100, width: 60, height: 120)
            if frame < 18 { scene.observe([Detection(box: box, score: 0.9)], seenAt: time) }
            for object in try scene.objects(in: nil) where object.track.state != .lost {
                widths.append(object.track.box.clipped(width: 640, height: 360).width)
            }
        }
        #expect(widths.count > 18)
        #expect(widths.allSatisfy { $0 >= 1 }, "\(widths)")
        #expect(scene.trackCount > 0)
    }

    /// An object at the same place after a cut is another one.
    @Test func zoneIsLeftAtCut() throws {
        let scene = Scene()
        let corners = [Zone.Point(0, 0), Zone.Point(1, 0), Zone.Point(1, 1), Zone.Point(0, 1)]
        scene.zones = [Zone("room", .area, corners)]
        let pictures = [SyntheticScene(seed: 1), SyntheticScene(seed: 408)]
        let detection = Detection(box: Box(x: 300, y: 200, width: 100, height: 200), score: 0.9)
        var events: [ZoneEvent] = []
        for frame in 0..<20 {
            let seconds = Double(frame) / 25, time = Nanoseconds(seconds * 1e9)
            scene.advance(to: time, width: 1280, height: 720, luma: pictures[frame < 10 ? 0 : 1].plane(at: seconds))
            scene.observe([detection], seenAt: time)
            _ = try scene.objects(in: nil)
            events += scene.takeZoneEvents()
        }
        #expect(events.map(\.kind) == [.enter, .leave, .enter])
        #expect(events.map(\.id) == [1, 1, 2])
    }

    @Test(arguments: [true, false]) func zoneIsLeftAtResetAndReplacement(_ isReset: Bool) throws {
        let scene = Scene()
        let corners = [Zone.Point(0, 0), Zone.Point(1, 0), Zone.Point(1, 1), Zone.Point(0, 1)]
        scene.zones = [Zone("room", .area, corners)]
        for frame in 0..<3 {
            let time = Nanoseconds(frame) * 40_000_000
            scene.advance(to: time, width: 1280, height: 720, luma: nil)
            scene.observe([Detection(box: Box(x: 300, y: 200, width: 100, height: 200), score: 0.9)], seenAt: time)
            _ = try scene.objects(in: nil)
        }
        if isReset { scene.reset(reason: .flush) } else { scene.zones = [] }
        #expect(scene.takeZoneEvents().map(\.kind) == [.enter, .leave])
    }

    /// An occluded object is not reported, but its track is kept until the maximum age.
    @Test func occludedObjectKeepsItsZoneUntilTheTrackEnds() throws {
        var options = SceneOptions()
        options.tracker.maxAge = 5_000_000_000
        let scene = Scene(options: options)
        let corners = [Zone.Point(0, 0), Zone.Point(1, 0), Zone.Point(1, 1), Zone.Point(0, 1)]
        scene.zones = [Zone("room", .area, corners)]
        let empty = SyntheticScene()
        let occupied = SyntheticScene(
            objects: [.init(width: 100, height: 200, place: { _ in (300, 200) }, seed: 7, light: 60)])
        var (events, absentFrames): ([ZoneEvent], Int) = ([], 0)
        for frame in 0..<125 {
            let seconds = Double(frame) / 25, time = Nanoseconds(seconds * 1e9)
            let isVisible = !(25..<100).contains(frame)
            let picture = isVisible ? occupied : empty
            scene.advance(to: time, width: 1280, height: 720, luma: picture.plane(at: seconds))
            scene.observe(
                isVisible ? picture.boxes(at: seconds).map { Detection(box: $0, score: 0.9) } : [], seenAt: time)
            if try scene.objects(in: nil).isEmpty { absentFrames += 1 }
            events += scene.takeZoneEvents()
        }
        #expect(absentFrames > 50)
        #expect(events.map(\.kind) == [.enter])
        #expect(scene.zoneCounts[0].all.entered == 1)
    }

    /// Without tracking, a result holds until the next one, but at most for the maximum age of 1 s.
    @Test func untrackedObjectEndsAfterMaximumAge() throws {
        var options = SceneOptions()
        options.tracking = false
        let scene = Scene(options: options)
        let box = Box(x: 300, y: 100, width: 60, height: 120)
        var counts: [Int] = []
        for number in 0..<4 {
            let time = Nanoseconds(number) * 500_000_000
            scene.advance(to: time, width: 640, height: 360, luma: nil)
            if number == 0 { scene.observe([Detection(box: box, score: 0.9)], seenAt: time) }
            counts.append(try scene.objects(in: nil).count)
        }
        #expect(counts == [1, 1, 1, 0])
    }
}
