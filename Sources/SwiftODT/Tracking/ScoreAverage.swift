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
