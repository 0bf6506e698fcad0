/// A reproducible random number generator (SplitMix64), so that failures of fuzz tests can be repeated.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Corrupts bytes in a random way: truncates them, overwrites some, writes a large integer, or replaces all by
    /// noise.
    public mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
        var damaged = bytes
        switch Int.random(in: 0..<4, using: &self) {
        case 0: damaged.removeLast(Int.random(in: 0...bytes.count, using: &self))
        case 1:
            for _ in 0..<Int.random(in: 1...8, using: &self) where !damaged.isEmpty {
                damaged[Int.random(in: damaged.indices, using: &self)] = UInt8.random(in: 0...255, using: &self)
            }
        case 2:
            guard bytes.count > 8 else { break }
            let from = Int.random(in: 0..<bytes.count - 4, using: &self)
            damaged.replaceSubrange(from..<from + 4, with: [0xFF, 0xFF, 0xFF, UInt8.random(in: 0...255, using: &self)])
        default:
            damaged = (0..<Int.random(in: 0...400, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
        }
        return damaged
    }
}
