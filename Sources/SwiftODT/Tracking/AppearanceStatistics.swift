/// What a stream teaches about looks: how alike an object is to itself from answer to answer, and to others.
///
/// People in different clothes are told apart by their looks; dancers in one costume, or anything in the dark, are not.
/// What looks weigh against place and motion follows from the two and need not be set: nothing at first, and never
/// anything where all look the same.
struct AppearanceStatistics: Sendable {
    private var likeness = Distinction(from: 0.8)

    /// What a likeness is worth beside an overlap of 1; `nil` is for what could not be seen.
    func worth(of likeness: Double?) -> Double {
        weight * (likeness ?? (self.likeness.same + self.likeness.other) / 2)
    }

    private var weight: Double { min(Self.most, 0.3 * max(0, likeness.same - likeness.other) / likeness.spread) }

    /// An object was as alike to itself, and as alike to another.
    mutating func learn(toItself itself: Double, toOther neighbour: Double) {
        likeness.learn(same: itself, other: neighbour)
    }

    private static let most = 6.0
}
