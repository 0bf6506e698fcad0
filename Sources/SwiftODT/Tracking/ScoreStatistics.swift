/// What a stream teaches about scores: how much those of one object differ from answer to answer, and how much those of two.
///
/// Where each object keeps a score of its own, the score tells who is who; where a detector's scores flicker, or are the same for
/// all, it does not. What it weighs beside an overlap follows from the two, as with looks (``AppearanceStatistics``).
struct ScoreStatistics: Sendable {
    private var difference = DiscriminationStatistics(from: 0.1)

    /// What a score that differs by 1 from the usual one takes away from an overlap.
    var weight: Double { min(Self.maximum, 0.1 * max(0, difference.other - difference.same) / difference.spread) }

    /// The score of the object differed from its usual one by as much, and that of another object.
    @inline(__always)
    mutating func learn(fromItself itself: Double, fromOther neighbour: Double) {
        difference.learn(same: itself, other: neighbour)
    }

    private static let maximum = 1.2
}
