/// Where one starts, as in ML Kit for iOS:
///
///     let options = VisionObjectDetectorOptions()
///     options.detectorMode = .singleImage
///     options.shouldEnableMultipleObjects = true
///     options.shouldEnableClassification = true
///     let objectDetector = Vision.vision().objectDetector(options: options)
///
///     let image = VisionImage(image: try Picture(contentsOfFile: "kitchen.jpg"))
///     objectDetector.process(image) { objects, error in
///         for object in objects ?? [] { print(object.frame, object.classificationCategory) }
///     }
public final class Vision: Sendable {
    private static let shared = Vision()

    private init() {}

    /// The one and only.
    public static func vision() -> Vision { shared }

    /// A detector that follows the most prominent object of a stream, without telling what it is.
    public func objectDetector() -> VisionObjectDetector { VisionObjectDetector() }

    /// A detector with the options as they are now; later changes to them do not reach it.
    public func objectDetector(options: VisionObjectDetectorOptions) -> VisionObjectDetector {
        VisionObjectDetector(options: options)
    }
}
