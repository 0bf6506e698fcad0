/// Statistics on how well a measure separates the objects of one stream. Keeps the average of the measure for pairs of
/// the same object, and the average for pairs of different objects.
struct DiscriminationStatistics: Sendable {
    private var same: Double
    private var other: Double
    private let gain: Double
    private let maximum: Double
    private var variance = 0.01
    private var samples = 50.0

    /// The similarity of appearances.
    static let appearances = DiscriminationStatistics(
        from: 0.8, gain: TrackerTuning.appearanceGain, maximum: TrackerTuning.appearanceLimit)

    /// - Parameters:
    ///   - start: the initial value of both averages.
    ///   - gain: positive for similarities, negative for differences.
    private init(from start: Double, gain: Double, maximum: Double) {
        (same, other, self.gain, self.maximum) = (start, start, gain, maximum)
    }

    /// The gain of a measure of 1, on the scale of IoU. The variance has a lower bound, because a measure with little
    /// variation so far may vary later.
    var weight: Double { min(maximum, max(0, gain * (same - other)) / max(variance, 0.003)) }

    /// The average of all pairs.
    var mean: Double { (same + other) / 2 }

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

/// The recent average of an object's scores, for the confidence cost of the association (Hybrid-SORT).
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
        value += (score - value) * (seconds / (seconds + TrackerTuning.confidenceMemory))
    }

    @inline(__always)
    func distance(to score: Double) -> Double { abs(score - value) }

}
