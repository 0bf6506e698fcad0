/// The entry point, as in ML Kit for iOS:
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

    /// Returns the shared instance.
    public static func vision() -> Vision { shared }

    /// Returns a detector that tracks the most prominent object of a stream, without classification.
    public func objectDetector() -> VisionObjectDetector { VisionObjectDetector() }

    /// Returns a detector with a copy of the options; later changes to `options` have no effect on it.
    public func objectDetector(options: VisionObjectDetectorOptions) -> VisionObjectDetector {
        VisionObjectDetector(options: options)
    }
}

// Aliases for names that code written for iOS uses.

/// ML Kit's current names.
public typealias ObjectDetector = VisionObjectDetector
public typealias ObjectDetectorOptions = VisionObjectDetectorOptions
public typealias ObjectDetectorMode = VisionObjectDetectorMode
public typealias Object = VisionObject
public typealias ObjectLabel = VisionObjectLabel

/// The properties of `CGRect`.
extension Box {
    public struct Point: Hashable, Sendable {
        public var x: Double
        public var y: Double
    }

    public struct Size: Hashable, Sendable {
        public var width: Double
        public var height: Double
    }

    public var origin: Point { Point(x: x, y: y) }
    public var size: Size { Size(width: width, height: height) }
    public var midX: Double { centerX }
    public var midY: Double { centerY }
}

/// The properties of `NSNumber`, for tracking ids and confidences.
extension Int {
    public var intValue: Int { self }
    public var stringValue: String { String(self) }
}

extension Double {
    public var doubleValue: Double { self }
    public var floatValue: Float { Float(self) }
    public var stringValue: String { String(self) }
}
