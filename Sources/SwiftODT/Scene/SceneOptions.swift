/// The options of a ``Scene``. They can change between any two frames.
package struct SceneOptions: Hashable, Sendable {
    /// The two detector modes of ML Kit.
    package enum Mode: Int, Sendable {
        /// For video. Objects have track ids. Results need not wait for the classifier, so the category of an object
        /// can be missing at first.
        case stream
        /// For independent pictures. Results are complete, and objects have no track ids.
        case singleImage
    }

    /// Selects how objects without a label are detected.
    package enum UnknownObjects: Int, Sendable {
        case none
        /// Detects moving objects that no detection explains. Requires a static camera and tracking, see
        /// ``UnclassifiedObjects``.
        case moving
        /// In single-image mode, detects the salient object of a picture in which the detector finds nothing. In stream
        /// mode with tracking, detects standing objects that no detection explains, see ``SalientObjects``.
        case salient
        /// `moving` in stream mode, `salient` in single-image mode.
        case auto
    }

    package var mode = Mode.stream
    /// Whether up to ``maxObjects`` objects are reported instead of only the most prominent one.
    package var multipleObjects = false
    /// The maximum number of reported objects with ``multipleObjects``, 1 to ``mostObjects``.
    package var maxObjects = 5
    package static let mostObjects = 1000
    package var classify = false
    /// Whether objects are tracked. Applies to stream mode only.
    package var tracking = true
    package var tracker = TrackerOptions()
    package var filter = DetectionFilter()
    package var unknownObjects = UnknownObjects.none
    /// Whether an object that returns gets its earlier id. Requires tracking.
    package var reidentify = false
    /// If an object returns within this time, it can get its earlier id. In nanoseconds, default 300 s.
    package var reidentifyFor: Nanoseconds = 300_000_000_000

    /// Whether coasting objects are reported. If not, they do not count towards ``limit``.
    package var reportsCoasting = true

    package init() {}

    package var follows: Bool { tracking && mode == .stream }
    package var reidentifies: Bool { reidentify && follows }
    package var detectsMoving: Bool {
        follows && (unknownObjects == .moving || unknownObjects == .auto) && filter.wantsUnknown
    }
    /// Whether the salient object is reported if the detector finds no object.
    package var detectsSalient: Bool {
        mode == .singleImage && (unknownObjects == .salient || unknownObjects == .auto) && filter.wantsUnknown
    }
    package var detectsSalientInVideo: Bool { follows && unknownObjects == .salient && filter.wantsUnknown }
    /// The minimum score that a detector should return. It is lower than the score threshold, because the tracker uses
    /// weak detections. If no object is found, ``Rejections`` names the best weak detection.
    package var scoreFloor: Double { tracker.scoreFloor }
    package var limit: Int { multipleObjects ? maxObjects : 1 }
}

package struct SceneObject: Sendable {
    package var track: Track
    package var category = Category.unknown
    /// 0 to 1. `nil` if the category is unknown.
    package var confidence: Double?
    package var classifierLabel: ClassifierLabel?
    package var isProminent = false
    /// 0 is the most prominent object.
    package var rank = 0
    /// The areas that the object is in, and the lines that it crosses in this frame. Requires tracking.
    package var zones: [ZoneRelation] = []
}

package struct SceneEvent: Sendable {
    package var event: TrackEvent
    package var category: Category
    package var classifierLabel: Label?
}
