/// A deterministic random number generator (xorshift64).
public struct RandomNumbers: RandomNumberGenerator {
    private var state: UInt64

    public init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    public mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    /// Returns an approximately normal value with a standard deviation of about 1.
    public mutating func noise() -> Double {
        (0..<4).reduce(0) { sum, _ in sum + Double.random(in: -1...1, using: &self) } * 0.866
    }
}
