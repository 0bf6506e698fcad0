/// What the samples of a stream mean: how YUV becomes RGB, and how that becomes light. RGB and grey frames have no use for matrix
/// and range.
public struct ColorSpace: Hashable, Sendable {
    /// The YUV to RGB matrix.
    public enum Matrix: Int, Sendable {
        case bt601, bt709, bt2020, smpte240m, fcc
    }

    /// How signals become light.
    public enum Transfer: Int, Sendable {
        /// A gamma, as screens that are not HDR have it: signals are taken as they are.
        case gamma
        /// SMPTE ST 2084 with BT.2020's primaries, as BT.2100 has it (HDR10).
        case pq
        /// Hybrid log-gamma, ARIB STD-B67, with BT.2020's primaries, as BT.2100 has it.
        case hlg
    }

    public var matrix: Matrix
    /// Whether samples use all of 0...255 rather than 16...235 (luma) and 16...240 (chroma); wider ones accordingly.
    public var fullRange: Bool
    public var transfer: Transfer

    public init(matrix: Matrix, fullRange: Bool, transfer: Transfer = .gamma) {
        self.matrix = matrix
        self.fullRange = fullRange
        self.transfer = transfer
    }

    /// What unmarked video of standard definition means.
    public static let standardDefinition = ColorSpace(matrix: .bt601, fullRange: false)
    /// What unmarked video of high definition means.
    public static let highDefinition = ColorSpace(matrix: .bt709, fullRange: false)
}

extension ColorSpace {
    /// The luma weights of red and blue; green has the rest.
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
