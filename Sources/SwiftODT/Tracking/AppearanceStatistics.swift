/// What a stream teaches about looks: how alike an object is to itself from answer to answer, and to others.
///
/// People in different clothes are told apart by their looks; dancers in one costume, or anything in the dark, are not.
/// What looks weigh against place and motion follows from the two and need not be set: nothing at first, and never
/// anything where all look the same.
struct AppearanceStatistics: Sendable {
    private var same = 0.8
    private var other = 0.8
    private var variance = 0.01
    private var samples = 50.0

    /// What a likeness is worth beside an overlap of 1; `nil` is for what could not be seen.
    func worth(of likeness: Double?) -> Double { weight * (likeness ?? (same + other) / 2) }

    private var weight: Double { min(Self.most, 0.3 * max(0, same - other) / max(variance, 0.003)) }

    /// An object was as alike to itself, and as alike to another.
    mutating func learn(toItself itself: Double, toOther neighbour: Double) {
        samples = min(samples + 1, 2000)
        let (own, others) = (itself - same, neighbour - other)
        same += own / samples
        other += others / samples
        variance += ((own * own + others * others) / 2 - variance) / samples
    }

    private static let most = 6.0
}
