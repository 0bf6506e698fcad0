import Glibc

/// How a stream encodes colour: the YUV matrix, the sample range and the transfer function. RGB and grey formats ignore
/// the matrix and the range.
public struct ColorSpace: Hashable, Sendable {
    /// The YUV to RGB matrix.
    package enum Matrix: Int, Sendable {
        case bt601, bt709, bt2020, smpte240m, fcc
    }

    /// The transfer function from signal to light.
    package enum Transfer: Int, Sendable {
        /// A gamma curve, as used for standard dynamic range. Samples are used unchanged.
        case gamma
        /// SMPTE ST 2084 (PQ) with BT.2020 primaries, as in BT.2100 (HDR10).
        case pq
        /// Hybrid log-gamma (ARIB STD-B67) with BT.2020 primaries, as in BT.2100.
        case hlg
    }

    package var matrix: Matrix
    /// Whether 8-bit samples use the full range 0...255. Otherwise luma uses 16...235 and chroma 16...240. Wider
    /// samples scale accordingly.
    package var fullRange: Bool
    package var transfer: Transfer

    package init(matrix: Matrix, fullRange: Bool, transfer: Transfer = .gamma) {
        self.matrix = matrix
        self.fullRange = fullRange
        self.transfer = transfer
    }

    /// The default for standard-definition video without colour information.
    public static let standardDefinition = ColorSpace(matrix: .bt601, fullRange: false)
    /// The default for high-definition video without colour information.
    public static let highDefinition = ColorSpace(matrix: .bt709, fullRange: false)
    /// BT.2020 video with the PQ transfer function, as in HDR10.
    public static let hdr10 = ColorSpace(matrix: .bt2020, fullRange: false, transfer: .pq)
    /// BT.2020 video with the transfer function hybrid log-gamma.
    public static let hlg = ColorSpace(matrix: .bt2020, fullRange: false, transfer: .hlg)

    /// The same encoding with samples that use their full range, as in JPEG pictures.
    public var withFullRange: ColorSpace { ColorSpace(matrix: matrix, fullRange: true, transfer: transfer) }
}

extension ColorSpace {
    /// The luma weights of red and blue. The weight of green is the remainder to 1.
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

/// The transfer functions of HDR video (ITU-R BT.2100), between signals of 0...1 and light.
///
/// Light is relative to *graphics white*, the white of a page or caption: 203 cd/m², which BT.2408 places at 58 % of
/// the PQ signal and 75 % of the HLG signal.
extension ColorSpace.Transfer {
    /// Graphics white in cd/m².
    private static let white: Float = 203

    // The constants of ST 2084 and ARIB STD-B67, and the reference display of HLG (1,000 cd/m², system gamma 1.2).
    private static let (m1, m2): (Float, Float) = (2610.0 / 16384, 2523.0 / 4096 * 128)
    private static let (c1, c2, c3): (Float, Float, Float) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)
    private static let (a, b, c): (Float, Float, Float) = (0.17883277, 0.28466892, 0.55991073)
    private static let (peak, systemGamma): (Float, Float) = (1000, 1.2)

    /// Returns the light of a grey signal. HLG assumes the 1,000 cd/m² reference display.
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

    /// Returns the signals for a colour's light: the inverse of ``light(_:)``, for three BT.2020 components.
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
            // The system gamma of the display applies to luminance, not to each component.
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
