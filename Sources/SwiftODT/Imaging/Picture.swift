import Glibc

/// A picture that owns its pixels. It is read from a file or copied from a frame.
///
/// `@unchecked Sendable`: the picture owns its memory and is immutable.
///
///     let picture = try Picture(contentsOfFile: "street.png")
///     let detections = try picture.withFrame { try detector.start($0, options: DetectionOptions()).wait() }
package final class Picture: @unchecked Sendable {
    /// A view of ``memory``. The time is 0 for a file, and the orientation is that of the file's EXIF data.
    let view: Frame
    private let memory: UnsafeMutableRawPointer

    /// Width in pixels as stored, before the orientation is applied.
    package var width: Int { view.width }
    /// Height in pixels as stored.
    package var height: Int { view.height }

    /// Copies a frame. The copy has the same format.
    /// - Throws: ``ODTError`` if memory cannot be allocated.
    package init(copying frame: Frame) throws {
        let format = frame.format
        let extents = (0..<format.planeCount).map {
            format.extent(ofPlane: $0, width: frame.width, height: frame.height)
        }
        memory = try Self.allocate(extents.reduce(0) { $0 + $1.rowBytes * $1.rows })
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
        view = Frame(
            format: format, width: frame.width, height: frame.height, planes: planes, colorSpace: frame.colorSpace,
            orientation: frame.orientation, pixelAspectRatio: frame.pixelAspectRatio, time: frame.time)
    }

    /// Creates a picture with four bytes per pixel: blue, green, red and an unused byte. `fill` writes the rows without
    /// padding.
    init(
        width: Int, height: Int, orientation: Orientation, fill: (UnsafeMutableRawPointer) throws -> Void
    ) throws {
        try Self.check(width: width, height: height)
        memory = try Self.allocate(width * height * 4)
        view = Frame(
            format: .bgrx, width: width, height: height, planes: [.init(base: memory, stride: width * 4)],
            orientation: orientation)
        try fill(memory)
    }

    deinit { free(memory) }

    /// Calls `body` with a read-only frame that is valid while `body` runs.
    package func withFrame<Answer>(_ body: (Frame) throws -> Answer) rethrows -> Answer {
        try withExtendedLifetime(self) { try body(view) }
    }

    /// Limits the memory use, because a corrupt file header can declare any size.
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

extension Picture {
    /// Reads a PNG or JPEG file. The first bytes of the file determine the format.
    ///
    /// Transparent areas of a PNG file become white. The EXIF orientation of a JPEG file becomes the frame's
    /// orientation. The pixels keep their stored order.
    ///
    /// - Throws: ``ODTError`` if the file is missing, corrupt or of another format.
    package convenience init(contentsOfFile path: String) throws {
        guard FileBytes.size(path) != nil || access(path, F_OK) != 0 else {
            throw ODTError(.invalidFile, "\(path): not a regular file; pass the path of a picture file")
        }
        // The limit bounds the memory use, because a sparse file can have any size.
        let bytes = try FileBytes.read(path, limit: 1 << 30)
        do {
            try self.init(encoded: bytes)
        } catch let error as ODTError {
            throw ODTError(error.reason, "\(path): \(error)")
        }
    }

    package convenience init(encoded bytes: [UInt8]) throws {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            try self.init(png: bytes)
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            try self.init(jpeg: bytes)
        } else {
            throw ODTError(.unsupported, "the data is neither PNG nor JPEG; convert the picture to one of them")
        }
    }
}
