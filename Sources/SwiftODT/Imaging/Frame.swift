/// A picture in memory with its format, orientation and timestamp, as input of an ``ObjectDetector``.
///
/// A frame keeps its pixels alive and never changes them. It can be stored, copied and shared between threads. Copies
/// of a frame share the pixels.
///
///     let photo = try Frame(contentsOfFile: "street.jpg")
///     let raw = try Frame(format: .nv12, width: 1920, height: 1080, bytes: bytes, timestamp: MediaTime(seconds: 2))
///
/// Each pixel format has one to three planes, see ``withUnsafeBytes(ofPlane:_:)``.
//
// Within this package, a frame without an owner is a view of planes that the caller has mapped into memory. A view is
// valid only during the call to which it is passed. A function that needs the pixels after the call makes a copy.
//
// `@unchecked Sendable`: the planes are only read, and an owner keeps the memory unchanged. For a view, readers on
// other threads finish before the caller unmaps or writes the planes.
public struct Frame: @unchecked Sendable {
    /// The base address of a plane's first row, and the stride in bytes. The stride may exceed the row length and may
    /// be negative.
    package struct Plane {
        package var base: UnsafeMutableRawPointer
        package var stride: Int

        package init(base: UnsafeMutableRawPointer, stride: Int) {
            self.base = base
            self.stride = stride
        }

        /// Returns the end address, including padding, of the row with the highest address among `rows`. With a
        /// negative stride, this is the first row.
        func end(of rows: Range<Int>) -> UnsafeRawPointer {
            UnsafeRawPointer(base + max(rows.lowerBound * stride, (rows.upperBound - 1) * stride) + abs(stride))
        }
    }

    /// The pixel format.
    public let format: PixelFormat
    /// Width in pixels as stored, before the orientation is applied.
    public let width: Int
    /// Height in pixels as stored.
    public let height: Int
    /// The colour encoding of the samples.
    public let colorSpace: ColorSpace
    /// The transformation that displays the picture upright.
    public internal(set) var orientation: Orientation
    /// Width of a pixel divided by its height.
    public let pixelAspectRatio: Double
    /// The running time in nanoseconds. It does not decrease, except after a seek or a similar discontinuity.
    package internal(set) var time: Nanoseconds

    /// A reduced grey copy of this frame, if one exists.
    package var luma: LumaPlane?
    /// Keeps the memory of the planes valid and unchanged. `nil` if this frame is a view.
    package var owner: (any AnyObject & Sendable)?

    private let plane0: Plane
    private let plane1: Plane
    private let plane2: Plane

    /// Creates a view. `planes` has GStreamer's order.
    package init(
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

    /// Creates a view without allocating an array of planes.
    package init(
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

    /// The index is the position in GStreamer's order.
    package func plane(_ index: Int) -> Plane {
        switch index {
        case 0: plane0
        case 1: plane1
        default: plane2
        }
    }
}
