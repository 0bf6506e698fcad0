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

/// How well scores separate the objects of one stream: the score differences of the same object between results, and
/// of different objects.
///
/// The weight of the confidence cost follows from both. It is low if scores fluctuate or do not differ between objects.
struct ScoreStatistics: Sendable {
    private var difference = DiscriminationStatistics(from: 0.1)

    /// The cost of a score difference of 1, on the scale of IoU.
    var weight: Double { min(Self.maximum, 0.1 * max(0, difference.other - difference.same) / difference.spread) }

    /// Adds one measurement: the differences of the object's score and of another object's score from the object's
    /// average.
    @inline(__always)
    mutating func learn(fromItself itself: Double, fromOther neighbour: Double) {
        difference.learn(same: itself, other: neighbour)
    }

    private static let maximum = 1.2
}

/// The recent average of an object's scores, for the confidence cost of the association (Hybrid-SORT).
///
/// Scores change slowly and separate overlapping objects: the front object keeps its score, the occluded one has a
/// lower score.
struct ScoreAverage: Sendable {
    private var value: Double

    init(_ first: Double) { value = first }

    /// Blends in the score of a detection.
    mutating func follow(_ score: Double, after time: Nanoseconds) {
        let seconds = max(0, Double(time) / 1e9)
        value += (score - value) * (seconds / (seconds + Self.memory))
    }

    @inline(__always)
    func distance(to score: Double) -> Double { abs(score - value) }

    /// The time constant in seconds.
    private static let memory = 0.1
}
