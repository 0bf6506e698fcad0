import CTurboJPEG

/// Makes JPEG files of pictures in memory. Keeps what it works with from one to the next.
final class JPEGCompressor {
    /// How the samples of a pixel lie.
    enum Layout {
        /// Three bytes.
        case rgb
        /// Four, the last one unused.
        case rgbx

        fileprivate var code: TJPF { self == .rgb ? TJPF_RGB : TJPF_RGBX }
    }

    private let compressor = tjInitCompress()

    deinit { if let compressor { tjDestroy(compressor) } }

    /// - Parameters:
    ///   - stride: bytes from row to row.
    ///   - isFine: whether colours are as sharp as light, which takes more room.
    /// - Returns: the file's bytes; `nil` where there is no memory for them.
    func file(
        of pixels: [UInt8], _ layout: Layout, width: Int, height: Int, stride: Int, quality: Int, isFine: Bool
    ) -> [UInt8]? {
        var file: UnsafeMutablePointer<UInt8>?
        var size: CUnsignedLong = 0
        defer { tjFree(file) }
        let status = tjCompress2(
            compressor, pixels, CInt(width), CInt(stride), CInt(height), CInt(layout.code.rawValue), &file, &size,
            CInt((isFine ? TJSAMP_444 : TJSAMP_420).rawValue), CInt(quality), 0)
        guard status == 0, let file else { return nil }
        return Array(UnsafeBufferPointer(start: file, count: Int(size)))
    }
}
