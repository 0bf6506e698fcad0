import CTurboJPEG

/// Compresses pictures to JPEG with libjpeg-turbo. One instance can compress several pictures, one after the other.
final class JPEGCompressor {
    enum Layout {
        case rgb
        /// Four bytes per pixel, the last one unused.
        case rgbx

        fileprivate var code: TJPF { self == .rgb ? TJPF_RGB : TJPF_RGBX }
    }

    private let compressor = tjInitCompress()

    deinit { if let compressor { tjDestroy(compressor) } }

    /// - Parameters:
    ///   - stride: The number of bytes from one row of pixels to the next.
    ///   - isFine: Whether chroma is stored at full resolution (4:4:4) instead of half resolution (4:2:0).
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

enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let three = bytes[start..<min(start + 3, bytes.count)]
            let bits = three.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - three.count))
            for place in 0..<4 {
                text.append(place <= three.count ? alphabet[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
