/// Converts a block's sums of red, green and blue into one grey level.
struct ColorLevel {
    let red: Float
    let green: Float
    let blue: Float
    let scale: Float
    let floor: Float
    let tone: ToneMap?

    @inline(__always)
    func of(_ totals: (UInt32, UInt32, UInt32)) -> UInt8 {
        let level = Float(totals.0) * red + Float(totals.1) * green + Float(totals.2) * blue
        return FloatLevel.rounded(level * scale - floor, tone: tone)
    }
}

/// Converts the sum of a block's luma samples into a grey level.
protocol LevelOfSum {
    func of(_ total: Int32) -> UInt8
}

/// Computes the level in floating point, through the HDR tone map if there is one.
struct FloatLevel: LevelOfSum {
    let gain: Float
    let floor: Float
    let tone: ToneMap?

    func of(_ total: Int32) -> UInt8 { Self.rounded(Float(total) * gain - floor, tone: tone) }

    @inline(__always)
    static func rounded(_ value: Float, tone: ToneMap?) -> UInt8 {
        let level = tone.map { $0.level(value) } ?? value
        return UInt8(truncatingIfNeeded: Int32(min(max(level + 0.5, 0), 255)))
    }
}

/// Computes the level in 12.20 fixed point. The error is below a thousandth of a level.
struct FixedPointLevel: LevelOfSum {
    private let gain: Int32
    private let offset: Int32

    init(gain: Float, floor: Float) {
        self.gain = Int32((gain * 1_048_576).rounded())
        offset = Int32(((0.5 - floor) * 1_048_576).rounded())
    }

    /// The product fits into 31 bits: the mean of a block is at most 255, and white is at most 297 after limited range
    /// has been expanded.
    func of(_ total: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: min(max((total &* gain &+ offset) &>> 20, 0), 255))
    }
}
