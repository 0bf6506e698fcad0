import SwiftODT

/// The position of the buffer's first row and first column in the upright picture, with ML Kit's names and EXIF's
/// numbers. The first part of a name is the side of the upright picture that shows the buffer's first row. The second
/// part is the side that shows the buffer's first column.
public enum VisionDetectorImageOrientation: Int, CaseIterable, Sendable {
    /// The first row is the top, the first column the left side.
    case topLeft = 1
    /// The first row is the top, the first column the right side.
    case topRight
    /// The first row is the bottom, the first column the right side.
    case bottomRight
    /// The first row is the bottom, the first column the left side.
    case bottomLeft
    /// The first row is the left side, the first column the top.
    case leftTop
    /// The first row is the right side, the first column the top.
    case rightTop
    /// The first row is the right side, the first column the bottom.
    case rightBottom
    /// The first row is the left side, the first column the bottom.
    case leftBottom
}

/// The names of image orientations on iOS, which ML Kit's current interface uses.
extension VisionDetectorImageOrientation {
    /// The same as ``topLeft``.
    public static let up = topLeft
    /// The same as ``topRight``.
    public static let upMirrored = topRight
    /// The same as ``bottomRight``.
    public static let down = bottomRight
    /// The same as ``bottomLeft``.
    public static let downMirrored = bottomLeft
    /// The same as ``leftTop``.
    public static let leftMirrored = leftTop
    /// The same as ``rightTop``.
    public static let right = rightTop
    /// The same as ``rightBottom``.
    public static let rightMirrored = rightBottom
    /// The same as ``leftBottom``.
    public static let left = leftBottom
}

extension Orientation {
    /// Creates the transformation that displays a picture with this buffer layout upright.
    package init(_ orientation: VisionDetectorImageOrientation) { self = Orientation(exif: orientation.rawValue)! }
}

extension VisionDetectorImageOrientation {
    /// Creates the buffer layout of a picture that this transformation displays upright.
    public init(_ orientation: Orientation) {
        self = Self.allCases.first(where: { Orientation($0) == orientation })!
    }
}
