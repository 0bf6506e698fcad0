/// A part of the picture that is watched: an area, a line, or an area that is not looked at.
///
///     let door = Zone("door", .line, [Zone.Point(0.2, 0.9), Zone.Point(0.8, 0.9)], labels: ["person"])
///     let zones = try Zone.list(named: "zones.json")
public struct Zone: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// Objects enter it, stay, and leave it.
        case area = "zone"
        /// Objects cross it.
        case line
        /// What is there is not detected.
        case ignore
    }

    /// The point of an object that counts.
    public enum Anchor: String, CaseIterable, Sendable {
        /// The middle of its lower edge: where it stands.
        case bottom
        case centre
    }

    /// Which way a line is crossed, for somebody who walks along it from its first point to its last.
    public enum Direction: String, Sendable {
        /// From the left hand to the right.
        case `in`
        /// From the right hand to the left.
        case out
    }

    /// A place in the upright picture: 0, 0 is its upper left corner, 1, 1 its lower right one.
    public struct Point: Hashable, Sendable {
        public var x: Double
        public var y: Double

        public init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
    }

    public var name: String
    public var kind: Kind
    /// Of a line from end to end, of an area all around.
    public var points: [Point]
    /// Lower-cased; empty stands for all objects.
    public var labels: Set<String>
    public var anchor: Anchor
    /// How long an object has to stay for ``ZoneEvent/Kind/dwell`` to be told.
    public var minTime: Nanoseconds?

    /// - Parameter anchor: if not said, where objects stand, and for what is ignored their centre.
    public init(
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
