/// How YUV samples become RGB: the matrix and the range of the stream. RGB and grey frames carry it unused.
public struct ColorSpace: Hashable, Sendable {
    /// The YUV to RGB matrix.
    public enum Matrix: Int, Sendable {
        case bt601, bt709, bt2020, smpte240m, fcc
    }

    public var matrix: Matrix
    /// Whether samples use all of 0...255 rather than 16...235 (luma) and 16...240 (chroma).
    public var fullRange: Bool

    public init(matrix: Matrix, fullRange: Bool) {
        self.matrix = matrix
        self.fullRange = fullRange
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
