/// The options of a ``Scene``, which can change between any two frames.
public struct SceneOptions: Hashable, Sendable {
    /// The two detector modes of ML Kit.
    public enum Mode: Int, Sendable {
        /// Video: objects have track ids, and results are returned at once, even if a category is still missing.
        case stream
        /// Independent pictures: results are complete and have no track ids.
        case singleImage
    }

    /// How objects without a label are detected.
    public enum UnknownObjects: Int, Sendable {
        /// Not at all.
        case none
        /// Moving objects that no detection explains, with a static camera and tracking, see ``UnclassifiedObjects``.
        case moving
        /// The salient object of a picture without detections, in single-image mode.
        case salient
        /// `moving` or `salient`, depending on the mode.
        case auto
    }

    public var mode = Mode.stream
    /// Whether up to ``maxObjects`` objects are reported instead of the most prominent one.
    public var multipleObjects = false
    /// The maximum number of reported objects, 1 to ``mostObjects``.
    public var maxObjects = 5
    public static let mostObjects = 100
    /// Whether objects are sorted into categories.
    public var classify = false
    /// Whether objects are tracked in stream mode.
    public var tracking = true
    public var tracker = TrackerOptions()
    public var filter = DetectionFilter()
    public var unknownObjects = UnknownObjects.none

    public init() {}

    /// Whether objects are tracked and have ids.
    public var follows: Bool { tracking && mode == .stream }
    /// Whether unclassified moving objects are reported.
    public var detectsMoving: Bool {
        follows && (unknownObjects == .moving || unknownObjects == .auto) && filter.wantsUnknown
    }
    /// Whether the salient object is reported if the detector finds nothing.
    public var detectsSalient: Bool {
        mode == .singleImage && (unknownObjects == .salient || unknownObjects == .auto) && filter.wantsUnknown
    }
    /// The minimum score that a detector should return. It is lower than the threshold, because the tracker uses weak
    /// detections, and ``Rejections`` names the best of them if nothing is found.
    public var scoreFloor: Double { tracker.scoreFloor }
    /// The maximum number of reported objects.
    public var limit: Int { multipleObjects ? maxObjects : 1 }
}

/// A reported object: its track, category and rank.
public struct SceneObject: Sendable {
    public var track: Track
    public var category: Category
    /// The confidence of the category, 0 to 1; `nil` if the category is unknown.
    public var confidence: Double?
    /// Whether it is the most prominent object.
    public var isProminent: Bool
    /// The rank by prominence, from 0.
    public var rank: Int

    public init(
        track: Track, category: Category = .unknown, confidence: Double? = nil, isProminent: Bool = false,
        rank: Int = 0
    ) {
        self.track = track
        self.category = category
        self.confidence = confidence
        self.isProminent = isProminent
        self.rank = rank
    }
}

/// The begin, change or end of a reported object.
public struct SceneEvent: Sendable {
    public var event: TrackEvent
    public var category: Category
}
