import Glibc

/// A picture that owns its pixels. It is read from a file or copied from a frame, and is accessible as a ``Frame``.
///
/// `@unchecked Sendable`: the picture owns its memory and is immutable.
///
///     let picture = try Picture(contentsOfFile: "street.png")
///     let detections = try picture.withFrame { try detector.start($0, options: DetectionOptions()).wait() }
package final class Picture: @unchecked Sendable {
    package let format: PixelFormat
    /// Width in pixels as stored, before the orientation is applied.
    package let width: Int
    /// Height in pixels as stored.
    package let height: Int
    package let colorSpace: ColorSpace
    /// The transformation that displays the picture upright, from the frame or from the file's EXIF data.
    package let orientation: Orientation
    package let pixelAspectRatio: Double
    /// The time of the copied frame in nanoseconds; 0 for a file.
    package let time: Nanoseconds

    private let memory: UnsafeMutableRawPointer
    private let planes: [Frame.Plane]

    /// Copies a frame in its own format.
    /// - Throws: ``ODTError`` if memory cannot be allocated.
    package init(copying frame: Frame) throws {
        let format = frame.format
        let extents = (0..<format.planeCount).map {
            format.extent(ofPlane: $0, width: frame.width, height: frame.height)
        }
        memory = try Self.allocate(extents.reduce(0) { $0 + $1.rowBytes * $1.rows })
        self.format = format
        width = frame.width
        height = frame.height
        colorSpace = frame.colorSpace
        orientation = frame.orientation
        pixelAspectRatio = frame.pixelAspectRatio
        time = frame.time
        var planes: [Frame.Plane] = []
        var next = memory
        for (index, extent) in extents.enumerated() {
            let source = frame.plane(index)
            planes.append(.init(base: next, stride: extent.rowBytes))
            for y in 0..<extent.rows {
                next.copyMemory(from: source.base + y * source.stride, byteCount: extent.rowBytes)
                next += extent.rowBytes
            }
        }
        self.planes = planes
    }

    /// Creates a picture with 4 bytes per pixel (blue, green, red, unused). `fill` writes the rows, which have no
    /// padding.
    init(
        width: Int, height: Int, orientation: Orientation, fill: (UnsafeMutableRawPointer) throws -> Void
    ) throws {
        try Self.check(width: width, height: height)
        format = .bgrx
        self.width = width
        self.height = height
        colorSpace = .standardDefinition
        self.orientation = orientation
        pixelAspectRatio = 1
        time = 0
        memory = try Self.allocate(width * height * 4)
        planes = [.init(base: memory, stride: width * 4)]
        try fill(memory)
    }

    deinit { free(memory) }

    /// Calls `body` with the picture as a read-only frame that is valid while `body` runs.
    /// - Parameters:
    ///   - time: the frame's time; by default ``time``.
    ///   - orientation: the frame's orientation; by default ``orientation``.
    package func withFrame<Answer>(
        time: Nanoseconds? = nil, orientation: Orientation? = nil, _ body: (Frame) throws -> Answer
    ) rethrows -> Answer {
        try withExtendedLifetime(self) {
            try body(
                Frame(
                    format: format, width: width, height: height, planes: planes, colorSpace: colorSpace,
                    orientation: orientation ?? self.orientation, pixelAspectRatio: pixelAspectRatio,
                    time: time ?? self.time))
        }
    }

    /// Limits memory use: a corrupt header can declare any size.
    private static let maximumPixels = 1 << 28

    /// - Throws: ``ODTError`` if the picture is empty or has more than `maximumPixels` pixels.
    static func check(width: Int, height: Int) throws {
        guard width > 0, height > 0, width <= maximumPixels / height else {
            throw ODTError(
                .unsupported,
                "a picture of \(width) x \(height) pixels is empty or too large; the limit is \(maximumPixels) pixels")
        }
    }

    private static func allocate(_ bytes: Int) throws -> UnsafeMutableRawPointer {
        guard let memory = malloc(max(1, bytes)) else {
            throw ODTError(.failed, "cannot allocate \(bytes) bytes for a picture; use a smaller one or free memory")
        }
        return memory
    }
}
