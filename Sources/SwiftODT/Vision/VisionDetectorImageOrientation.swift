/// The position of the buffer's first row and first column in the upright picture, with ML Kit's names and EXIF's
/// numbers. The name states first the side shown by the first row, then the side shown by the first column.
public enum VisionDetectorImageOrientation: Int, CaseIterable, Sendable {
    case topLeft = 1
    case topRight
    case bottomRight
    case bottomLeft
    case leftTop
    case rightTop
    case rightBottom
    case leftBottom
}

/// The names of image orientations on iOS, which ML Kit's current interface uses.
extension VisionDetectorImageOrientation {
    public static let up = topLeft
    public static let upMirrored = topRight
    public static let down = bottomRight
    public static let downMirrored = bottomLeft
    public static let leftMirrored = leftTop
    public static let right = rightTop
    public static let rightMirrored = rightBottom
    public static let left = leftBottom
}

extension Orientation {
    /// Creates the transformation that displays a picture with this buffer layout upright.
    public init(_ orientation: VisionDetectorImageOrientation) {
        self =
            switch orientation {
            case .topLeft: .identity
            case .topRight: .flipHorizontal
            case .bottomRight: .rotate180
            case .bottomLeft: .flipVertical
            case .leftTop: .transpose
            case .rightTop: .rotate90
            case .rightBottom: .transverse
            case .leftBottom: .rotate270
            }
    }
}

extension VisionDetectorImageOrientation {
    /// Creates the buffer layout of a picture that this transformation displays upright.
    public init(_ orientation: Orientation) {
        self =
            switch orientation {
            case .identity: .topLeft
            case .flipHorizontal: .topRight
            case .rotate180: .bottomRight
            case .flipVertical: .bottomLeft
            case .transpose: .leftTop
            case .rotate90: .rightTop
            case .transverse: .rightBottom
            case .rotate270: .leftBottom
            }
    }
}
