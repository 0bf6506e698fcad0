/// An estimate of the benefit of magnification: the share of objects that were detected only at higher magnification.
struct ZoomGainEstimate: Sendable {
    /// The share among the current objects.
    private(set) var now = 1.0
    /// The moving average over recent inferences.
    private var lately = 1.0

    /// Weight of each inference in the moving average.
    private static let memory = 0.05
    /// Lower bound, because an object that needs magnification can appear at any time.
    private static let minimum = 0.1

    /// Updates the estimate before an inference. A scene without objects and motion carries no information and is
    /// skipped.
    mutating func learn(from places: [TrackerSnapshot.ObjectState], isMoving: Bool) {
        now =
            places.isEmpty
            ? 1 : Double(places.count { $0.observedMagnification > Detectability.near }) / Double(places.count)
        if isMoving || !places.isEmpty { lately += (now - lately) * Self.memory }
    }

    /// The expected benefit of magnification for an area, 0 to 1.
    var expectedGain: Double { max(Self.minimum, lately) }
}
