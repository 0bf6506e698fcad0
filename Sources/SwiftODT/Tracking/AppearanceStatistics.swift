/// How well appearance separates the objects of one stream.
///
/// Collects the similarity of objects to themselves from result to result, and to other objects. The weight of
/// appearance in the association follows from both: it is 0 at first, and stays low if all objects look the same,
/// such as dancers in one costume.
struct AppearanceStatistics: Sendable {
    private var similarity = DiscriminationStatistics(from: 0.8)

    /// Returns the gain for a similarity, on the scale of IoU. `nil` stands for an unknown appearance and counts as
    /// an average one.
    func utility(of similarity: Double?) -> Double {
        weight * (similarity ?? (self.similarity.same + self.similarity.other) / 2)
    }

    private var weight: Double {
        min(Self.maximum, 0.3 * max(0, similarity.same - similarity.other) / similarity.spread)
    }

    /// Adds one measurement: an object's similarity to itself and to another object.
    mutating func learn(toItself itself: Double, toOther neighbour: Double) {
        similarity.learn(same: itself, other: neighbour)
    }

    private static let maximum = 6.0
}
