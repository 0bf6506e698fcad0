/// How a stream encodes colour: the YUV matrix, the sample range and the transfer function. RGB and grey formats ignore
/// the matrix and the range.
public struct ColorSpace: Hashable, Sendable {
    /// The YUV to RGB matrix.
    public enum Matrix: Int, Sendable {
        case bt601, bt709, bt2020, smpte240m, fcc
    }

    /// The transfer function from signal to light.
    public enum Transfer: Int, Sendable {
        /// A gamma curve, as used for standard dynamic range. Samples are used unchanged.
        case gamma
        /// SMPTE ST 2084 (PQ) with BT.2020 primaries, as in BT.2100 (HDR10).
        case pq
        /// Hybrid log-gamma (ARIB STD-B67) with BT.2020 primaries, as in BT.2100.
        case hlg
    }

    public var matrix: Matrix
    /// Whether 8-bit samples use the full range 0...255. Otherwise luma uses 16...235 and chroma 16...240. Wider
    /// samples scale accordingly.
    public var fullRange: Bool
    public var transfer: Transfer

    public init(matrix: Matrix, fullRange: Bool, transfer: Transfer = .gamma) {
        self.matrix = matrix
        self.fullRange = fullRange
        self.transfer = transfer
    }

    /// The default for standard-definition video without colour information.
    public static let standardDefinition = ColorSpace(matrix: .bt601, fullRange: false)
    /// The default for high-definition video without colour information.
    public static let highDefinition = ColorSpace(matrix: .bt709, fullRange: false)
}

extension ColorSpace {
    /// The luma weights of red and blue. The weight of green is the remainder to 1.
    public var lumaWeights: (red: Float, blue: Float) {
        switch matrix {
        case .bt601: (0.299, 0.114)
        case .bt709: (0.2126, 0.0722)
        case .bt2020: (0.2627, 0.0593)
        case .smpte240m: (0.212, 0.087)
        case .fcc: (0.30, 0.11)
        }
    }
}
