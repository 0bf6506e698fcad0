extension Frame {
    /// Reads a PNG or JPEG file. The EXIF orientation of a JPEG becomes the frame's ``orientation``; the pixels stay as
    /// stored.
    ///
    /// - Throws: ``ODTError`` if the file is missing, corrupt or of another format.
    public init(contentsOfFile path: String) throws(ODTError) {
        self.init(try ODTError.wrapping { try Picture(contentsOfFile: path) })
    }

    /// Decodes the content of a PNG or JPEG file.
    ///
    /// - Throws: ``ODTError`` if the picture is corrupt or of another format.
    public init(encoded bytes: some Collection<UInt8>) throws(ODTError) {
        self.init(try ODTError.wrapping { try Picture(encoded: Array(bytes)) })
    }

    /// Copies raw pixels.
    ///
    /// - Parameters:
    ///   - format: the pixel format.
    ///   - width: the width in pixels.
    ///   - height: the height in pixels.
    ///   - bytes: the planes in GStreamer's order, one after the other.
    ///   - bytesPerRow: for each plane, the distance in bytes between the starts of two rows. `nil` if the rows have no
    ///     padding.
    ///   - colorSpace: the colour encoding of the samples. The default is ``ColorSpace/highDefinition`` for pictures
    ///     with at least 720 rows, otherwise ``ColorSpace/standardDefinition``.
    ///   - orientation: the transformation that displays the picture upright.
    ///   - pixelAspectRatio: the width of a pixel divided by its height.
    ///   - timestamp: the time of the frame in its stream.
    /// - Throws: ``ODTError`` if the size is invalid, there are too few bytes, or there are too many bytes and
    ///   `bytesPerRow` is `nil`.
    public init(
        format: PixelFormat, width: Int, height: Int, bytes: some Collection<UInt8>, bytesPerRow: [Int]? = nil,
        colorSpace: ColorSpace? = nil, orientation: Orientation = .identity, pixelAspectRatio: Double = 1,
        timestamp: MediaTime = .zero
    ) throws(ODTError) {
        let colorSpace = colorSpace ?? (height >= 720 ? .highDefinition : .standardDefinition)
        self.init(
            try ODTError.wrapping {
                try Picture.check(width: width, height: height)
                guard pixelAspectRatio.isFinite, pixelAspectRatio > 0 else {
                    throw ODTError(
                        .invalidOption, "the pixel aspect ratio \(pixelAspectRatio) is not a positive number")
                }
                func copy(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Picture {
                    try Picture(
                        copying: Frame(
                            format: format, width: width, height: height,
                            planes: Self.planes(of: bytes, format, width, height, bytesPerRow),
                            colorSpace: colorSpace, orientation: orientation, pixelAspectRatio: pixelAspectRatio,
                            time: timestamp.nanoseconds.clampedToRange))
                }
                return try bytes.withContiguousStorageIfAvailable(copy) ?? Array(bytes).withUnsafeBufferPointer(copy)
            })
    }

    /// Shares the pixels of a picture.
    package init(_ picture: Picture) {
        self = picture.view
        owner = picture
    }

    /// The time of the frame in its stream. The frames of a video need increasing times for an ``ObjectTracker`` and
    /// for ``ObjectDetector/Method/motion``; set them with ``with(timestamp:)`` if the frames come from pictures.
    public var timestamp: MediaTime { MediaTime(nanoseconds: time) }

    /// Returns the same pixels with another timestamp.
    public func with(timestamp: MediaTime) -> Frame { with(time: timestamp.nanoseconds, orientation: orientation) }

    /// Returns the same pixels with another orientation.
    public func with(orientation: Orientation) -> Frame { with(time: time, orientation: orientation) }

    package func with(time: Nanoseconds, orientation: Orientation) -> Frame {
        var frame = self
        (frame.time, frame.orientation) = (time.clampedToRange, orientation)
        return frame
    }

    /// Returns this frame, or a copy if this frame does not own its pixels.
    package func owned() throws -> Frame { owner == nil ? Frame(try Picture(copying: self)) : self }
}

extension Frame {
    /// Calls a closure with the bytes of a plane.
    ///
    /// - Parameters:
    ///   - plane: the index of the plane in GStreamer's order, from 0 to ``PixelFormat/planeCount`` - 1.
    ///   - body: receives the bytes, and the distance in bytes between the starts of two rows. The bytes are valid only
    ///     during the call.
    public func withUnsafeBytes<Result, Failure>(
        ofPlane plane: Int, _ body: (_ bytes: UnsafeRawBufferPointer, _ bytesPerRow: Int) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition((0..<format.planeCount).contains(plane), "\(format) has \(format.planeCount) planes")
        let extent = format.extent(ofPlane: plane, width: width, height: height)
        let (base, stride) = (self.plane(plane).base, self.plane(plane).stride)
        precondition(stride >= extent.rowBytes, "a frame that owns its pixels has its rows in order")
        let bytes = UnsafeRawBufferPointer(start: base, count: (extent.rows - 1) * stride + extent.rowBytes)
        defer { withExtendedLifetime(owner) {} }
        return try body(bytes, stride)
    }

    #if compiler(>=6.2)
        /// Calls a closure with the bytes of a plane. The compiler ensures that the bytes are not used after the call.
        ///
        ///     let brightest = frame.withBytes(ofPlane: 0) { bytes, _ in
        ///         bytes.byteOffsets.reduce(0) { max($0, bytes.unsafeLoad(fromByteOffset: $1, as: UInt8.self)) }
        ///     }
        ///
        /// - Parameters:
        ///   - plane: the index of the plane in GStreamer's order, from 0 to ``PixelFormat/planeCount`` - 1.
        ///   - body: receives the bytes, and the distance in bytes between the starts of two rows.
        public func withBytes<Result, Failure>(
            ofPlane plane: Int, _ body: (_ bytes: RawSpan, _ bytesPerRow: Int) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try withUnsafeBytes(ofPlane: plane) { (bytes, bytesPerRow) throws(Failure) in
                try body(bytes.bytes, bytesPerRow)
            }
        }
    #endif
}

extension Frame {
    /// Returns the planes in `bytes`, one after the other.
    private static func planes(
        of bytes: UnsafeBufferPointer<UInt8>, _ format: PixelFormat, _ width: Int, _ height: Int, _ bytesPerRow: [Int]?
    ) throws -> [Plane] {
        guard bytesPerRow.map({ $0.count == format.planeCount }) ?? true else {
            throw ODTError(
                .invalidOption,
                "bytesPerRow has \(bytesPerRow?.count ?? 0) values; \(format) has \(format.planeCount) planes")
        }
        // Casting away `const` is safe: the picture only copies the bytes.
        let start = UnsafeMutableRawPointer(mutating: UnsafeRawPointer(bytes.baseAddress))
        var planes: [Plane] = []
        var end = 0
        for index in 0..<format.planeCount {
            let extent = format.extent(ofPlane: index, width: width, height: height)
            let stride = bytesPerRow?[index] ?? extent.rowBytes
            guard stride >= extent.rowBytes, stride <= 1 << 32 else {
                throw ODTError(
                    .invalidOption,
                    "bytesPerRow of plane \(index) is \(stride); a row of \(width) pixels in \(format) has \(extent.rowBytes) bytes"
                )
            }
            // The last row of the last plane needs no padding.
            guard let start, end + (extent.rows - 1) * stride + extent.rowBytes <= bytes.count else {
                throw ODTError(
                    .invalidOption,
                    "\(bytes.count) bytes are too few for \(width) x \(height) pixels in \(format); pass all planes one after the other"
                )
            }
            planes.append(Plane(base: start + end, stride: stride))
            end += extent.rows * stride
        }
        guard bytesPerRow != nil || end == bytes.count else {
            throw ODTError(
                .invalidOption,
                "\(bytes.count) bytes are too many for \(width) x \(height) pixels in \(format) without padding, which have \(end); set bytesPerRow"
            )
        }
        return planes
    }
}
