/// What a stream teaches about scores: how much those of one object differ from answer to answer, and how much those of two.
///
/// Where each object keeps a score of its own, the score tells who is who; where a detector's scores flicker, or are the same for
/// all, it does not. What it weighs beside an overlap follows from the two, as with looks (``AppearanceStatistics``).
struct ScoreStatistics: Sendable {
    private var same = 0.1
    private var other = 0.1
    private var variance = 0.01
    private var samples = 50.0

    /// What a score that differs by 1 from the usual one takes away from an overlap.
    var weight: Double { min(Self.most, 0.1 * max(0, other - same) / max(variance, 0.003)) }

    /// The score of the object differed from its usual one by as much, and that of another object.
    @inline(__always)
    mutating func learn(fromItself itself: Double, fromOther neighbour: Double) {
        samples = min(samples + 1, 2000)
        let (own, others) = (itself - same, neighbour - other)
        same += own / samples
        other += others / samples
        variance += ((own * own + others * others) / 2 - variance) / samples
    }

    private static let most = 1.2
}
