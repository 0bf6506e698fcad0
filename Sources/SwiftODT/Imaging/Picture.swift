import Glibc

/// A picture of one's own: read from a file or copied from a frame, and lent out as a ``Frame``.
///
/// Immutable, so it may be kept and passed between threads.
///
///     let picture = try Picture(contentsOfFile: "street.png")
///     let detections = try picture.withFrame { try detector.start($0, options: DetectionOptions()).wait() }
public final class Picture: @unchecked Sendable {
    public let format: PixelFormat
    /// Pixels across, as stored (not turned upright).
    public let width: Int
    /// Pixels down, as stored.
    public let height: Int
    public let colorSpace: ColorSpace
    /// What has to be done to see it upright: from the frame, or from the file's EXIF data.
    public let orientation: Orientation
    public let pixelAspectRatio: Double
    /// The copied frame's time; 0 for a file.
    public let time: Nanoseconds

    private let memory: UnsafeMutableRawPointer
    private let planes: [Frame.Plane]

    /// Copies a frame, in its own format. Costs one pass over its bytes.
    /// - Throws: ``ODTError`` where there is no memory for it.
    public init(copying frame: Frame) throws {
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

    /// Makes a picture of 4 bytes a pixel (blue, green, red, unused) and has `fill` write its rows, which follow each other
    /// without padding.
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

    /// Lends the picture as a frame, valid while `body` runs. It is read-only.
    /// - Parameters:
    ///   - time: the frame's time, where it is to be another than ``time``.
    ///   - orientation: the frame's orientation, where it is to be another than ``orientation``.
    public func withFrame<Answer>(
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

    /// A header of a few bytes can promise a picture of any size.
    private static let maximumPixels = 1 << 28

    /// - Throws: ``ODTError`` for pictures that are too large, or empty.
    static func check(width: Int, height: Int) throws {
        guard width > 0, height > 0, width <= maximumPixels / height else {
            throw ODTError(.unsupported, "a picture of \(width) x \(height) pixels is too large to be looked at")
        }
    }

    private static func allocate(_ bytes: Int) throws -> UnsafeMutableRawPointer {
        guard let memory = malloc(max(1, bytes)) else {
            throw ODTError(.failed, "there is no memory for a picture of \(bytes) bytes")
        }
        return memory
    }
}
