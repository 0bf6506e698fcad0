/// The number of bits of a sample, and their position in its byte or word.
public struct SampleDepth: Hashable, Sendable {
    /// Bits per sample, 8 to 16.
    public let bits: Int
    /// Number of unused bits below the sample.
    public let shift: Int

    /// 8-bit samples.
    public static let byte = SampleDepth(bits: 8, shift: 0)

    /// Samples in the low bits of a 16-bit word, as in I420_10LE.
    public static func low(_ bits: Int) -> SampleDepth { SampleDepth(bits: bits, shift: 0) }

    /// Samples in the high bits of a 16-bit word, as in P010_10LE.
    public static func high(_ bits: Int) -> SampleDepth { SampleDepth(bits: bits, shift: 16 - bits) }
}

extension SampleDepth {
    /// Bytes per sample.
    public var bytes: Int { bits > 8 ? 2 : 1 }

    /// The maximum sample value, which is white in full range.
    public var white: Int { 1 << bits - 1 }

    /// Number of unused bits above the sample.
    var headroom: Int { 8 * bytes - bits - shift }

    /// Returns the size of one grey level in two-byte samples normalised to 14 bits. Limited range keeps the 8-bit
    /// positions of black and white, so it is exactly 64; full range ends slightly later.
    func unitOf14Bits(fullRange: Bool) -> Float {
        guard fullRange else { return 64 }
        return Float((white << (16 - bits)) >> 2) / 255
    }
}
