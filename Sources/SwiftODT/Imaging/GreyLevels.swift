/// What the sums of a block's red, green and blue are as a grey level.
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

/// What the sum of a block's samples is as a grey level.
protocol LevelOfSum {
    func of(_ total: Int32) -> UInt8
}

/// In floats, and through the tone map of HDR.
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

/// The grey level of a sum of samples, in whole numbers: 20 bits behind the point, good to a thousandth of a level.
struct FixedPointLevel: LevelOfSum {
    private let gain: Int32
    private let offset: Int32

    init(gain: Float, floor: Float) {
        self.gain = Int32((gain * 1_048_576).rounded())
        offset = Int32(((0.5 - floor) * 1_048_576).rounded())
    }

    /// The product stays within 31 bits: a sum's mean is at most 255, and white at most 297 after the range is widened.
    func of(_ total: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: min(max((total &* gain &+ offset) &>> 20, 0), 255))
    }
}
