/// How many bits a sample has, and where in its byte or word they lie.
public struct SampleDepth: Hashable, Sendable {
    /// 8 to 16.
    public let bits: Int
    /// Unused bits below them.
    public let shift: Int

    /// Samples of a byte.
    public static let byte = SampleDepth(bits: 8, shift: 0)

    /// Samples in the lower bits of a word of 16, as in I420_10LE.
    public static func low(_ bits: Int) -> SampleDepth { SampleDepth(bits: bits, shift: 0) }

    /// Samples in the upper bits of a word of 16, as in P010_10LE.
    public static func high(_ bits: Int) -> SampleDepth { SampleDepth(bits: bits, shift: 16 - bits) }
}

extension SampleDepth {
    /// Bytes from one sample to the next.
    public var bytes: Int { bits > 8 ? 2 : 1 }

    /// The greatest sample: white in full range.
    public var white: Int { 1 << bits - 1 }

    /// Unused bits above the sample.
    var headroom: Int { 8 * bytes - bits - shift }

    /// What grey level 1 is in samples of two bytes that have been brought to 14 bits, as whoever adds or blends them does; black
    /// and white of limited range are those of 8 bits, full range ends a little later.
    func unitOf14Bits(fullRange: Bool) -> Float {
        guard fullRange else { return 64 }
        return Float((white << (16 - bits)) >> 2) / 255
    }
}
