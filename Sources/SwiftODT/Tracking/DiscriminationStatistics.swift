/// How well a measure tells one object from others, as a stream shows it: what it is of an object and itself from answer to answer,
/// and of an object and another.
struct DiscriminationStatistics: Sendable {
    private(set) var same: Double
    private(set) var other: Double
    private var variance = 0.01
    private var samples = 50.0

    /// - Parameter start: what both are taken for before anything has been seen.
    init(from start: Double) { (same, other) = (start, start) }

    /// How far the two spread, as a variance. A measure that has hardly varied so far may do so yet.
    var spread: Double { max(variance, 0.003) }

    @inline(__always)
    mutating func learn(same itself: Double, other neighbour: Double) {
        samples = min(samples + 1, 2000)
        let (own, others) = (itself - same, neighbour - other)
        same += own / samples
        other += others / samples
        variance += ((own * own + others * others) / 2 - variance) / samples
    }
}
