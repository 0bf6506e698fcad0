import CODTGStreamer
import CODTTurboJPEG

/// Compresses pictures to JPEG with libjpeg-turbo. One instance can compress several pictures, one after the other.
final class JPEGCompressor {
    private let compressor = tjInitCompress()

    deinit { if let compressor { tjDestroy(compressor) } }

    /// - Parameters:
    ///   - stride: The number of bytes from one row of pixels to the next.
    ///   - isFine: Whether chroma is stored at full resolution (4:4:4) instead of half resolution (4:2:0).
    func file(
        of pixels: [UInt8], _ layout: TJPF, width: Int, height: Int, stride: Int, quality: Int, isFine: Bool
    ) -> [UInt8]? {
        var file: UnsafeMutablePointer<UInt8>?
        var size: CUnsignedLong = 0
        defer { tjFree(file) }
        let status = tjCompress2(
            compressor, pixels, CInt(width), CInt(stride), CInt(height), CInt(layout.rawValue), &file, &size,
            CInt((isFine ? TJSAMP_444 : TJSAMP_420).rawValue), CInt(quality), 0)
        guard status == 0, let file else { return nil }
        return Array(UnsafeBufferPointer(start: file, count: Int(size)))
    }
}

enum Base64 {
    static func text(_ bytes: [UInt8]) -> String {
        guard let text = g_base64_encode(bytes, gsize(bytes.count)) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
