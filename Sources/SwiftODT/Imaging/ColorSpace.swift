import Glibc

/// The colour encoding of a stream. The YUV matrix and the sample range do not apply to RGB and grey formats.
public struct ColorSpace: Hashable, Sendable {
    package enum Matrix: Int, Sendable {
        case bt601, bt709, bt2020, smpte240m, fcc
    }

    package enum Transfer: Int, Sendable {
        /// The gamma curve of standard dynamic range (SDR). Needs no tone mapping.
        case gamma
        /// SMPTE ST 2084 (PQ) with BT.2020 primaries, as in BT.2100 (HDR10).
        case pq
        /// Hybrid log-gamma (ARIB STD-B67) with BT.2020 primaries, as in BT.2100.
        case hlg
    }

    package var matrix: Matrix
    /// Whether 8-bit samples use the full range from 0 to 255. If `false`, luma uses 16 to 235 and chroma uses 16 to
    /// 240. The ranges of samples with more bits are proportional.
    package var fullRange: Bool
    package var transfer: Transfer

    package init(matrix: Matrix, fullRange: Bool, transfer: Transfer = .gamma) {
        self.matrix = matrix
        self.fullRange = fullRange
        self.transfer = transfer
    }

    /// The default for standard-definition video if the stream does not specify the colour space.
    public static let standardDefinition = ColorSpace(matrix: .bt601, fullRange: false)
    /// The default for high-definition video if the stream does not specify the colour space.
    public static let highDefinition = ColorSpace(matrix: .bt709, fullRange: false)
    /// BT.2020 video with the PQ transfer function, as in HDR10.
    public static let hdr10 = ColorSpace(matrix: .bt2020, fullRange: false, transfer: .pq)
    /// BT.2020 video with the transfer function hybrid log-gamma.
    public static let hlg = ColorSpace(matrix: .bt2020, fullRange: false, transfer: .hlg)

    /// The same colour space with full-range samples, as in JPEG pictures.
    public var withFullRange: ColorSpace { ColorSpace(matrix: matrix, fullRange: true, transfer: transfer) }

    /// The weights of red and blue in the luma. The weight of green is `1 - red - blue`.
    package var lumaWeights: (red: Float, blue: Float) {
        switch matrix {
        case .bt601: (0.299, 0.114)
        case .bt709: (0.2126, 0.0722)
        case .bt2020: (0.2627, 0.0593)
        case .smpte240m: (0.212, 0.087)
        case .fcc: (0.30, 0.11)
        }
    }
}

/// Transfer functions between signal values, 0 to 1, and luminance (ITU-R BT.2100).
///
/// The unit of luminance is graphics white, the luminance of white text and graphics: 203 cd/m². According to BT.2408,
/// graphics white has a PQ signal of 58 % and an HLG signal of 75 %.
extension ColorSpace.Transfer {
    /// In cd/m².
    private static let white: Float = 203

    // The constants of ST 2084 (`m1` to `c3`) and of ARIB STD-B67 (`a`, `b`, `c`), and two properties of the HLG
    // reference display: the peak luminance in cd/m² (`peak`) and the system gamma.
    private static let (m1, m2): (Float, Float) = (2610.0 / 16384, 2523.0 / 4096 * 128)
    private static let (c1, c2, c3): (Float, Float, Float) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)
    private static let (a, b, c): (Float, Float, Float) = (0.17883277, 0.28466892, 0.55991073)
    private static let (peak, systemGamma): (Float, Float) = (1000, 1.2)

    /// Returns the luminance of a grey signal, relative to graphics white. For HLG, it is the luminance on the
    /// reference display.
    func light(_ signal: Float) -> Float {
        let signal = min(max(signal, 0), 1)
        switch self {
        case .gamma: return powf(signal, 2.4)
        case .pq:
            let root = powf(signal, 1 / Self.m2)
            return 10000 / Self.white * powf(max(root - Self.c1, 0) / (Self.c2 - Self.c3 * root), 1 / Self.m1)
        case .hlg:
            let scene = signal <= 0.5 ? signal * signal / 3 : (expf((signal - Self.c) / Self.a) + Self.b) / 12
            return Self.peak / Self.white * powf(scene, Self.systemGamma)
        }
    }

    /// Returns the signals for the linear red, green and blue (BT.2020) of a colour, relative to graphics white. For
    /// grey, the function is the inverse of ``light(_:)``.
    package func signals(_ light: SIMD3<Float>) -> SIMD3<Float> {
        let light = light.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 10000 / Self.white))
        switch self {
        case .gamma: return light.mapped { powf($0, 1 / 2.4) }
        case .pq:
            return light.mapped {
                let power = powf($0 * Self.white / 10000, Self.m1)
                return powf((Self.c1 + Self.c2 * power) / (1 + Self.c3 * power), Self.m2)
            }
        case .hlg:
            // The system gamma of the display applies to the luminance, not to each component.
            let shown = light * (Self.white / Self.peak)
            let luminance = (shown * SIMD3(0.2627, 0.6780, 0.0593)).sum()
            guard luminance > 0 else { return .zero }
            let scene = shown * powf(luminance, 1 / Self.systemGamma - 1)
            return scene.mapped {
                let level = min($0, 1)
                return level <= 1.0 / 12 ? (3 * level).squareRoot() : Self.a * logf(12 * level - Self.b) + Self.c
            }
        }
    }
}

extension SIMD3<Float> {
    fileprivate func mapped(_ body: (Float) -> Float) -> Self { Self(body(x), body(y), body(z)) }
}

/// Maps HDR signals to the grey levels of standard dynamic range (SDR), for which networks are trained and motion
/// detection is designed.
///
/// Up to an SDR signal of 0.75, the mapping is the inverse of the SDR-to-HDR mapping of BT.2408. SDR content that was
/// converted to HDR is therefore restored. Brighter signals are compressed into the range from 0.75 to 1. Red, green
/// and blue are mapped separately, which makes bright colours slightly less saturated.
struct ToneMap {
    /// Table entries per HDR signal level. With 16 entries, the SDR levels of adjacent entries differ by less than 0.2.
    private static let perLevel = 16
    static let count = 255 * perLevel + 1
    /// The factor that converts a signal level to a table index.
    static let scale = Float(perLevel)

    /// The SDR levels, 0 to 255, for the HDR signal levels from 0 to 255 in steps of 1 / ``perLevel``.
    let levels: [Float]

    /// Returns `nil` for a transfer function that needs no mapping.
    init?(_ transfer: ColorSpace.Transfer) {
        guard transfer != .gamma else { return nil }
        levels = (0..<Self.count).map { 255 * Self.picture(transfer.light(Float($0) / Float(Self.count - 1))) }
    }

    /// Both levels are from 0 to 255 and may be fractional.
    func level(_ signal: Float) -> Float {
        levels[Int(min(max(signal, 0), 255) * Self.scale + 0.5)]
    }

    /// Returns the SDR signal, 0 to below 1, for a luminance relative to graphics white.
    private static func picture(_ light: Float) -> Float {
        let signal = powf(light, 1 / 2.4)
        let knee: Float = 0.75
        guard signal > knee else { return signal }
        let above = (signal - knee) / (1 - knee)
        return knee + (1 - knee) * above / (1 + above)
    }

    private static let perceptual = ToneMap(.pq)
    private static let hybrid = ToneMap(.hlg)

    /// Returns `nil` for a transfer function that needs no mapping. The table is computed at the first use.
    static func of(_ transfer: ColorSpace.Transfer) -> ToneMap? {
        switch transfer {
        case .gamma: nil
        case .pq: perceptual
        case .hlg: hybrid
        }
    }
}
