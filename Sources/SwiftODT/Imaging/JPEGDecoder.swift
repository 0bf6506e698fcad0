import CTurboJPEG

/// Decodes JPEG files with TurboJPEG.
final class JPEGDecoder {
    /// The properties that a JPEG header declares.
    struct Header {
        let width: Int
        let height: Int
        let isCMYK: Bool
    }

    private let handle: tjhandle

    init() throws {
        guard let handle = tjInitDecompress() else {
            throw ODTError(.failed, "TurboJPEG cannot be initialised; check that libturbojpeg is installed")
        }
        self.handle = handle
    }

    deinit { tjDestroy(handle) }

    /// Reads the header of a JPEG file.
    func header(_ bytes: [UInt8]) throws -> Header {
        var (width, height, subsampling, colorSpace): (CInt, CInt, CInt, CInt) = (0, 0, 0, 0)
        try check(
            tjDecompressHeader3(handle, bytes, CUnsignedLong(bytes.count), &width, &height, &subsampling, &colorSpace))
        guard width > 0, height > 0 else { throw broken }
        let isCMYK = [TJCS_CMYK, TJCS_YCCK].contains { colorSpace == CInt($0.rawValue) }
        return Header(width: Int(width), height: Int(height), isCMYK: isCMYK)
    }

    /// Writes 4 bytes per pixel: blue, green, red, unused. A CMYK file yields its four ink channels instead.
    func decode(_ bytes: [UInt8], _ header: Header, into memory: UnsafeMutableRawPointer) throws {
        let format = header.isCMYK ? TJPF_CMYK : TJPF_BGRX
        try check(
            tjDecompress2(
                handle, bytes, CUnsignedLong(bytes.count), memory.assumingMemoryBound(to: UInt8.self),
                CInt(header.width), 0, CInt(header.height), CInt(format.rawValue), 0))
    }

    /// Ignores warnings: many cameras append a few extra bytes, and the picture still decodes.
    private func check(_ code: CInt) throws {
        if code != 0, tjGetErrorCode(handle) == CInt(TJERR_FATAL.rawValue) { throw broken }
    }

    private var broken: ODTError {
        let why = tjGetErrorStr2(handle).map { String(cString: $0) } ?? "no reason given"
        return ODTError(
            .invalidFile, "the JPEG picture is corrupt or its encoding is unsupported (\(why)); convert it to PNG")
    }
}
