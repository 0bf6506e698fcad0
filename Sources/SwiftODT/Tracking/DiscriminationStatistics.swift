/// How well a measure separates objects in one stream: its averages for pairs of the same object and for pairs of
/// different objects.
struct DiscriminationStatistics: Sendable {
    private(set) var same: Double
    private(set) var other: Double
    private var variance = 0.01
    private var samples = 50.0

    /// - Parameter start: the initial value of both averages.
    init(from start: Double) { (same, other) = (start, start) }

    /// The variance of the measure, with a lower bound, because a measure with little variation so far may vary
    /// later.
    var spread: Double { max(variance, 0.003) }

    /// Adds one measurement for the same object and one for different objects.
    @inline(__always)
    mutating func learn(same itself: Double, other neighbour: Double) {
        samples = min(samples + 1, 2000)
        let (own, others) = (itself - same, neighbour - other)
        same += own / samples
        other += others / samples
        variance += ((own * own + others * others) / 2 - variance) / samples
    }
}
