/// The entry point, as in ML Kit for iOS:
///
///     let options = VisionObjectDetectorOptions()
///     options.detectorMode = .singleImage
///     options.shouldEnableMultipleObjects = true
///     options.shouldEnableClassification = true
///     let objectDetector = Vision.vision().objectDetector(options: options)
///
///     let image = try VisionImage(contentsOfFile: "kitchen.jpg")
///     for object in try await objectDetector.process(image) { print(object.frame, object.classificationCategory) }
public final class Vision: Sendable {
    private static let shared = Vision()

    private init() {}

    /// Returns the shared instance.
    public static func vision() -> Vision { shared }

    /// Returns a detector that tracks the most prominent object of a stream, without classification.
    public func objectDetector() -> VisionObjectDetector { VisionObjectDetector() }

    /// Returns a detector with a copy of the options. Later changes to `options` have no effect on the detector.
    public func objectDetector(options: VisionObjectDetectorOptions) -> VisionObjectDetector {
        VisionObjectDetector(options: options)
    }
}

/// The current name of ``VisionObjectDetector`` in ML Kit.
public typealias ObjectDetector = VisionObjectDetector
/// The current name of ``VisionObjectDetectorOptions`` in ML Kit.
public typealias ObjectDetectorOptions = VisionObjectDetectorOptions
/// The current name of ``VisionObjectDetectorMode`` in ML Kit.
public typealias ObjectDetectorMode = VisionObjectDetectorMode
/// The current name of ``VisionObject`` in ML Kit.
public typealias Object = VisionObject
/// The current name of ``VisionObjectLabel`` in ML Kit.
public typealias ObjectLabel = VisionObjectLabel
/// The type of the options in declarations of ML Kit.
public typealias CommonObjectDetectorOptions = VisionObjectDetectorOptions
/// The current name of ``VisionObjectDetector/Completion`` in ML Kit.
public typealias ObjectDetectionCallback = VisionObjectDetector.Completion
