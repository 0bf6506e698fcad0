/// A watched part of the picture: an area, a line, or an area to ignore.
///
///     let door = Zone("door", .line, [Zone.Point(0.2, 0.9), Zone.Point(0.8, 0.9)], labels: ["person"])
///     let zones = try Zone.list(named: "zones.json")
public struct Zone: Hashable, Sendable {
    /// What the zone is for.
    public enum Kind: String, CaseIterable, Sendable {
        /// Objects enter it, stay in it and leave it.
        case area = "zone"
        /// Objects cross it.
        case line
        /// Detections in it are ignored.
        case ignore
    }

    /// The point of an object's box that determines its position.
    public enum Anchor: String, CaseIterable, Sendable {
        /// The middle of the lower edge: where the object stands.
        case bottom
        case centre
    }

    /// The direction of a crossing, as seen when walking along the line from its first point to its last.
    public enum Direction: String, Sendable {
        /// From left to right.
        case `in`
        /// From right to left.
        case out
    }

    /// A point of the upright picture: (0, 0) is the upper left corner, (1, 1) the lower right one.
    public struct Point: Hashable, Sendable {
        public var x: Double
        public var y: Double

        public init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
    }

    public var name: String
    public var kind: Kind
    /// The points of a line from end to end, or the corners of an area in order.
    public var points: [Point]
    /// Lower-case labels; empty for all objects.
    public var labels: Set<String>
    public var anchor: Anchor
    /// The time an object must stay until ``ZoneEvent/Kind/dwell`` is emitted; `nil` for no such event.
    public var minTime: Nanoseconds?

    /// - Parameter anchor: by default `centre` for ignored areas, else `bottom`.
    public init(
        _ name: String, _ kind: Kind, _ points: [Point], labels: Set<String> = [], anchor: Anchor? = nil,
        minTime: Nanoseconds? = nil
    ) {
        (self.name, self.kind, self.points) = (name, kind, points)
        self.labels = Set(labels.map { $0.lowercased() })
        self.anchor = anchor ?? (kind == .ignore ? .centre : .bottom)
        self.minTime = minTime
    }

    /// Returns whether the zone applies to objects with a label.
    func concerns(_ label: Label?) -> Bool { labels.isEmpty || labels.contains(label?.text.lowercased() ?? "") }
}

/// An event of one object in one zone.
public struct ZoneEvent: Sendable {
    /// An object enters or leaves an area, has stayed in it for ``Zone/minTime``, or crosses a line.
    public enum Kind: String, Sendable { case enter, leave, dwell, cross }

    public var kind: Kind
    public var zone: String
    /// The object's id; `nil` without a track.
    public var id: Int?
    public var label: Label?
    /// Set only for ``Kind/cross``.
    public var direction: Zone.Direction?
    /// How long the object has been in the area; not set for ``Kind/cross``.
    public var dwell: Nanoseconds?
    /// The time of the event. The `leave` event of a missed object is emitted later than that.
    public var time: Nanoseconds
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
        /// The number of crossings from left to right.
        public var `in` = 0
        /// The number of crossings from right to left.
        public var out = 0
    }

    public var name: String
    public var kind: Zone.Kind
    public var all = Counts()
    /// By label; objects without a label are counted under the empty string.
    public var byLabel: [String: Counts] = [:]

    /// Changes the counts of all objects and of one label.
    mutating func count(_ label: Label?, _ change: (inout Counts) -> Void) {
        change(&all)
        change(&byLabel[label?.text ?? "", default: Counts()])
    }
}
