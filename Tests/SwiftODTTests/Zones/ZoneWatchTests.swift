import ODTTestSupport
import Testing

@testable import SwiftODT

/// Moves objects through a picture of 1000 x 500 pixels and compares events and counts with known values.
@Suite struct ZoneWatchTests {
    private static let room = Zone(
        "room", .area, [Zone.Point(0.4, 0.2), Zone.Point(0.8, 0.2), Zone.Point(0.8, 0.8), Zone.Point(0.4, 0.8)])
    /// The line runs from top to bottom, so an object that moves left crosses it from its left to its right side: in.
    private static let line = Zone("line", .line, [Zone.Point(0.5, 0), Zone.Point(0.5, 1)])

    /// Feeds a zone watch with tracks, frame by frame, and collects its events.
    private struct Walk {
        var watch: ZoneWatch
        var events: [ZoneEvent] = []
        var now: Nanoseconds = 0

        init(_ zones: Zone..., orientation: Orientation = .identity) {
            watch = ZoneWatch(zones)
            watch.setPicture(at: ZoneWatch.Picture(width: 1000, height: 500, orientation: orientation))
        }

        /// Advances one frame (40 ms). Each place is the lower edge's centre of a box of 40 x 100 pixels.
        mutating func see(
            _ places: [(id: Int, x: Double, y: Double)], label: String? = "person", state: Track.State = .tracked
        ) {
            let tracks = places.map { id, x, y in
                Track(
                    id: id, box: Box(x: x - 20, y: y - 100, width: 40, height: 100), score: 0.9,
                    label: label.map { Label(index: 0, text: $0) }, state: state)
            }
            watch.follow(tracks, at: now)
            events += watch.takeEvents()
            now += 40_000_000
        }

        mutating func see(
            _ id: Int, _ x: Double, _ y: Double, label: String? = "person", state: Track.State = .tracked
        ) {
            see([(id, x, y)], label: label, state: state)
        }

        /// Moves one object between two places, 10 pixels per frame.
        mutating func go(_ id: Int, from: (Double, Double), to: (Double, Double), label: String? = "person") {
            let steps = max(1, Int(max(abs(to.0 - from.0), abs(to.1 - from.1)) / 10))
            for step in 0...steps {
                let part = Double(step) / Double(steps)
                see(id, from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1), label: label)
            }
        }

        mutating func seeNothing(seconds: Double) {
            for _ in 0..<Int(seconds * 25) { see([]) }
        }

