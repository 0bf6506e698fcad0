import Testing

@testable import SwiftODT

/// Tests the public tracker and zone monitor with detections of another detector.
@Suite struct ObjectTrackerTests {
    private static let person = Detection.Label(index: 0, text: "person")

    /// An object that walks 4 pixels per frame to the right.
    private static func detections(in frame: Int) -> [Detection] {
        [Detection(box: Box(x: 10 + 4 * Double(frame), y: 20, width: 20, height: 40), score: 0.9, label: person)]
    }

    private static func time(of frame: Int) -> MediaTime { .zero + .milliseconds(40 * frame) }

    @Test func trackedObjectKeepsIDAndPostsEvents() throws {
        let tracker = ObjectTracker()
        for frame in 0..<20 {
            let objects = tracker.update(
                with: Self.detections(in: frame), at: Self.time(of: frame), width: 200, height: 100)
            let object = try #require(objects.first)
            #expect(objects.count == 1 && object.trackingID == 1 && object.name == "person" && object.isVisible)
        }
        let predicted = try #require(tracker.predict(at: Self.time(of: 20), width: 200, height: 100).first)
        #expect(predicted.velocityX > 50 && predicted.box.x > 85)
        tracker.reset()
        let events = tracker.takeEvents()
        #expect(events.map(\.kind) == [.begin, .end(.flush)] && events.allSatisfy { $0.trackingID == 1 })
        #expect(events[1].pathLength > 50 && events[1].bestScore == 0.9)
    }

    @Test func changeOfSizeEndsTracks() {
        let tracker = ObjectTracker()
        for (frame, width) in [(0, 200), (1, 200), (2, 400)] {
            _ = tracker.update(with: Self.detections(in: 0), at: Self.time(of: frame), width: width, height: 100)
        }
        #expect(tracker.takeEvents().map(\.kind) == [.begin, .end(.flush), .begin])
    }

    @Test func labelsOfZoneAreComparedInLowerCase() throws {
        var zone = Zone(name: "all", kind: .area, points: [.init(0, 0), .init(1, 0), .init(1, 1), .init(0, 1)])
        zone.labels = ["Person"]
        var monitor = try ZoneMonitor(zones: [zone])
        let objects = ObjectTracker().update(with: Self.detections(in: 0), at: .zero, width: 200, height: 100)
        #expect(monitor.update(with: objects, at: .zero, width: 200, height: 100).map(\.kind) == [.enter])
    }

    @Test func labelsWithoutIndexAreDistinguishedByName() {
        let tracker = ObjectTracker()
        var names: Set<String?> = []
        for frame in 0..<20 {
            let (x, y) = (10 + 4 * Double(frame), 20.0)
            let found = [
                Detection(
                    box: Box(x: x, y: y, width: 20, height: 40), score: 0.9, label: .init(index: -1, text: "person")),
                Detection(
                    box: Box(x: x, y: y + 10, width: 20, height: 36), score: 0.6,
                    label: .init(index: -1, text: "bicycle")),
            ]
            names = Set(tracker.update(with: found, at: Self.time(of: frame), width: 200, height: 100).map(\.name))
        }
        #expect(names == ["person", "bicycle"])
    }

    /// An object whose box is not finite is missed in this frame. It does not enter another zone.
    @Test func zoneMonitorIgnoresBoxesThatAreNotFinite() throws {
        let corner = Zone(name: "corner", kind: .area, points: [.init(0, 0), .init(0.2, 0), .init(0, 0.2)])
        var monitor = try ZoneMonitor(zones: [corner])
        let tracker = ObjectTracker()
        for frame in 0..<10 {
            var objects = tracker.update(
                with: Self.detections(in: 20), at: Self.time(of: frame), width: 200, height: 100)
            if frame == 5 { for index in objects.indices { objects[index].box.width = .nan } }
            #expect(monitor.update(with: objects, at: Self.time(of: frame), width: 200, height: 100).isEmpty)
        }
    }

