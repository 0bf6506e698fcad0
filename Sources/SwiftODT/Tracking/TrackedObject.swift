/// An object of a video at one time.
public struct TrackedObject: Hashable, Sendable {
    /// The state of an object according to the latest result that covered its position.
    public enum State: String, Sendable {
        /// The object was reported for the first time with the latest result.
        case new
        /// The object was detected in the latest result that covered its position.
        case tracked
        /// The latest result that covered the object's position did not contain the object. The box is predicted.
        case coasting
        /// The track has ended for any ``TrackedObjectEvent/EndReason``. A lost object is reported in one frame.
        case lost
    }

    /// The coarse categories of ML Kit. The raw values are ML Kit's indices; `unknown` is −1.
    public enum Category: Int, CaseIterable, Sendable {
        /// No category, or none yet.
        case unknown = -1
        /// Clothing and accessories.
        case fashionGood = 0
        /// Furniture and household articles.
        case homeGood = 1
        /// Food and drinks.
        case food = 2
        /// Buildings and outdoor places.
        case place = 3
        /// Plants.
        case plant = 4
    }

    /// An id from 1 that stays the same while the object is tracked and is never reused; `nil` without tracking.
    public var trackingID: Int?
    /// The bounding box in pixels of the frame's memory, without the orientation; in a `VideoResult`, in pixels of the
    /// upright frame. A tracker's box may extend beyond the picture.
    public var box: Box
    /// The detector's confidence, 0...1.
    public var score: Double
    /// The label that prevails among the recent detections; `nil` if none does, or if the detector does not classify.
    public var label: Detection.Label?
    /// Whether the object is new, detected, missed or lost.
    public var state: State
    /// The category, if objects are classified.
    public var category = Category.unknown
    /// The confidence of the category, 0...1; `nil` if it is unknown.
    public var categoryConfidence: Double?
    /// The label of a custom classifier; `nil` without one.
    public var classifierLabel: ClassifierLabel?
    /// Whether this is the most prominent object of the frame.
    public var isProminent = false
    /// The time of the first detection.
    public var firstSeen: MediaTime
    /// The time of the latest detection.
    public var lastSeen: MediaTime
    /// The horizontal velocity in pixels per second.
    public var velocityX: Double
    /// The vertical velocity in pixels per second.
    public var velocityY: Double

    /// The text of the label, for example `person`.
    public var name: String? { label?.text }
    /// Whether the object is neither coasting nor lost. Between two results, its box may be extrapolated.
    public var isVisible: Bool { state == .new || state == .tracked }

    /// Creates an object, for example to pass the results of another tracker to a ``ZoneMonitor``.
    public init(
        trackingID: Int?, box: Box, score: Double = 1, label: Detection.Label? = nil, state: State = .tracked,
        firstSeen: MediaTime = .zero, lastSeen: MediaTime = .zero, velocityX: Double = 0, velocityY: Double = 0
    ) {
        (self.trackingID, self.box, self.score, self.label, self.state) = (trackingID, box, score, label, state)
        (self.firstSeen, self.lastSeen, self.velocityX, self.velocityY) = (firstSeen, lastSeen, velocityX, velocityY)
    }
}

/// The beginning, re-entry, change or end of a track.
public struct TrackedObjectEvent: Hashable, Sendable {
    /// What has happened to a track.
    public enum Kind: Hashable, Sendable {
        /// The object is reported for the first time.
        case begin
        /// The object has returned and has its earlier tracking id again.
        case reentered
        /// A label or the category of the object has changed.
        case update
        /// The track has ended.
        case end(EndReason)
    }

    /// The reason why a track ended.
    public enum EndReason: String, Sendable {
        /// The object was missed for longer than the tracker's maximum age, or a scene cut ended the track.
        case lost
        /// The box has left the picture.
        case leftFrame = "left-frame"
        /// All tracks were ended: by ``ObjectTracker/reset()``, a seek, a flush, a step back in time, a long gap, or a
        /// change of the picture's size or orientation.
        case flush
        /// The maximum number of tracks was reached, and this track was ended so that a new track could begin.
        case limit
        /// The object was recognised as an earlier one. This id ends, and the object continues with its earlier id.
        case reidentified
        /// The stream has ended.
        case endOfStream = "eos"
    }

    /// What has happened.
    public var kind: Kind
    /// The object's tracking id.
    public var trackingID: Int
    /// The object's label.
    public var name: String?
    /// The object's category, if objects are classified.
    public var category = TrackedObject.Category.unknown
    /// The time of the first detection.
    public var firstSeen: MediaTime
    /// The time of the latest detection.
    public var lastSeen: MediaTime
    /// The highest score of the object's detections so far.
    public var bestScore: Double
    /// The box of the detection with the highest score.
    public var bestBox: Box
    /// The time of the detection with the highest score.
    public var bestTime: MediaTime
    /// The length of the path of the box's centre in pixels.
    public var pathLength: Double

    package init(
        kind: Kind, trackingID: Int, name: String?, category: TrackedObject.Category, firstSeen: MediaTime,
        lastSeen: MediaTime, best: Track.Best, pathLength: Double
    ) {
        (self.kind, self.trackingID, self.name, self.category) = (kind, trackingID, name, category)
        (self.firstSeen, self.lastSeen, self.pathLength) = (firstSeen, lastSeen, pathLength)
        (bestScore, bestBox, bestTime) = (best.score, best.box, MediaTime(nanoseconds: best.time))
    }
}
