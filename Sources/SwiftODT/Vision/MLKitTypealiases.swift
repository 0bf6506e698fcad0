// Words that code for iOS uses for what is called otherwise, or is simpler, here.

/// ML Kit's current names.
public typealias ObjectDetector = VisionObjectDetector
public typealias ObjectDetectorOptions = VisionObjectDetectorOptions
public typealias ObjectDetectorMode = VisionObjectDetectorMode
public typealias Object = VisionObject
public typealias ObjectLabel = VisionObjectLabel

/// A box reads like a `CGRect`.
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

/// Tracking ids and confidences read like an `NSNumber`.
extension Int {
    public var intValue: Int { self }
    public var stringValue: String { String(self) }
}

extension Double {
    public var doubleValue: Double { self }
    public var floatValue: Float { Float(self) }
    public var stringValue: String { String(self) }
}