    @Test func zoneMonitorIgnoresObjectsOutsideThePicture() throws {
        let all = Zone(name: "all", kind: .area, points: [.init(0, 0), .init(1, 0), .init(1, 1), .init(0, 1)])
        var monitor = try ZoneMonitor(zones: [all])
        func update(_ id: Int, _ x: Double) -> [ZoneEvent.Kind] {
            let object = TrackedObject(
                trackingID: id, box: Box(x: x, y: 40, width: 20, height: 20), score: 0.9, state: .tracked)
            return monitor.update(with: [object], at: .zero, width: 200, height: 100).map(\.kind)
        }
        #expect(update(1, -50).isEmpty && update(2, 200).isEmpty && update(3, 190) == [.enter])
    }

    /// A long time without `update` ends all tracks, unless such intervals are usual.
    @Test func longGapEndsTracks() throws {
        let tracker = ObjectTracker()
        func update(_ seconds: Int) -> [Int?] {
            tracker.update(with: Self.detections(in: 0), at: .zero + .seconds(seconds), width: 200, height: 100)
                .map(\.trackingID)
        }
        #expect(update(0) == [1] && update(1) == [1])
        #expect(tracker.predict(at: .zero + .seconds(2), width: 200, height: 100).map(\.trackingID) == [1])
        #expect(tracker.predict(at: .zero + .seconds(4), width: 200, height: 100).isEmpty)
        #expect(update(10) == [2] && update(19) == [2] && update(28) == [2])
        #expect(update(86_400) == [3])
    }

    @Test func trackerIgnoresInvalidOptionsAndBoxes() {
        let tracker = ObjectTracker(
            options: .init(maximumAge: .seconds(-1), minimumHits: -3, scoreThreshold: .nan, maximumTracks: 0))
        let boxes = [Double.nan, .infinity, -1e300].map {
            Detection(box: Box(x: $0, y: 0, width: $0, height: 1), score: $0)
        }
        for time in [Int64.min, 0, .max, 5] {
            _ = tracker.update(with: boxes, at: MediaTime(nanoseconds: time), width: 0, height: -1)
        }
        #expect(tracker.update(with: [], at: .zero, width: 1, height: 1).isEmpty)
    }

    @Test func updateWithFrameKeepsTrackingID() throws {
        let tracker = ObjectTracker()
        let frame = try Frame(format: .gray8, width: 200, height: 100, bytes: [UInt8](repeating: 90, count: 20_000))
        let objects = (0..<3).map {
            tracker.update(with: Self.detections(in: $0), in: frame.with(timestamp: Self.time(of: $0)))
        }
        #expect(objects.map { $0.map(\.trackingID) } == [[1], [1], [1]])
    }

    @Test func zoneMonitorCountsCrossings() throws {
        let line = Zone(
            name: "line", kind: .line, points: [Zone.Point(0.25, 1), Zone.Point(0.25, 0)], labels: ["person"])
        let ignored = Zone(
            name: "sky", kind: .ignore,
            points: [Zone.Point(0, 0), Zone.Point(1, 0), Zone.Point(1, 0.1), Zone.Point(0, 0.1)])
        var monitor = try ZoneMonitor(zones: [line, ignored])
        let tracker = ObjectTracker()
        var events: [ZoneEvent] = []
        for frame in 0..<20 {
            let time = Self.time(of: frame)
            let objects = tracker.update(with: Self.detections(in: frame), at: time, width: 200, height: 100)
            events += monitor.update(with: objects, at: time, width: 200, height: 100)
        }
        #expect(events.map(\.kind) == [.cross] && events.first?.trackingID == 1 && events.first?.name == "person")
        #expect(monitor.counts.map(\.name) == ["line"] && monitor.counts[0].all.in == 1)
        #expect(monitor.finish().isEmpty)
    }

