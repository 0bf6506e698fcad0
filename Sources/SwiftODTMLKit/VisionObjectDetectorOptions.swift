import SwiftODT

/// The options of an object detector. A detector copies its options when it is created. The options are not
/// thread-safe.
///
///     let options = VisionObjectDetectorOptions()
///     options.detectorMode = .stream
///     options.shouldEnableMultipleObjects = true
public final class VisionObjectDetectorOptions {
    /// The type of ``detectorMode``.
    public typealias DetectorMode = VisionObjectDetectorMode

    var scene = SceneOptions()

    /// How objects are found: the method, the model, its labels and the device. The default is the installed detection
    /// network. The detector's own `scoreThreshold` is ignored; set ``VisionObjectDetectorOptions/scoreThreshold``
    /// instead.
    public var detector = SwiftODT.ObjectDetector.Options()
    /// The minimum score of a detection that starts a track, 0 to 1. With `nil`, the default, the model's threshold
    /// applies.
    public var scoreThreshold: Double?
    /// A custom classifier: a path, or the name of an installed model. Requires ``shouldEnableClassification``.
    /// Classifiers for ML Kit can be used. All objects are classified, and ``VisionObject/labels`` contains the
    /// classifier's label. With `nil`, the default, the installed classifier, if there is one, determines the category
    /// of objects whose label has none.
    public var classifierFile: String?
    /// The label file of ``classifierFile``. Needed only if neither the model file nor a file beside it contains the
    /// labels.
    public var classifierLabelFile: String?

    /// Creates the default options: stream mode, the most prominent object only, no classification.
    public init() {
        // ML Kit returns detected objects only.
        scene.reportsCoasting = false
    }

    /// Whether images form a stream or are independent.
    public var detectorMode: VisionObjectDetectorMode {
        get { scene.mode == .stream ? .stream : .singleImage }
        set { scene.mode = newValue == .stream ? .stream : .singleImage }
    }

    /// Whether up to ``maximumObjects`` objects are returned. If not, only the most prominent object is returned.
    public var shouldEnableMultipleObjects: Bool {
        get { scene.multipleObjects }
        set { scene.multipleObjects = newValue }
    }

    /// Whether objects are classified into coarse categories.
    public var shouldEnableClassification: Bool {
        get { scene.classify }
        set { scene.classify = newValue }
    }

    /// The maximum number of objects if ``shouldEnableMultipleObjects`` is set, 1 to 1,000, default 5.
    public var maximumObjects: Int {
        get { scene.maxObjects }
        set { scene.maxObjects = min(max(1, newValue), SceneOptions.mostObjects) }
    }

    /// Whether objects without a label are returned, too. In single-image mode, this is the salient object of an image
    /// in which the detector finds nothing; in stream mode, it is a moving object in front of a static camera.
    /// Single-image mode requires the saliency network.
    public var includesUnknownObjects: Bool {
        get { scene.unknownObjects == .auto }
        set { scene.unknownObjects = newValue ? .auto : .none }
    }

    /// The minimum confidence of a new category or of a classifier label, 0 to 1. A returned category stays until its
    /// confidence is 0.1 lower. With `nil`, the default, the classifier's threshold applies.
    public var classificationConfidenceThreshold: Double?

    /// The labels of the objects to return, or label groups such as `@animals`. An empty set, the default, stands for
    /// all labels. A label that the detector does not have is an error at the first image.
    public var allowedLabels: Set<String> {
        get { scene.filter.allowlist }
        set { scene.filter.allowlist = Set(newValue.map { $0.lowercased() }) }
    }

    /// The labels of objects to leave out, or label groups. A label that the detector does not have is an error at the
    /// first image.
    public var deniedLabels: Set<String> {
        get { scene.filter.denylist }
        set { scene.filter.denylist = Set(newValue.map { $0.lowercased() }) }
    }
}

/// ML Kit's two detection modes.
public enum VisionObjectDetectorMode: Sendable {
    /// Images of a video: low latency, with tracking ids. The first results of a new object can lack its category.
    case stream
    /// Independent images, without tracking ids. If classification is enabled, every result waits for the classifier.
    case singleImage
}