        var story: [String] {
            events.map { "\($0.kind.rawValue)\($0.direction.map { " " + $0.rawValue } ?? "") \($0.id ?? 0)" }
        }
        var figures: ZoneCount.Counts { watch.counts[0].all }
    }

    @Test func enterAndLeaveAreReported() {
        var walk = Walk(Self.room)
        walk.go(1, from: (100, 300), to: (600, 300))
        #expect(walk.figures.count == 1 && walk.figures.entered == 1)
        walk.go(1, from: (600, 300), to: (950, 300))
        #expect(walk.story == ["enter 1", "leave 1"])
        #expect(walk.figures == ZoneCount.Counts(count: 0, entered: 1, left: 1))
        // The path from x = 400 to x = 800 at 10 pixels per 40 ms takes 1.6 s.
        #expect(abs((walk.events.last?.dwell ?? 0) - 1_600_000_000) < 200_000_000)
    }

    @Test func enteringAtCornerIsReported() {
        var walk = Walk(Self.room)
        walk.go(1, from: (350, 50), to: (500, 200))
        walk.go(1, from: (500, 200), to: (600, 300))
        #expect(walk.story == ["enter 1"])
        // An object that passes the corner at less than its box's width does not enter.
        var other = Walk(Self.room)
        other.go(1, from: (300, 115), to: (415, 0))
        #expect(other.story == [])
    }

    /// A box jitters by a few pixels for a minute: on the edge of an area, and on a line.
    @Test func jitterAtBorderCountsOnce() {
        var random = SeededGenerator(seed: testSeed())
        var walk = Walk(Self.room)
        for _ in 0..<1500 { walk.see(1, 400 + .random(in: -4...4, using: &random), 300) }
        #expect(walk.figures.entered <= 1 && walk.figures.left == 0)
        var crossing = Walk(Self.line)
        crossing.go(1, from: (300, 300), to: (490, 300))
        for _ in 0..<1500 { crossing.see(1, 500 + .random(in: -4...4, using: &random), 300) }
        crossing.go(1, from: (510, 300), to: (700, 300))
        #expect(crossing.story == ["cross out 1"])
    }

    @Test func crossingsCountInBothDirections() {
        var walk = Walk(Self.line)
        walk.go(1, from: (300, 300), to: (700, 300))
        walk.go(1, from: (700, 300), to: (300, 300))
        #expect(walk.story == ["cross out 1", "cross in 1"])
        #expect(walk.figures == ZoneCount.Counts(in: 1, out: 1))
    }

    /// An object that turns back before the line, or goes around its end, does not cross it.
    @Test func approachingLineIsNoCrossing() {
        let short = Zone("short", .line, [Zone.Point(0.5, 0.5), Zone.Point(0.5, 1)])
        var walk = Walk(short)
        walk.go(1, from: (300, 400), to: (490, 400))
        walk.go(1, from: (490, 400), to: (300, 400))
        walk.go(2, from: (300, 400), to: (450, 200))
        walk.go(2, from: (450, 200), to: (550, 200))
        walk.go(2, from: (550, 200), to: (700, 400))
        #expect(walk.story == [])
    }

    /// A line with a corner is crossed once, even exactly at the corner.
    @Test func polylineCrossingIsCounted() {
        let bent = Zone("bent", .line, [Zone.Point(0.4, 0), Zone.Point(0.5, 0.6), Zone.Point(0.4, 1)])
        var walk = Walk(bent)
        walk.go(1, from: (300, 300), to: (700, 300))
        #expect(walk.story == ["cross out 1"])
    }

    /// The object is occluded while it crosses the line.
    @Test func occludedCrossingIsCounted() {
        var walk = Walk(Self.line)
        walk.go(1, from: (300, 300), to: (450, 300))
        for step in 0..<10 { walk.see(1, 450 + Double(step) * 10, 300, state: .coasting) }
        #expect(walk.story == [])
        walk.go(1, from: (560, 300), to: (700, 300))
        #expect(walk.story == ["cross out 1"])
    }

    /// A track that re-enters with a new id counts as the same object, in an area and across a line.
    @Test func reidentifiedObjectCountsOnce() {
        var walk = Walk(Self.room)
        walk.go(1, from: (100, 300), to: (600, 300))
        walk.seeNothing(seconds: 0.4)
        walk.go(2, from: (620, 300), to: (950, 300))
        #expect(walk.story == ["enter 1", "leave 2"])
        #expect(walk.figures == ZoneCount.Counts(count: 0, entered: 1, left: 1))
        var crossing = Walk(Self.line)
        crossing.go(1, from: (300, 300), to: (480, 300))
        crossing.seeNothing(seconds: 0.4)
        crossing.go(2, from: (520, 300), to: (700, 300))
        #expect(crossing.story == ["cross out 2"])
    }

    /// The new track at another place has got its own state before it is recognised.
    @Test(arguments: [(room, ["enter 1", "enter 2", "leave 2", "leave 1"]), (line, ["cross out 2"])])
    func renamedTrackKeepsItsState(_ zone: Zone, _ story: [String]) {
        var walk = Walk(zone)
        walk.go(1, from: (300, 300), to: (480, 300))
        walk.seeNothing(seconds: 1)
        walk.go(2, from: (410, 150), to: (600, 150))
        walk.watch.rename(2, to: 1)
        walk.go(1, from: (610, 150), to: (900, 150))
        #expect(walk.story == story)
        #expect(walk.figures.count == 0 && walk.figures.out <= 1)
    }

    @Test func leaveHasLabelOfEntry() {
        var walk = Walk(Self.room)
        walk.go(1, from: (100, 300), to: (600, 300), label: nil)
        walk.go(1, from: (600, 300), to: (610, 300), label: "cup")
        walk.go(1, from: (610, 300), to: (950, 300), label: "mug")
        #expect(walk.events.map { $0.label?.text } == [nil, "cup"])
        #expect(walk.watch.counts[0].byLabel["cup"] == ZoneCount.Counts(entered: 1, left: 1))
    }

    /// A track that appears much later, elsewhere or with another label is a different object.
    @Test func differentObjectsAreNotReidentified() {
        var walk = Walk(Self.room)
        walk.go(1, from: (100, 300), to: (600, 300))
        walk.seeNothing(seconds: 3)
        #expect(walk.story == ["enter 1", "leave 1"])
        walk.go(2, from: (600, 300), to: (620, 300))
        walk.go(3, from: (620, 300), to: (640, 300), label: "dog")
        #expect(walk.story == ["enter 1", "leave 1", "enter 2", "enter 3"])
        #expect(walk.watch.counts[0].byLabel["dog"]?.count == 1)
        // At a distance of more than the square root of the box's area, 63 pixels.
        var other = Walk(Self.room)
        other.go(1, from: (100, 300), to: (600, 300))
        other.seeNothing(seconds: 0.4)
        other.go(2, from: (700, 300), to: (720, 300))
        #expect(other.story == ["enter 1", "enter 2"])
    }

    /// Within 8 pixels of the edge, an object changes sides after 1 s (25 frames), with the time of the first frame
    /// there.
    @Test(arguments: [(room, 394.0, 405.0, "enter 1"), (line, 494, 505, "cross out 1")])
    func objectNearAnEdgeChangesSidesAfterOneSecond(_ zone: Zone, _ from: Double, _ to: Double, _ story: String) {
        var walk = Walk(zone)
        walk.see(1, from, 300)
        let time = walk.now
        for _ in 0..<25 { walk.see(1, to, 300) }
        #expect(walk.story == [])
        walk.see(1, to, 300)
        #expect(walk.story == [story])
        #expect(walk.events.first?.time == time)
        // The time begins again when the object returns.
        var other = Walk(zone)
        for _ in 0..<4 {
            other.see(1, from, 300)
            for _ in 0..<20 { other.see(1, to, 300) }
        }
        #expect(other.story == [])
    }

    /// An object stands on an edge and moves by half a pixel to either side, for 1.5 s each. After the first change, it
    /// needs 2 s, and clear of the edge, 1 s again.
    @Test(
        arguments: [
            (room, 400.0, ["enter 1", "leave 1", "enter 1"]),
            (line, 500, ["cross out 1", "cross in 1", "cross out 1"]),
        ] as [(Zone, Double, [String])])
    func eachChangeOfSidesCloseToTheEdgeTakesLonger(_ zone: Zone, _ edge: Double, _ story: [String]) {
        var walk = Walk(zone)
        for frame in 0..<500 { walk.see(1, frame / 38 % 2 == 0 ? edge - 0.5 : edge + 0.5, 300) }
        #expect(walk.story == Array(story.prefix(1)))
        walk.see(1, edge - 100, 300)
        #expect(walk.story == Array(story.prefix(2)))
        for frame in 0..<500 { walk.see(1, frame / 38 % 2 == 0 ? edge - 0.5 : edge + 0.5, 300) }
        #expect(walk.story == story)
    }

    /// The areas have a common edge at x = 400. The object is always close to it.
    @Test func objectOnCommonEdgeIsInOneArea() {
        let other = Zone(
            "other", .area, [Zone.Point(0, 0.2), Zone.Point(0.4, 0.2), Zone.Point(0.4, 0.8), Zone.Point(0, 0.8)])
        var walk = Walk(Self.room, other)
        for x in [396.0, 404, 396] { for _ in 0..<50 { walk.see(1, x, 300) } }
        #expect(walk.events.map { "\($0.kind.rawValue) \($0.zone)" } == ["enter other", "enter room", "leave other"])
        #expect(walk.watch.counts.map(\.all.count) == [1, 0])
    }

    /// The line is at x = 500 before the change and at x = 1000 after it.
    @Test func changedPictureSizeIsNoCrossing() {
        var walk = Walk(Self.line)
        walk.go(1, from: (400, 300), to: (450, 300))
        walk.watch.setPicture(at: ZoneWatch.Picture(width: 2000, height: 1000, orientation: .identity))
        walk.go(1, from: (1100, 600), to: (1150, 600))
        #expect(walk.story == [])
        walk.go(1, from: (1150, 600), to: (900, 600))
        #expect(walk.story == ["cross in 1"])
    }

    /// The label of an object becomes known after the object has entered the area.
    @Test func entryIsCountedForLabelThatIsDecidedDuringStay() {
        var walk = Walk(Self.room)
        walk.go(1, from: (100, 300), to: (600, 300), label: nil)
        #expect(walk.watch.counts[0].byLabel == ["": ZoneCount.Counts(count: 1, entered: 1)])
        walk.see(1, 600, 300)
        #expect(walk.figures == ZoneCount.Counts(count: 1, entered: 1))
        #expect(
            walk.watch.counts[0].byLabel == ["": ZoneCount.Counts(), "person": ZoneCount.Counts(count: 1, entered: 1)])
        walk.go(1, from: (600, 300), to: (950, 300))
        #expect(walk.watch.counts[0].byLabel["person"] == ZoneCount.Counts(entered: 1, left: 1))
    }

    /// Two neighbours. The second one is found later, and stands first in the frame's list.
    @Test func aNewTrackDoesNotTakeTheIdentityOfAVisibleNeighbour() {
        var walk = Walk(Self.room)
        for _ in 0..<5 { walk.see([(2, 600, 300)]) }
        for _ in 0..<5 { walk.see([(1, 630, 300), (2, 600, 300)]) }
        #expect(walk.story == ["enter 2", "enter 1"])
        #expect(walk.figures == ZoneCount.Counts(count: 2, entered: 2))
        walk.seeNothing(seconds: 3)
        #expect(walk.events.suffix(2).map(\.id) == [1, 2])
        // Seen for 10 frames and for 5: each has its own time.
        #expect(walk.events.suffix(2).map(\.dwell) == [160_000_000, 360_000_000])
    }

    /// The crossing counts once the label is decided, with the time at which it happened, even if that is far from the line by then.
    @Test func aLineWithLabelsCountsACrossingWithAnUndecidedLabel() {
        var line = Zone("line", .line, [Zone.Point(0.5, 0.5), Zone.Point(0.5, 0.7)])
        line.labels = ["person"]
        var walk = Walk(line)
        walk.go(1, from: (440, 300), to: (490, 300))
        let before = walk.now
        walk.go(1, from: (500, 300), to: (560, 300), label: nil)
        let after = walk.now
        walk.go(1, from: (560, 300), to: (560, 490), label: nil)
        #expect(walk.story == [])
        walk.go(1, from: (560, 490), to: (570, 490))
        #expect(walk.story == ["cross out 1"])
        #expect(walk.events.first.map { (before...after).contains($0.time) } == true)
        #expect(walk.watch.counts[0].byLabel["person"]?.out == 1)
    }

    /// A person who is relabelled later has not crossed for this line.
    @Test func aLineWithLabelsDropsAnUndecidedCrossingOfAnotherLabel() {
        var line = Self.line
        line.labels = ["person"]
        var walk = Walk(line)
        walk.go(1, from: (300, 300), to: (700, 300), label: nil)
        walk.go(1, from: (700, 300), to: (720, 300), label: "dog")
        walk.go(1, from: (720, 300), to: (740, 300))
        #expect(walk.story == [])
    }

    /// A stationary object reports exactly one dwell event, when `minTime` has passed.
    @Test func dwellIsReportedAfterMinTime() {
        var room = Self.room
        room.minTime = 5_000_000_000
        var walk = Walk(room)
        for _ in 0..<1000 { walk.see(1, 600, 300) }
        #expect(walk.story == ["enter 1", "dwell 1"])
        #expect(walk.events.last?.dwell.map { (5_000_000_000...5_100_000_000).contains($0) } == true)
    }

    @Test func dwellIsReportedInEachStay() {
        var room = Self.room
        room.minTime = 1_000_000_000
        var walk = Walk(room)
        for x in [600.0, 100, 600] { for _ in 0..<30 { walk.see(1, x, 300) } }
        #expect(walk.story == ["enter 1", "dwell 1", "leave 1", "enter 1", "dwell 1"])
    }

    @Test func leaveNearAnEdgeHasTimeOfFirstFrameOutside() {
        var walk = Walk(Self.room)
        walk.see(1, 500, 300)
        let time = walk.now
        for _ in 0..<26 { walk.see(1, 395, 300) }
        #expect(walk.story == ["enter 1", "leave 1"] && walk.events.last?.time == time)
    }

    @Test func coastingObjectKeepsItsZone() {
        var walk = Walk(Self.room)
        walk.see(1, 600, 300)
        for _ in 0..<75 { walk.see(1, 600, 300, state: .coasting) }
        #expect(walk.story == ["enter 1"])
    }

    @Test func untrackedObjectsOfOtherLabelsAreNotCounted() {
        var room = Self.room
        room.labels = ["dog"]
        var watch = Walk(room).watch
        let box = Box(x: 580, y: 200, width: 40, height: 100)
        watch.count(["dog", "cat"].map { Track(box: box, score: 1, label: Label(index: 0, text: $0)) })
        #expect(watch.counts[0].all.count == 1)
    }

    @Test func labelsLimitZone() {
        var room = Self.room
        room.labels = ["dog"]
        var walk = Walk(room)
        walk.go(1, from: (100, 300), to: (600, 300))
        walk.go(2, from: (100, 350), to: (600, 350), label: "Dog")
        #expect(walk.story == ["enter 2"])
    }

    /// An object with a box that reaches the picture's lower border is inside a zone that ends there, and leaves it when its
    /// track ends.
    /// The label of an object becomes known 1 s after the object has entered the area.
    @Test(arguments: [("person", ["enter 1", "dwell 1"]), ("car", [])]) func anAreaWithLabelsKeepsTheEntryTime(
        _ label: String, _ story: [String]
    ) {
        var room = Self.room
        (room.labels, room.minTime) = (["person"], 1_500_000_000)
        var walk = Walk(room)
        walk.see(1, 100, 300, label: nil)
        let entry = walk.now
        for _ in 0..<25 { walk.see(1, 600, 300, label: nil) }
        #expect(walk.story == [] && walk.figures.count == 0)
        for _ in 0..<15 { walk.see(1, 600, 300, label: label) }
        #expect(walk.story == story)
        #expect(walk.events.allSatisfy { $0.kind != .enter || $0.time == entry })
        // An object that leaves the area without a label and returns enters when it returns.
        var other = Walk(room)
        for x in [600.0, 100] { other.see(1, x, 300, label: nil) }
        other.seeNothing(seconds: 1)
        let back = other.now
        other.see(1, 600, 300, label: "person")
        #expect(other.events.map(\.time) == [back])
    }

    @Test func zonesOnPictureBorderCount() {
        let floor = Zone("floor", .area, [Zone.Point(0, 0.5), Zone.Point(1, 0.5), Zone.Point(1, 1), Zone.Point(0, 1)])
        var walk = Walk(floor)
        for _ in 0..<30 { walk.see(1, 500, 560) }
        #expect(walk.story == ["enter 1"])
        walk.seeNothing(seconds: 2.5)
        #expect(walk.story == ["enter 1", "leave 1"])
        let lastSeen: Nanoseconds = 29 * 40_000_000
        #expect(walk.events.last?.time == lastSeen)
    }

    /// Zones refer to the upright picture; the test moves an object in buffers of each orientation.
    @Test(arguments: Orientation.allCases) func zonesFollowOrientation(_ orientation: Orientation) {
        let upper = Zone(
            "upper", .area, [Zone.Point(0, 0), Zone.Point(1, 0), Zone.Point(1, 0.5), Zone.Point(0, 0.5)],
            anchor: .centre)
        var watch = ZoneWatch([upper])
        let picture = ZoneWatch.Picture(width: 1000, height: 500, orientation: orientation)
        watch.setPicture(at: picture)
        let size = orientation.swapsAxes ? (500.0, 1000.0) : (1000.0, 500.0)
        for (x, y, isInside) in [(0.3, 0.2, true), (0.7, 0.8, false)] {
            let box = orientation.buffer(
                Box(centerX: x * size.0, centerY: y * size.1, width: 20, height: 20), bufferWidth: 1000,
                bufferHeight: 500)
            watch.count([Track(box: box, score: 1)])
            #expect(watch.counts[0].all.count == (isInside ? 1 : 0))
        }
    }

    @Test func ignoreZoneDropsDetections() {
        let scene = Scene()
        scene.zones = [
            Zone(
                "tree", .ignore, [Zone.Point(0, 0), Zone.Point(0.5, 0), Zone.Point(0.5, 1), Zone.Point(0, 1)],
                labels: ["bird"])
        ]
        scene.options.multipleObjects = true
        scene.options.tracking = false
        scene.advance(to: 0, width: 1000, height: 500, luma: nil)
        scene.observe(
            ["bird", "person"].map {
                Detection(box: Box(x: 100, y: 100, width: 50, height: 50), score: 0.9, label: Label(index: 0, text: $0))
            }, seenAt: 0)
        #expect(try! scene.objects(in: nil).map(\.track.label?.text) == ["person"])
        #expect(scene.zoneCounts.isEmpty)
    }

    /// No input crashes, and every counted exit has a counted entry.
    @Test func invalidInputIsSurvived() {
        var random = SeededGenerator(seed: testSeed())
        let odd: [Double] = [.nan, .infinity, -.infinity, 0, -1e300, 1e300, 500]
        for _ in 0..<200 {
            let points = (0..<Int.random(in: 3...8, using: &random)).map { _ in
                Zone.Point(.random(in: 0...1, using: &random), .random(in: 0...1, using: &random))
            }
            var watch = ZoneWatch([Zone("area", .area, points), Zone("line", .line, points)])
            var now: Nanoseconds = 0
            for _ in 0..<50 {
                watch.setPicture(
                    at: ZoneWatch.Picture(
                        width: .random(in: 0...3000, using: &random), height: .random(in: 0...3000, using: &random),
                        orientation: Orientation.allCases.randomElement(using: &random)!))
                let tracks = (0..<5).map { id in
                    Track(
                        id: id,
                        box: Box(
                            x: odd.randomElement(using: &random)!, y: .random(in: -100...3000, using: &random),
                            width: odd.randomElement(using: &random)!, height: .random(in: -10...500, using: &random)),
                        score: 1)
                }
                watch.follow(tracks, at: now)
                now += .random(in: 0...3_000_000_000, using: &random)
                for count in watch.counts {
                    #expect(count.all.count >= 0 && count.all.entered == count.all.left + count.all.count)
                }
            }
            watch.reset()
            #expect(watch.counts.allSatisfy { $0.all.count == 0 })
        }
    }
}
