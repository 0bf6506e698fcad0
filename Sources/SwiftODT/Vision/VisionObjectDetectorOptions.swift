/// The options of an object detector. A detector copies them at creation. They are not thread-safe.
///
///     let options = VisionObjectDetectorOptions()
///     options.detectorMode = .stream
///     options.shouldEnableMultipleObjects = true
public final class VisionObjectDetectorOptions {
    public typealias DetectorMode = VisionObjectDetectorMode

    /// Options beyond those of ML Kit: limits, thresholds, filters.
    package var scene = SceneOptions()
    /// The detector's configuration. The default is the installed detection network.
    package var detector = DetectorConfiguration(.neural)
    /// The classifier for objects whose label has no category: a path or the name of an installed model, for example a
    /// custom classifier for ML Kit; `nil` for the installed default, if there is one.
    public var classifierFile: String?
    /// The classifier's label file, if the labels are neither in its model nor beside it.
    public var classifierLabelFile: String?
    /// The confidence threshold of categories, and the interval of classifications.
    package var classification = TrackClassifierOptions()
    /// IoU threshold of non-maximum suppression.
    package var iouThreshold = DetectionOptions().iouThreshold

    /// Creates the default options: stream mode, the most prominent object only, no classification.
    public init() {}

    /// Whether images form a stream or are independent.
    public var detectorMode: VisionObjectDetectorMode {
        get { scene.mode == .stream ? .stream : .singleImage }
        set { scene.mode = newValue == .stream ? .stream : .singleImage }
    }

    /// Whether up to ``SceneOptions/maxObjects`` objects (default five) are returned rather than only the most
    /// prominent one.
    public var shouldEnableMultipleObjects: Bool {
        get { scene.multipleObjects }
        set { scene.multipleObjects = newValue }
    }

    /// Whether objects are classified into coarse categories.
    public var shouldEnableClassification: Bool {
        get { scene.classify }
        set { scene.classify = newValue }
    }
}

/// ML Kit's two detection modes.
public enum VisionObjectDetectorMode: Sendable {
    /// Images of a video: low latency, with tracking ids. The first results of a new object can lack its category.
    case stream
    /// Independent images: every result has box and category, but no tracking id.
    case singleImage
}
