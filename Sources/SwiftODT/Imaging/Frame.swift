/// A picture as it lies in memory: a view of mapped planes, no copy.
///
/// A frame owns nothing. It is valid as long as whoever made it keeps the memory mapped, which is the duration of
/// the call it is passed to; what has to live longer is reduced and copied (``LumaPlane``, a network's input).
///
///     let plane = Frame.Plane(base: pixels, stride: 4 * 640)
///     let frame = Frame(format: .bgrx, width: 640, height: 480, planes: [plane])
public struct Frame: @unchecked Sendable {
    /// One plane: its first row and the bytes from row to row. The stride may exceed the row, and may be negative.
    public struct Plane {
        public var base: UnsafeMutableRawPointer
        public var stride: Int

        public init(base: UnsafeMutableRawPointer, stride: Int) {
            self.base = base
            self.stride = stride
        }

        /// Where in memory the last of some rows ends, its padding included; of rows that run upwards that is the first.
        func end(of rows: Range<Int>) -> UnsafeRawPointer {
            UnsafeRawPointer(base + max(rows.lowerBound * stride, (rows.upperBound - 1) * stride) + abs(stride))
        }
    }

    public let format: PixelFormat
    /// Pixels across, as in the buffer (not turned upright).
    public let width: Int
    /// Pixels down, as in the buffer.
    public let height: Int
    public let colorSpace: ColorSpace
    public let orientation: Orientation
    /// Width of a pixel divided by its height.
    public let pixelAspectRatio: Double
    /// Running time in nanoseconds: it never goes back within an epoch.
    public let time: Nanoseconds

    /// A reduced grey copy of it, where somebody has made one already: who needs one too need not make another.
    public var luma: LumaPlane?

    private let plane0: Plane
    private let plane1: Plane
    private let plane2: Plane

    /// - Parameter planes: as many as the format has, in GStreamer's order.
    public init(
        format: PixelFormat, width: Int, height: Int, planes: [Plane],
        colorSpace: ColorSpace = .standardDefinition, orientation: Orientation = .identity,
        pixelAspectRatio: Double = 1, time: Nanoseconds = 0
    ) {
        precondition(planes.count >= format.planeCount, "\(format) has \(format.planeCount) planes")
        self.init(
            format: format, width: width, height: height, planes[0], planes.count > 1 ? planes[1] : nil,
            planes.count > 2 ? planes[2] : nil, colorSpace: colorSpace, orientation: orientation,
            pixelAspectRatio: pixelAspectRatio, time: time)
    }

    /// As above, without an array: for those who map a frame after the other. Planes that the format does not have are not
    /// looked at.
    public init(
        format: PixelFormat, width: Int, height: Int, _ first: Plane, _ second: Plane?, _ third: Plane?,
        colorSpace: ColorSpace, orientation: Orientation, pixelAspectRatio: Double, time: Nanoseconds
    ) {
        precondition(width > 0 && height > 0, "a frame has at least one pixel")
        self.format = format
        self.width = width
        self.height = height
        self.colorSpace = colorSpace
        self.orientation = orientation
        self.pixelAspectRatio = pixelAspectRatio
        self.time = time
        plane0 = first
        plane1 = second ?? first
        plane2 = third ?? first
    }

    public func plane(_ index: Int) -> Plane {
        switch index {
        case 0: plane0
        case 1: plane1
        default: plane2
        }
    }
}
