/// What was known of the objects in a frame once it was finished: of all that are being followed, told of or not.
///
/// A value, for those who decide where to look next.
public struct Outlook: Sendable {
    /// One object.
    public struct Place: Sendable {
        /// In buffer pixels, carried to the frame, not clipped.
        public var box: Box
        /// Whether it has been seen often enough to be told of.
        public var isProved: Bool
        /// How many answers have missed it since it was last seen.
        public var misses: Int
        /// When it was seen last.
        public var lastSeen: Nanoseconds
        /// How near the picture has to be looked at for it to be seen, as far as that is known; 1 is the whole picture.
        public var nearness: Double

        public init(
            box: Box, isProved: Bool = true, misses: Int = 0, lastSeen: Nanoseconds = 0, nearness: Double = 1
        ) {
            (self.box, self.isProved, self.misses) = (box, isProved, misses)
            (self.lastSeen, self.nearness) = (lastSeen, nearness)
        }
    }

    /// The frame's running time.
    public var time: Nanoseconds
    public var places: [Place]

    public init(time: Nanoseconds, places: [Place]) { (self.time, self.places) = (time, places) }
}

extension TrackerState {
    /// Of the latest frame; `nil` before the first.
    mutating func outlook() -> Outlook? {
        guard let now else { return nil }
        settle(followingImage: true)
        return Outlook(
            time: now,
            places: tracklets.indices.map {
                Outlook.Place(
                    box: tracklets[$0].shownBox(at: settledTime), isProved: tracklets[$0].isShown,
                    misses: tracklets[$0].misses, lastSeen: tracklets[$0].lastSeen, nearness: tracklets[$0].nearness)
            })
    }
}
