/// A model of how likely a detector finds an object, given the object's size in the network's input.
struct Detectability: Sendable {
    /// Side of the square of the same area, in input pixels.
    private let side: Double

    /// Sides in input pixels below which objects are not detected, and from which on all are.
    private static let (invisible, plain) = (6.0, 36.0)
    private static let minimum = 0.02
    private static let fullFrameDistrust = 0.3
    /// Ratio of magnifications from which an inference counts as closer than another.
    static let near = 1.25

    init(side: Double) { self.side = side }

    /// Whether the object is so large that a higher magnification would not improve its detection.
    var isCertain: Bool { side >= Self.plain }

    /// Returns the likelihood of a detection, 0 to 1. It is reduced for an object that was detected at a higher
    /// magnification than the one now considered.
    ///
    /// - Parameters:
    ///   - observedMagnification: magnification at which the object was detected; 1 is the full frame.
    ///   - magnification: magnification of the inference considered.
    func likelihood(observedAt observedMagnification: Double, inferredAt magnification: Double) -> Double {
        let bySize = min(1, max(Self.minimum, (side - Self.invisible) / (Self.plain - Self.invisible)))
        return observedMagnification > Self.near * magnification ? bySize * Self.fullFrameDistrust : bySize
    }
}
