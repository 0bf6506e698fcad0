/// How long the stages of a detector take.
public struct StageTimings: Sendable {
    /// One stage: the latest duration, and all of them together.
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

    /// From the frame into the network's input.
    public internal(set) var preprocess = Stage()
    /// From the start of the network to its answer, waiting for a free processor included.
    public internal(set) var inference = Stage()
    /// From the network's outputs to detections.
    public internal(set) var decode = Stage()

    public init() {}
}