    /// Several small steps back can add up to more than 1 s.
    @Test func stayInZoneIsNotNegativeAfterSmallStepsBack() throws {
        let area = Zone(name: "all", kind: .area, points: [.init(0, 0), .init(1, 0), .init(1, 1), .init(0, 1)])
        var monitor = try ZoneMonitor(zones: [area])
        let box = Box(x: 90, y: 40, width: 20, height: 20)
        let object = TrackedObject(trackingID: 1, box: box, score: 0.9, state: .tracked)
        var events: [ZoneEvent] = []
        for seconds in [10, 9.2, 8.4, 7.6, 7, 9.9] {
            events += monitor.update(with: [object], at: MediaTime(seconds: seconds), width: 200, height: 100)
        }
        events += monitor.finish()
        #expect(events.map(\.kind) == [.enter, .leave, .enter, .leave, .enter, .leave])
        #expect(events.allSatisfy { $0.stay.map { $0 >= .zero } ?? false })
    }

    @Test func stepBackInTimeEndsObjectsOfZones() throws {
        let area = Zone(
            name: "all", kind: .area, points: [Zone.Point(0, 0), Zone.Point(1, 0), Zone.Point(1, 1), Zone.Point(0, 1)])
        var monitor = try ZoneMonitor(zones: [area])
        func events(_ id: Int?, at seconds: Double) -> [ZoneEvent] {
            let box = Box(x: 90, y: 40, width: 20, height: 20)
            let objects = id.map { [TrackedObject(trackingID: $0, box: box, score: 0.9, state: .tracked)] } ?? []
            return monitor.update(with: objects, at: MediaTime(seconds: seconds), width: 200, height: 100)
        }
        #expect((90...100).flatMap { events(1, at: Double($0)) }.map(\.kind) == [.enter])
        #expect(events(nil, at: 10).map(\.trackingID) == [1] && monitor.counts[0].all.count == 0)
        #expect((60...62).flatMap { events(7, at: Double($0)) }.map(\.kind) == [.enter])
    }

    @Test func invalidZonesAreErrors() {
        let short = Zone(name: "a", kind: .area, points: [Zone.Point(0, 0), Zone.Point(1, 0)])
        #expect { try ZoneMonitor(zones: [short]) } throws: { ($0 as? ODTError)?.reason == .invalidOption }
        let outside = Zone(name: "a", kind: .line, points: [Zone.Point(0, 0), Zone.Point(2, .nan)])
        #expect(throws: ODTError.self) { try ZoneMonitor(zones: [outside]) }
        let line = Zone(name: "a", kind: .line, points: [Zone.Point(0, 0), Zone.Point(1, 0)], minimumTime: nil)
        #expect(throws: ODTError.self) { try ZoneMonitor(zones: [line, line]) }
    }

    @Test func zoneListRoundTripsThroughJSON() throws {
        let zone = Zone(
            name: "a \"b\"", kind: .area, points: [Zone.Point(0, 0), Zone.Point(1, 0), Zone.Point(0.5, 0.25)],
            labels: ["car", "bus"], anchor: .centre, minimumTime: .milliseconds(2500))
        #expect(try Zone.list(named: Zone.json([zone])) == [zone])
    }

    @Test func oldestEventsAreDropped() {
        let tracker = ObjectTracker()
        for frame in 0..<60 {
            let boxes = (0..<100).map { Box(x: 20 * Double($0), y: 0, width: 10, height: 10) }
            _ = tracker.update(
                with: boxes.map { Detection(box: $0, score: 0.9) }, at: Self.time(of: frame), width: 2000, height: 10)
            tracker.reset()
        }
        let events = tracker.takeEvents()
        #expect((5_000...10_000).contains(events.count) && events.last?.trackingID == 6_000)
    }

    @Test func largeStepBackBeginsScene() {
        let tracker = ObjectTracker()
        let ids = [10, 10.1, 8].map { seconds in
            tracker.update(
                with: Self.detections(in: 0), at: MediaTime(seconds: seconds), width: 200, height: 100
            ).map(\.trackingID)
        }
        #expect(ids == [[1], [1], [2]])
    }
}
