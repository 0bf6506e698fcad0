/// What a scene's user may set; all of it may change between any two frames.
public struct SceneOptions: Hashable, Sendable {
    /// ML Kit's two modes.
    public enum Mode: Int, Sendable {
        /// Video: tracking ids, results at once even where they are not complete yet.
        case stream
        /// Each picture alone, complete, without tracking ids.
        case singleImage
    }

    /// Things that the detector has no name for.
    public enum UnknownObjects: Int, Sendable {
        /// They are left out.
        case none
        /// What moves before a camera that stands still and is explained by no detection, see ``UnclassifiedObjects``; in streams that
        /// are followed.
        case moving
        /// The prominent thing of a picture in which the detector finds nothing; in pictures that stand alone.
        case salient
        /// The one or the other, as the mode is.
        case auto
    }

    public var mode = Mode.stream
    /// Up to ``maxObjects`` objects rather than the most prominent one.
    public var multipleObjects = false
    /// 1 to ``mostObjects``.
    public var maxObjects = 5
    public static let mostObjects = 100
    public var classify = false
    public var tracking = true
    public var tracker = TrackerOptions()
    public var filter = DetectionFilter()
    public var unknownObjects = UnknownObjects.none

    public init() {}

    /// Whether objects are followed and have ids.
    public var follows: Bool { tracking && mode == .stream }
    /// Whether things that move and have no name are objects, too.
    public var detectsMoving: Bool {
        follows && (unknownObjects == .moving || unknownObjects == .auto) && filter.wantsUnknown
    }
    /// Whether the prominent thing is the object where the detector finds nothing.
    public var detectsSalient: Bool {
        mode == .singleImage && (unknownObjects == .salient || unknownObjects == .auto) && filter.wantsUnknown
    }
    /// What a detector need not report. It is lower than the threshold: a tracker makes use of detections too weak to begin an
    /// object, and where nothing is found the best of them are told of.
    public var scoreFloor: Double { tracker.scoreFloor }
    /// How many objects are shown at most.
    public var limit: Int { multipleObjects ? maxObjects : 1 }
}
