/// The entry point, as in ML Kit for iOS:
///
///     let options = VisionObjectDetectorOptions()
///     options.detectorMode = .singleImage
///     options.shouldEnableMultipleObjects = true
///     options.shouldEnableClassification = true
///     let objectDetector = Vision.vision().objectDetector(options: options)
///
///     let image = try VisionImage(contentsOfFile: "kitchen.jpg")
///     objectDetector.process(image) { objects, error in
///         for object in objects ?? [] { print(object.frame, object.classificationCategory) }
///     }
public final class Vision: Sendable {
    private static let shared = Vision()

    private init() {}

    /// Returns the shared instance.
    public static func vision() -> Vision { shared }

    /// Returns a detector that tracks the most prominent object of a stream, without classification.
    public func objectDetector() -> VisionObjectDetector { VisionObjectDetector() }

    /// Returns a detector with a copy of the options; later changes to `options` have no effect on it.
    public func objectDetector(options: VisionObjectDetectorOptions) -> VisionObjectDetector {
        VisionObjectDetector(options: options)
    }
}

/// ML Kit's current name.
public typealias ObjectDetector = VisionObjectDetector
/// ML Kit's current name.
public typealias ObjectDetectorOptions = VisionObjectDetectorOptions
/// ML Kit's current name.
public typealias ObjectDetectorMode = VisionObjectDetectorMode
/// ML Kit's current name.
public typealias Object = VisionObject
/// ML Kit's current name.
public typealias ObjectLabel = VisionObjectLabel
