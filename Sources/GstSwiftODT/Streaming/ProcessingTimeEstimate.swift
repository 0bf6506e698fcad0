import SwiftODT

/// How long frames keep the streaming thread that waits for their results: a steady upper estimate, told in steps, so that
/// a pipeline is not made to reckon its latency anew with every frame.
struct ProcessingTimeEstimate {
    /// What is told: a quarter above what nineteen of twenty frames took, in whole steps; 0 before the first frames have been.
    private(set) var estimate: Nanoseconds = 0

    private var block: [Nanoseconds] = []
    /// So many frames make a judgement, but the first few make the first one.
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
        // Less is told only when it is much less.
        if high > estimate || ample * 3 / 2 < estimate { estimate = ample }
    }
}
