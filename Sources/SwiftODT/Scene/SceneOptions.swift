/// The options of a ``Scene``, which can change between any two frames.
package struct SceneOptions: Hashable, Sendable {
    /// The two detector modes of ML Kit.
    package enum Mode: Int, Sendable {
        /// Video: objects have track ids, and results are returned at once, even if a category is still missing.
        case stream
        /// Independent pictures: results are complete and have no track ids.
        case singleImage
    }

    /// How objects without a label are detected.
    package enum UnknownObjects: Int, Sendable {
        /// Not at all.
        case none
        /// Moving objects that no detection explains, with a static camera and tracking, see ``UnclassifiedObjects``.
        case moving
        /// The salient object of a picture without detections, in single-image mode.
        case salient
        /// `moving` or `salient`, depending on the mode.
        case auto
    }

    package var mode = Mode.stream
    /// Whether up to ``maxObjects`` objects are reported instead of the most prominent one.
    package var multipleObjects = false
    /// The maximum number of reported objects, 1 to ``mostObjects``.
    package var maxObjects = 5
    package static let mostObjects = 1000
    /// Whether objects are sorted into categories.
    package var classify = false
    /// Whether objects are tracked in stream mode.
    package var tracking = true
    package var tracker = TrackerOptions()
    package var filter = DetectionFilter()
    package var unknownObjects = UnknownObjects.none

    package init() {}

    /// Whether objects are tracked and have ids.
    package var follows: Bool { tracking && mode == .stream }
    /// Whether unclassified moving objects are reported.
    package var detectsMoving: Bool {
        follows && (unknownObjects == .moving || unknownObjects == .auto) && filter.wantsUnknown
    }
    /// Whether the salient object is reported if the detector finds nothing.
    package var detectsSalient: Bool {
        mode == .singleImage && (unknownObjects == .salient || unknownObjects == .auto) && filter.wantsUnknown
    }
    /// The minimum score that a detector should return. It is lower than the threshold, because the tracker uses weak
    /// detections, and ``Rejections`` names the best of them if nothing is found.
    package var scoreFloor: Double { tracker.scoreFloor }
    /// The maximum number of reported objects.
    package var limit: Int { multipleObjects ? maxObjects : 1 }
}

/// A reported object: its track, category and rank.
package struct SceneObject: Sendable {
    package var track: Track
    package var category: Category
    /// The confidence of the category, 0 to 1; `nil` if the category is unknown.
    package var confidence: Double?
    /// Whether it is the most prominent object.
    package var isProminent: Bool
    /// The rank by prominence, from 0.
    package var rank: Int
    /// The areas that it is in, and the lines that it crosses in this frame. Requires tracking.
    package var zones: [ZoneRelation]

    package init(
        track: Track, category: Category = .unknown, confidence: Double? = nil, isProminent: Bool = false,
        rank: Int = 0, zones: [ZoneRelation] = []
    ) {
        self.track = track
        self.category = category
        self.confidence = confidence
        self.isProminent = isProminent
        self.rank = rank
        self.zones = zones
    }
}

/// The begin, change or end of a reported object.
package struct SceneEvent: Sendable {
    package var event: TrackEvent
    package var category: Category
}
