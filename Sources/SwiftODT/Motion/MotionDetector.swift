public final class MotionDetector: Detector {
    public init() {}
    public var capacity: Int { 1 }
    public func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionTicket { DetectionTicket([]) }
    public func reset() {}
}
