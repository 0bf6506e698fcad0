/// A zone of the picture: an area or a line that is watched, or an area in which detections are ignored.
///
///     let door = Zone(
///         name: "door", kind: .line, points: [Zone.Point(0.2, 0.9), Zone.Point(0.8, 0.9)], labels: ["person"])
///     let zones = try Zone.zones(contentsOfFile: "zones.json")
public struct Zone: Hashable, Sendable {
    /// The purpose of a zone.
    public enum Kind: String, CaseIterable, Sendable {
        /// Objects enter the zone, stay in it and leave it.
        case area = "zone"
        /// Objects cross the line.
        case line
        /// Detections in the zone are ignored.
        case ignore
    }

    /// The point of an object's box that determines the position of the object.
    public enum Anchor: String, CaseIterable, Sendable {
        /// The middle of the lower edge, where the object stands.
        case bottom
        /// The centre of the box.
        case centre
    }

    /// The direction of a crossing. It is defined for an observer who walks along the line from its first point to its
    /// last.
    public enum Direction: String, Sendable {
        /// The object crosses from the left to the right of the observer.
        case `in`
        /// The object crosses from the right to the left of the observer.
        case out
    }

    /// A point of the upright picture. (0, 0) is the upper left corner, (1, 1) the lower right corner.
    public struct Point: Hashable, Sendable {
        /// The distance from the left edge, as a fraction of the width.
        public var x: Double
        /// The distance from the upper edge, as a fraction of the height.
        public var y: Double

        /// Creates a point from its fractions of the picture's width and height.
        public init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
    }

    /// The name of the zone in events and counts.
    public var name: String
    /// The purpose of the zone.
    public var kind: Kind
    /// The points of a line from end to end, or the corners of an area in order.
    public var points: [Point]
    /// The labels of the objects to which the zone applies, in lower case. An empty set stands for all objects.
    public var labels: Set<String> { didSet { labels = Set(labels.map { $0.lowercased() }) } }
    /// The point of an object's box that determines the position of the object.
    public var anchor: Anchor
    /// The time in nanoseconds for which an object must stay until ``ZoneEvent/Kind/dwell`` is emitted. With `nil`, the
    /// event is not emitted.
    package var minTime: Nanoseconds?

    /// - Parameter anchor: the default is `centre` for ignored areas and `bottom` for other zones.
    package init(
        _ name: String, _ kind: Kind, _ points: [Point], labels: Set<String> = [], anchor: Anchor? = nil,
        minTime: Nanoseconds? = nil
    ) {
        (self.name, self.kind, self.points) = (name, kind, points)
        self.labels = Set(labels.map { $0.lowercased() })
        self.anchor = anchor ?? (kind == .ignore ? .centre : .bottom)
        self.minTime = minTime
    }

    func concerns(_ label: Label?) -> Bool { labels.isEmpty || labels.contains(label?.text.lowercased() ?? "") }
}

/// An event of one object in one zone.
public struct ZoneEvent: Hashable, Sendable {
    /// The kind of an event: an object enters an area, leaves it, has stayed in it for ``Zone/minimumTime``, or crosses
    /// a line.
    public enum Kind: String, Sendable {
        /// The object has entered the area.
        case enter
        /// The object has left the area.
        case leave
        /// The object has stayed in the area for the zone's minimum time.
        case dwell
        /// The object has crossed the line.
        case cross
    }

    /// What has happened.
    public var kind: Kind
    /// The name of the zone.
    public var zone: String
    /// The object's id; `nil` without a track.
    package var id: Int?
    /// The object's label at the time of the event.
    public var label: Detection.Label?
    /// The direction of a crossing. `nil` for other kinds of events.
    public var direction: Zone.Direction?
    /// The time in nanoseconds for which the object has been in the area. `nil` for ``Kind/cross``.
    package var dwell: Nanoseconds?
    /// The time at which the event happened. If an object is missed, its `leave` event is emitted later than this time.
    package var time: Nanoseconds

    package init(
        kind: Kind, zone: String, id: Int? = nil, label: Detection.Label? = nil, direction: Zone.Direction? = nil,
        dwell: Nanoseconds? = nil, time: Nanoseconds
    ) {
        (self.kind, self.zone, self.id, self.label) = (kind, zone, id, label)
        (self.direction, self.dwell, self.time) = (direction, dwell, time)
    }
}

package struct ZoneRelation: Hashable, Sendable {
    package var zone: String
    /// The direction in which the object crosses a line. `nil` for an area that the object is in.
    package var direction: Zone.Direction?
}

/// The counts of one zone.
public struct ZoneCount: Hashable, Sendable {
    /// The counts of all objects, or of the objects with one label.
    public struct Counts: Hashable, Sendable {
        /// The number of objects in the area now.
        public var count = 0
        /// The number of objects that have entered the area.
        public var entered = 0
        /// The number of objects that have left the area.
        public var left = 0
        /// The number of crossings from left to right, see ``Zone/Direction/in``.
        public var `in` = 0
        /// The number of crossings from right to left, see ``Zone/Direction/out``.
        public var out = 0

        package init(count: Int = 0, entered: Int = 0, left: Int = 0, in: Int = 0, out: Int = 0) {
            (self.count, self.entered, self.left, self.in, self.out) = (count, entered, left, `in`, out)
        }
    }

    /// The name of the zone.
    public var name: String
    /// The kind of the zone.
    public var kind: Zone.Kind
    /// The counts of all objects.
    public var all = Counts()
    /// The counts for each label. Objects without a label are counted under the empty string.
    public var byLabel: [String: Counts] = [:]

    package init(name: String, kind: Zone.Kind, all: Counts = Counts(), byLabel: [String: Counts] = [:]) {
        (self.name, self.kind, self.all, self.byLabel) = (name, kind, all, byLabel)
    }

    package mutating func count(_ label: Label?, _ change: (inout Counts) -> Void) {
        change(&all)
        change(&byLabel[label?.text ?? "", default: Counts()])
    }
}
