/// A watched part of the picture: an area, a line, or an area to ignore.
///
///     let door = Zone("door", .line, [Zone.Point(0.2, 0.9), Zone.Point(0.8, 0.9)], labels: ["person"])
///     let zones = try Zone.list(named: "zones.json")
package struct Zone: Hashable, Sendable {
    /// What the zone is for.
    package enum Kind: String, CaseIterable, Sendable {
        /// Objects enter it, stay in it and leave it.
        case area = "zone"
        /// Objects cross it.
        case line
        /// Detections in it are ignored.
        case ignore
    }

    /// The point of an object's box that determines its position.
    package enum Anchor: String, CaseIterable, Sendable {
        /// The middle of the lower edge: where the object stands.
        case bottom
        case centre
    }

    /// The direction of a crossing, as seen when walking along the line from its first point to its last.
    package enum Direction: String, Sendable {
        /// From left to right.
        case `in`
        /// From right to left.
        case out
    }

    /// A point of the upright picture: (0, 0) is the upper left corner, (1, 1) the lower right one.
    package struct Point: Hashable, Sendable {
        package var x: Double
        package var y: Double

        package init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
    }

    package var name: String
    package var kind: Kind
    /// The points of a line from end to end, or the corners of an area in order.
    package var points: [Point]
    /// Lower-case labels; empty for all objects.
    package var labels: Set<String>
    package var anchor: Anchor
    /// The time an object must stay until ``ZoneEvent/Kind/dwell`` is emitted; `nil` for no such event.
    package var minTime: Nanoseconds?

    /// - Parameter anchor: by default `centre` for ignored areas, else `bottom`.
    package init(
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
package struct ZoneEvent: Sendable {
    /// An object enters or leaves an area, has stayed in it for ``Zone/minTime``, or crosses a line.
    package enum Kind: String, Sendable { case enter, leave, dwell, cross }

    package var kind: Kind
    package var zone: String
    /// The object's id; `nil` without a track.
    package var id: Int?
    package var label: Label?
    /// Set only for ``Kind/cross``.
    package var direction: Zone.Direction?
    /// How long the object has been in the area; not set for ``Kind/cross``.
    package var dwell: Nanoseconds?
    /// The time of the event. The `leave` event of a missed object is emitted later than that.
    package var time: Nanoseconds
}

/// The relation of an object to one zone in one frame.
package struct ZoneRelation: Hashable, Sendable {
    package var zone: String
    /// The direction of a crossing; `nil` for an area that the object is in.
    package var direction: Zone.Direction?
}

/// The counts of one zone.
package struct ZoneCount: Hashable, Sendable {
    /// The counts of all objects, or of the objects with one label.
    package struct Counts: Hashable, Sendable {
        /// The number of objects in the area now.
        package var count = 0
        /// The number of objects that have entered the area.
        package var entered = 0
        /// The number of objects that have left the area.
        package var left = 0
        /// The number of crossings from left to right.
        package var `in` = 0
        /// The number of crossings from right to left.
        package var out = 0
    }

    package var name: String
    package var kind: Zone.Kind
    package var all = Counts()
    /// By label; objects without a label are counted under the empty string.
    package var byLabel: [String: Counts] = [:]

    /// Changes the counts of all objects and of one label.
    mutating func count(_ label: Label?, _ change: (inout Counts) -> Void) {
        change(&all)
        change(&byLabel[label?.text ?? "", default: Counts()])
    }
}
