/// What is known of one object now: a snapshot, free to copy and keep.
public struct Track: Sendable {
    /// Where an object stands in its life.
    public enum State: String, Sendable {
        /// Seen for the first time in the frame just looked at.
        case new
        /// Seen in the latest detection.
        case tracked
        /// Not seen lately: its box is carried on.
        case coasting
        /// Given up; reported once.
        case lost
    }

    /// From 1, never reused within a stream; `nil` without tracking.
    public var id: Int?
    /// Where it is now, in buffer pixels, not clipped.
    public var box: Box
    /// The detector's, of the latest detection from ``TrackerOptions/scoreThreshold`` up. Weaker detections and coasting leave it as
    /// it is.
    public var score: Double
    /// The latest detection's, decayed while coasting: what counts for ``Prominence``. `nil` where that is ``score``.
    var decayedScore: Double?
    public var label: Label?
    public var state: State
    public var firstSeen: Nanoseconds
    /// When a detection last confirmed it.
    public var lastSeen: Nanoseconds
    /// Time from ``lastSeen`` to the frame this snapshot speaks of.
    public var timeSinceUpdate: Nanoseconds
    /// Pixels a second, in buffer coordinates.
    public var velocityX: Double
    public var velocityY: Double

    public init(
        id: Int? = nil, box: Box, score: Double, label: Label? = nil, state: State = .tracked,
        firstSeen: Nanoseconds = 0, lastSeen: Nanoseconds = 0, timeSinceUpdate: Nanoseconds = 0,
        velocityX: Double = 0, velocityY: Double = 0
    ) {
        self.id = id
        self.box = box
        self.score = score
        self.label = label
        self.state = state
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.timeSinceUpdate = timeSinceUpdate
        self.velocityX = velocityX
        self.velocityY = velocityY
    }
}

extension Track {
    /// The sighting with the highest score.
    public struct Best: Hashable, Sendable {
        public var score: Double
        public var box: Box
        public var time: Nanoseconds

        public init(score: Double, box: Box, time: Nanoseconds) {
            (self.score, self.box, self.time) = (score, box, time)
        }
    }
}

/// Something that happened in the life of a track.
public struct TrackEvent: Sendable {
    public enum Kind: String, Sendable { case begin, update, end }

    /// Why a track ended.
    public enum Reason: String, Sendable {
        case lost
        case leftFrame = "left-frame"
        case flush
        case limit
        /// The stream is over.
        case endOfStream = "eos"
    }

    public var kind: Kind
    /// The track as it was at that moment.
    public var track: Track
    /// When the object was seen best so far.
    public var best: Track.Best
    /// How far the centre has moved along its way, in pixels.
    public var pathLength: Double
    /// Only with ``Kind/end``.
    public var reason: Reason?

    public init(
        kind: Kind, track: Track, best: Track.Best, pathLength: Double, reason: Reason? = nil
    ) {
        self.kind = kind
        self.track = track
        self.best = best
        self.pathLength = pathLength
        self.reason = reason
    }
}
