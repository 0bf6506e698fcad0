/// The transformation that makes the picture of a buffer upright. ML Kit, EXIF and GStreamer's `image-orientation` tag
/// have the same eight cases.
///
///     let upright = Orientation.rotate90.upright(box, bufferWidth: 1920, bufferHeight: 1080)
public enum Orientation: Int, CaseIterable, Sendable {
    /// The picture is already upright.
    case identity
    /// Rotate by 90° clockwise.
    case rotate90
    /// Rotate by 180°.
    case rotate180
    /// Rotate by 90° counter-clockwise.
    case rotate270
    /// Mirror left to right.
    case flipHorizontal
    /// Mirror top to bottom.
    case flipVertical
    /// Mirror across the diagonal from the upper left to the lower right (transpose).
    case transpose
    /// Mirror across the diagonal from the upper right to the lower left.
    case transverse
}

extension Orientation {
    /// Whether the transformation exchanges the width and the height of the picture.
    public var swapsAxes: Bool { axes.x.x == 0 }

    /// The transformation that reverses this transformation.
    public var inverse: Orientation {
        switch self {
        case .rotate90: .rotate270
        case .rotate270: .rotate90
        default: self
        }
    }

    /// Returns the transformation that is equivalent to `first` followed by this transformation.
    public func following(_ first: Orientation) -> Orientation {
        let (second, first) = (axes, first.axes)
        let both = Axes(
            x: SIMD2(second.x.x * first.x.x + second.x.y * first.y.x, second.x.x * first.x.y + second.x.y * first.y.y),
            y: SIMD2(second.y.x * first.x.x + second.y.y * first.y.x, second.y.x * first.x.y + second.y.y * first.y.y))
        return Self.allCases.first { $0.axes == both } ?? .identity
    }

    /// The matrix of a transformation. The x axis points right, the y axis points down.
    private struct Axes: Equatable {
        let x: SIMD2<Int>
        let y: SIMD2<Int>
    }

    private var axes: Axes {
        switch self {
        case .identity: Axes(x: [1, 0], y: [0, 1])
        case .rotate90: Axes(x: [0, -1], y: [1, 0])
        case .rotate180: Axes(x: [-1, 0], y: [0, -1])
        case .rotate270: Axes(x: [0, 1], y: [-1, 0])
        case .flipHorizontal: Axes(x: [-1, 0], y: [0, 1])
        case .flipVertical: Axes(x: [1, 0], y: [0, -1])
        case .transpose: Axes(x: [0, 1], y: [1, 0])
        case .transverse: Axes(x: [0, -1], y: [-1, 0])
        }
    }

    /// Maps a box in a buffer of the given size to the upright picture.
    public func upright(_ box: Box, bufferWidth: Double, bufferHeight: Double) -> Box {
        let (w, h) = (bufferWidth, bufferHeight)
        return switch self {
        case .identity: box
        case .rotate90: Box(x: h - box.maxY, y: box.x, width: box.height, height: box.width)
        case .rotate180: Box(x: w - box.maxX, y: h - box.maxY, width: box.width, height: box.height)
        case .rotate270: Box(x: box.y, y: w - box.maxX, width: box.height, height: box.width)
        case .flipHorizontal: Box(x: w - box.maxX, y: box.y, width: box.width, height: box.height)
        case .flipVertical: Box(x: box.x, y: h - box.maxY, width: box.width, height: box.height)
        case .transpose: Box(x: box.y, y: box.x, width: box.height, height: box.width)
        case .transverse: Box(x: h - box.maxY, y: w - box.maxX, width: box.height, height: box.width)
        }
    }

    /// Maps a box in the upright picture to a buffer of the given size.
    public func buffer(_ box: Box, bufferWidth: Double, bufferHeight: Double) -> Box {
        let (uprightWidth, uprightHeight) =
            swapsAxes ? (bufferHeight, bufferWidth) : (bufferWidth, bufferHeight)
        return inverse.upright(box, bufferWidth: uprightWidth, bufferHeight: uprightHeight)
    }
}
