/// Something that happened in a zone.
public struct ZoneEvent: Sendable {
    public enum Kind: String, Sendable { case enter, leave, dwell, cross }

    public var kind: Kind
    public var zone: String
    /// Of the object; `nil` without a track.
    public var id: Int?
    public var label: Label?
    /// With ``Kind/cross`` alone.
    public var direction: Zone.Direction?
    /// How long the object has been, or was, there; not with ``Kind/cross``.
    public var dwell: Nanoseconds?
    /// When it happened: a `leave` of somebody who is seen no more is told later.
    public var time: Nanoseconds
}

/// What has been counted in a zone so far.
public struct ZoneCount: Hashable, Sendable {
    /// Figures of all objects, or of those with one label.
    public struct Counts: Hashable, Sendable {
        /// Who is in the area now.
        public var count = 0
        /// How many have come into the area.
        public var entered = 0
        public var left = 0
        /// How many have crossed the line one way.
        public var `in` = 0
        public var out = 0
    }

    public var name: String
    public var kind: Zone.Kind
    public var all = Counts()
    /// By label; objects without one are counted under the empty text.
    public var byLabel: [String: Counts] = [:]

    mutating func count(_ label: Label?, _ change: (inout Counts) -> Void) {
        change(&all)
        change(&byLabel[label?.text ?? "", default: Counts()])
    }
}
