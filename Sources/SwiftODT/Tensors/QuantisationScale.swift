/// What the whole numbers of a quantised tensor stand for: a step is worth `step`, and `zero` stands for nothing.
public struct QuantisationScale: Hashable, Sendable {
    public let step: Float
    public let zero: Float

    /// - Returns: `nil` where different bytes would not stand for different numbers, or their order would be another.
    public init?(step: Float, zero: Float) {
        guard (1e-30...1e30).contains(step), (-128...255).contains(zero) else { return nil }
        self.step = step
        self.zero = zero
    }

    @inline(__always)
    func number(_ whole: Float) -> Float { (whole - zero) * step }
}
