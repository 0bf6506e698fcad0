/// What nearer looks have told so far, which is what they are likely to tell of other places: the share of the objects that are seen
/// from nearby alone.
struct ZoomGainEstimate: Sendable {
    /// Of the objects that are known now.
    private(set) var now = 1.0
    /// Of those that were known at the latest looks.
    private var lately = 1.0

    /// Of each look's news.
    private static let memory = 0.05
    /// Something may always come that is seen from nearby alone.
    private static let minimum = 0.1

    /// Takes in what is known before a look. Where nobody is known and nothing moves there is nothing to see, from nearby as from afar, and
    /// nothing to learn.
    mutating func learn(from places: [TrackerSnapshot.ObjectState], isMoving: Bool) {
        now = places.isEmpty ? 1 : Double(places.count { $0.observedMagnification > Detectability.near }) / Double(places.count)
        if isMoving || !places.isEmpty { lately += (now - lately) * Self.memory }
    }

    /// How much of what may be at a place a nearer look is likely to tell, 0 to 1.
    var expectedGain: Double { max(Self.minimum, lately) }
}
