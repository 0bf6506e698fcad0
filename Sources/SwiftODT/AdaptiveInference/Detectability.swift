/// How well a detector sees something, by its size in the network's input.
struct Detectability: Sendable {
    /// In input pixels, of a square that covers as much.
    private let side: Double

    /// Sides below which nothing is seen, and from which on all is.
    private static let (invisible, plain) = (6.0, 36.0)
    private static let minimum = 0.02
    private static let fullFrameDistrust = 0.3
    /// Times as near as another look: that sees more.
    static let near = 1.25

    init(side: Double) { self.side = side }

    /// Whether it is so large that a nearer look would show no more.
    var isCertain: Bool { side >= Self.plain }

    /// How likely it is seen, 0 to 1: less where it was seen from nearby and is now looked at from farther off.
    ///
    /// - Parameters:
    ///   - observedMagnification: of the looks that saw it; 1 is the whole picture.
    ///   - magnification: of this look.
    func likelihood(observedAt observedMagnification: Double, inferredAt magnification: Double) -> Double {
        let bySize = min(1, max(Self.minimum, (side - Self.invisible) / (Self.plain - Self.invisible)))
        return observedMagnification > Self.near * magnification ? bySize * Self.fullFrameDistrust : bySize
    }
}
