/// Statistics on how well a measure separates the objects of one stream. Keeps the average of the measure for pairs of
/// the same object, and the average for pairs of different objects.
struct DiscriminationStatistics: Sendable {
    private(set) var same: Double
    private(set) var other: Double
    private var variance = 0.01
    private var samples = 50.0

    /// - Parameter start: the initial value of both averages.
    init(from start: Double) { (same, other) = (start, start) }

    /// The variance of the measure. It has a lower bound, because a measure that has varied little so far may vary more
    /// later.
    var spread: Double { max(variance, 0.003) }

    /// Adds one value of the measure for the same object and one for different objects.
    @inline(__always)
    mutating func learn(same itself: Double, other neighbour: Double) {
        samples = min(samples + 1, 2000)
        let (own, others) = (itself - same, neighbour - other)
        same += own / samples
        other += others / samples
        variance += ((own * own + others * others) / 2 - variance) / samples
    }
}

/// Statistics on how well scores separate the objects of one stream. Collects the score differences between detections
/// of the same object, and between different objects.
///
/// The weight of the confidence cost follows from these differences. The weight is low if the scores of an object
/// fluctuate, or if different objects have similar scores.
struct ScoreStatistics: Sendable {
    private var difference = DiscriminationStatistics(from: 0.1)

    /// The cost of a score difference of 1, on the scale of IoU.
    var weight: Double { min(Self.maximum, 0.1 * max(0, difference.other - difference.same) / difference.spread) }

    /// Adds one measurement. Both values are absolute differences from the average score of an object.
    ///
    /// - Parameters:
    ///   - itself: the difference of the object's own new score.
    ///   - neighbour: the difference of another object's score.
    @inline(__always)
    mutating func learn(fromItself itself: Double, fromOther neighbour: Double) {
        difference.learn(same: itself, other: neighbour)
    }

    private static let maximum = 1.2
}

/// The moving average of an object's scores, for the confidence cost of the association (Hybrid-SORT).
///
/// Scores change slowly and help to separate overlapping objects: the front object keeps its score, and the occluded
/// object has a lower score.
struct ScoreAverage: Sendable {
    private var value: Double

    init(_ first: Double) { value = first }

    /// Adds the score of a detection.
    ///
    /// - Parameter time: the time since the previous detection.
    mutating func follow(_ score: Double, after time: Nanoseconds) {
        let seconds = max(0, Double(time) / 1e9)
        value += (score - value) * (seconds / (seconds + Self.memory))
    }

    @inline(__always)
    func distance(to score: Double) -> Double { abs(score - value) }

    /// The time constant of the average, in seconds.
    private static let memory = 0.1
}
