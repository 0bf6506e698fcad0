/// How an object detector works. Set up by one thread, then handed to a detector, which keeps a copy.
///
///     let options = VisionObjectDetectorOptions()
///     options.detectorMode = .stream
///     options.shouldEnableMultipleObjects = true
public final class VisionObjectDetectorOptions {
    public typealias DetectorMode = VisionObjectDetectorMode

    /// Everything that can be set beyond ML Kit's own options: limits, thresholds, filters.
    public var scene = SceneOptions()
    /// What looks at the picture: the installed detection network, unless told otherwise.
    public var detector = DetectorConfiguration(.neural)
    /// A classifier for what the detector's labels say nothing about: a path or the name of an installed model, such as a custom
    /// classifier made for ML Kit; `nil` for the installed default, if there is one.
    public var classifierFile: String?
    /// The classifier's labels, if they are not in its file or beside it.
    public var classifierLabelFile: String?
    /// How sure a category has to be, and how often objects are looked at.
    public var classification = TrackClassifierOptions()
    /// Two boxes that overlap more than this are one object.
    public var iouThreshold = DetectionOptions().iouThreshold

    /// A stream, the most prominent object only, no categories.
    public init() {}

    /// Whether images belong to a stream or stand alone.
    public var detectorMode: VisionObjectDetectorMode {
        get { scene.mode == .stream ? .stream : .singleImage }
        set { scene.mode = newValue == .stream ? .stream : .singleImage }
    }

    /// Whether up to five objects are returned (``SceneOptions/maxObjects``) rather than the most prominent one.
    public var shouldEnableMultipleObjects: Bool {
        get { scene.multipleObjects }
        set { scene.multipleObjects = newValue }
    }

    /// Whether objects are sorted into coarse categories.
    public var shouldEnableClassification: Bool {
        get { scene.classify }
        set { scene.classify = newValue }
    }
}

/// ML Kit's two ways of looking at images.
public enum VisionObjectDetectorMode: Sendable {
    /// Image by image of a video: at once, with tracking ids that stay from call to call. A new object's first results may lack
    /// its category.
    case stream
    /// Each image alone: box and category are both there, tracking ids are not.
    case singleImage
}
