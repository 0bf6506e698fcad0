/// Counts the objects that enter areas and cross lines.
///
///     var monitor = try ZoneMonitor(zones: [door])
///     for event in monitor.update(with: tracker.update(with: detections, in: frame), at: frame.timestamp, width: 1920, height: 1080) {
///         print(event.kind, event.zone, event.trackingID ?? 0)
///     }
///     print(monitor.counts[0].all.in)
///
/// Objects that jitter on an edge are counted once, and an object that is lost and reappears nearby within 2 s keeps
/// its state.
public struct ZoneMonitor: Sendable {
    private var watch: ZoneWatch
    private var latest = Nanoseconds.min

    /// Creates a monitor with counts of zero.
    ///
    /// - Throws: ``ODTError`` if a zone has too few points, if a point is outside the picture, or if two zones have the
    ///   same name.
    public init(zones: [Zone]) throws(ODTError) {
        try Zone.check(zones)
        watch = ZoneWatch(zones)
    }

    /// Updates the counts with the objects of a frame. Returns the events since the last call, in order. A time that is
    /// more than 1 s earlier than the latest time begins a new scene, which ends all objects. A smaller step back is
    /// treated as the latest time.
    ///
    /// - Parameters:
    ///   - objects: the objects of an ``ObjectTracker``, or of another tracker with stable ids. Those outside the frame
    ///     are in no zone.
    ///   - time: the time of the frame.
    ///   - width: the width of the frame in pixels, before the orientation is applied.
    ///   - height: the height of the frame in pixels.
    ///   - orientation: the transformation that displays the frame upright; zones refer to the upright picture.
    public mutating func update(
        with objects: [TrackedObject], at time: MediaTime, width: Int, height: Int, orientation: Orientation = .identity
    ) -> [ZoneEvent] {
        var now = time.nanoseconds.clampedToRange
        if now < latest.since(1_000_000_000) { watch.reset() } else { now = max(now, latest) }
        latest = now
        watch.setPicture(at: .init(width: max(1, width), height: max(1, height), orientation: orientation))
        let tracks = objects.filter {
            let box = $0.box
            guard box.isFinite, box.maxX > 0, box.maxY > 0, box.minX < Double(width), box.minY < Double(height)
            else { return false }
            return !watch.ignores(Detection(box: box, score: $0.score, label: $0.label))
        }
        watch.follow(tracks.map(Track.init), at: now)
        return watch.takeEvents()
    }

    /// Ends all objects and returns the `leave` events of the objects that are in an area. The counts are kept.
    public mutating func finish() -> [ZoneEvent] {
        watch.reset()
        latest = .min
        return watch.takeEvents()
    }

    /// The counts of all areas and lines since the beginning, in the order of the zones, without ignored areas.
    public var counts: [ZoneCount] { watch.counts }
}

extension Track {
    init(_ object: TrackedObject) {
        self.init(
            id: object.trackingID, box: object.box, score: object.score, label: object.label, state: object.state)
    }
}

extension Zone {
    /// Creates a zone.
    ///
    /// - Parameters:
    ///   - name: the name of the zone in events and counts.
    ///   - kind: the purpose of the zone.
    ///   - points: two or more points of a line, three or more corners of an area.
    ///   - labels: the labels of the objects to which the zone applies. An empty set stands for all objects.
    ///   - anchor: the point of an object's box that determines its position. The default is the centre for ignored
    ///     areas and the middle of the lower edge for other zones.
    ///   - minimumTime: the time for which an object must stay in an area until ``ZoneEvent/Kind/dwell`` is emitted.
    ///     With `nil`, the event is not emitted.
    public init(
        name: String, kind: Kind, points: [Point], labels: Set<String> = [], anchor: Anchor? = nil,
        minimumTime: Duration? = nil
    ) {
        self.init(name, kind, points, labels: labels, anchor: anchor, minTime: minimumTime.map { Nanoseconds($0) })
    }

    /// Reads zones from a JSON file, for example one that `odt zones` wrote.
    ///
    /// - Throws: ``ODTError`` that names the zone and the problem.
    public static func zones(contentsOfFile path: String) throws(ODTError) -> [Zone] {
        try ODTError.wrapping { try list(parsing: FileBytes.read(path, limit: 4 << 20), file: path) }
    }

    /// The time for which an object must stay in an area until ``ZoneEvent/Kind/dwell`` is emitted. With `nil`, the
    /// event is not emitted.
    public var minimumTime: Duration? {
        get { minTime.map { .nanoseconds($0) } }
        set { minTime = newValue.map { Nanoseconds($0) } }
    }

    /// Returns the zones as JSON text, which ``list(named:)`` can parse.
    package static func json(_ zones: [Zone]) -> String {
        let entries = zones.map { zone in
            var members: [(String, JSONValue)] = [
                ("name", .string(zone.name)), ("kind", .string(zone.kind.rawValue)),
                ("points", .array(zone.points.map { .array([.number($0.x), .number($0.y)]) })),
                ("anchor", .string(zone.anchor.rawValue)),
            ]
            if !zone.labels.isEmpty { members.append(("labels", .array(zone.labels.sorted().map { .string($0) }))) }
            if let minTime = zone.minTime { members.append(("min-time", .number(Double(minTime) / 1e9))) }
            return JSONValue.object(Dictionary(uniqueKeysWithValues: members))
        }
        return JSONValue.array(entries).text
    }

    /// Checks zones with the same rules as zones in JSON text. The error names the invalid zone and the problem.
    package static func check(_ zones: [Zone]) throws(ODTError) {
        do {
            _ = try list(parsing: json(zones).utf8, file: "zones")
        } catch {
            throw ODTError(.invalidOption, "\(error)")
        }
    }
}

extension ZoneEvent {
    /// The object's tracking id.
    public var trackingID: Int? { id }
    /// The time of the event. The `leave` event of a missed object is reported later than this time.
    public var timestamp: MediaTime { MediaTime(nanoseconds: time) }
    /// The time for which the object has been in the area. `nil` for ``Kind/cross``.
    public var stay: Duration? { dwell.map { .nanoseconds($0) } }
    /// The text of the object's label.
    public var name: String? { label?.text }
}
