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
