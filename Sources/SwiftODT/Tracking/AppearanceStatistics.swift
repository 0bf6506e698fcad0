/// What a stream teaches about looks: how alike an object is to itself from answer to answer, and to others.
///
/// People in different clothes are told apart by their looks; dancers in one costume, or anything in the dark, are not.
/// What looks weigh against place and motion follows from the two and need not be set: nothing at first, and never
/// anything where all look the same.
struct AppearanceStatistics: Sendable {
    private var similarity = DiscriminationStatistics(from: 0.8)

    /// What a likeness is worth beside an overlap of 1; `nil` is for what could not be seen.
    func utility(of similarity: Double?) -> Double {
        weight * (similarity ?? (self.similarity.same + self.similarity.other) / 2)
    }

    private var weight: Double { min(Self.maximum, 0.3 * max(0, similarity.same - similarity.other) / similarity.spread) }

    /// An object was as alike to itself, and as alike to another.
    mutating func learn(toItself itself: Double, toOther neighbour: Double) {
        similarity.learn(same: itself, other: neighbour)
    }

    private static let maximum = 6.0
}
