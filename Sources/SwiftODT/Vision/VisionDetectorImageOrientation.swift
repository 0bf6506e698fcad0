/// Where the picture's upright top left corner's row and column lie in the buffer, by ML Kit's names and EXIF's numbers: first
/// the side of the picture that the buffer's first row is, then the side that its first column is.
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

/// The same by the names that image orientations have on iOS, which ML Kit's current interface uses.
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
    /// What has to be done to a picture that lies in the buffer like this.
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
    /// How a picture lies in the buffer to which this has to be done.
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
