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
