/// The scale of a quantised tensor: the value of one step, and the integer that represents 0.
public struct QuantisationScale: Hashable, Sendable {
    public let step: Float
    public let zero: Float

    /// - Returns: `nil` if the parameters are out of range, so that distinct bytes might not map to distinct values in
    ///   ascending order.
    public init?(step: Float, zero: Float) {
        guard (1e-30...1e30).contains(step), (-128...255).contains(zero) else { return nil }
        self.step = step
        self.zero = zero
    }

    /// Returns the value that an integer represents.
    @inline(__always)
    func number(_ whole: Float) -> Float { (whole - zero) * step }
}
