/// The durations of a detector's stages.
public struct StageTimings: Sendable {
    /// The latest duration of a stage, the total, and the number of measurements.
    public struct Stage: Sendable {
        public private(set) var last: Nanoseconds = 0
        public private(set) var total: Nanoseconds = 0
        public private(set) var count = 0

        public init() {}

        public var mean: Nanoseconds { count > 0 ? total / Nanoseconds(count) : 0 }

        mutating func add(_ duration: Nanoseconds) {
            last = duration
            total += duration
            count += 1
        }
    }

    /// Conversion of the frame to the network's input.
    public internal(set) var preprocess = Stage()
    /// From the start of the inference to its result, including queueing.
    public internal(set) var inference = Stage()
    /// Conversion of the network's outputs to detections.
    public internal(set) var decode = Stage()

    public init() {}
}
