import SwiftODT

/// An upper estimate of how long a frame occupies the streaming thread that waits for its result. It changes in steps,
/// so that the pipeline does not recalculate its latency for each frame.
struct ProcessingTimeEstimate {
    /// The estimate: at least a quarter above the 95th percentile, in steps of 5 ms; 0 before the first frames.
    private(set) var estimate: Nanoseconds = 0

    private var block: [Nanoseconds] = []
    /// The number of frames per estimate. The first estimate uses fewer.
    private var enough = 8
    private static let blockSize = 64
    private static let step: Nanoseconds = 5_000_000

    mutating func add(_ duration: Nanoseconds) {
        block.append(duration)
        guard block.count >= enough else { return }
        block.sort()
        let high = block[block.count * 19 / 20]
        block.removeAll(keepingCapacity: true)
        enough = Self.blockSize
        let ample = ((high + high / 4) / Self.step + 1) * Self.step
        // The estimate decreases only if it is much too high.
        if high > estimate || ample * 3 / 2 < estimate { estimate = ample }
    }
}
