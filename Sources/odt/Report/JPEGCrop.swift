import CODTTurboJPEG
import SwiftODT

final class JPEGCrop {
    private let compressor = JPEGCompressor()

    /// - Parameters:
    ///   - side: The maximum width and height in pixels. A larger crop is downscaled by averaging.
    ///   - limit: The maximum size of the file in bytes. To reach it, the quality is reduced first, then the
    ///     resolution. A crop that was already reduced to 16 pixels may exceed the limit.
    /// - Returns: The bytes of the file; `nil` if the box is outside the frame or compression fails.
    func jpeg(of box: Box, in frame: FramePixels, side: Int, limit: Int) -> [UInt8]? {
        guard let part = part(box, of: frame) else { return nil }
        var side = side
        while true {
            let small = Self.shrunk(part, to: side)
            for quality in [85, 72, 58, 42] {
                guard let bytes = compress(small, quality: quality) else { return nil }
                if bytes.count <= limit || (quality == 42 && side <= 16) { return bytes }
            }
            side /= 2
        }
    }

    /// Compresses the full frame, downscaled to a maximum width and height of `side` pixels.
    func jpeg(of frame: FramePixels, side: Int) -> [UInt8]? {
        compress(Self.shrunk(frame, to: side), quality: 82)
    }

    func jpeg(of frame: FramePixels, marking box: Box, side: Int) -> [UInt8]? {
        var small = Self.shrunk(frame, to: side)
        let (x, y) = (Double(small.width) / Double(frame.width), Double(small.height) / Double(frame.height))
        let box = Box(minX: box.minX * x, minY: box.minY * y, maxX: box.maxX * x, maxY: box.maxY * y)
            .clipped(width: small.width, height: small.height)
        if box.isFinite, !box.isEmpty {
            small.outline(Int(box.minX)..<Int(box.maxX.rounded(.up)), Int(box.minY)..<Int(box.maxY.rounded(.up)))
        }
        return compress(small, quality: 82)
    }

    private func part(_ box: Box, of frame: FramePixels) -> FramePixels? {
        let box = box.clipped(width: frame.width, height: frame.height)
        guard box.isFinite, !box.isEmpty else { return nil }
        let (left, top) = (Int(box.minX), Int(box.minY))
        let right = min(Int(box.maxX.rounded(.up)), frame.width)
        let bottom = min(Int(box.maxY.rounded(.up)), frame.height)
        guard left < right, top < bottom else { return nil }
        return FramePixels(
            base: frame.base + top * frame.stride + left * 4, stride: frame.stride, width: right - left,
            height: bottom - top)
    }

    /// A downscaled copy of a crop, with four bytes per pixel.
    private struct Copy {
        var bytes: [UInt8]
        let width: Int
        let height: Int

        mutating func outline(_ columns: Range<Int>, _ rows: Range<Int>) {
            let thickness = max(2, width / 320)
            let (inner, innerRows) = (
                columns.dropFirst(thickness).dropLast(thickness), rows.dropFirst(thickness).dropLast(thickness)
            )
            for y in rows {
                for x in columns where !innerRows.contains(y) || !inner.contains(x) {
                    bytes.replaceSubrange(4 * (y * width + x)..<4 * (y * width + x) + 3, with: [0, 230, 64])
                }
            }
        }
    }

    /// Downscales a crop. Each target pixel is the average of the source pixels that it covers.
    private static func shrunk(_ source: FramePixels, to side: Int) -> Copy {
        let longest = max(source.width, source.height)
        let width = longest <= side ? source.width : max(1, source.width * side / longest)
        let height = longest <= side ? source.height : max(1, source.height * side / longest)
        let bytes = [UInt8](unsafeUninitializedCapacity: width * height * 4) { buffer, filled in
            for y in 0..<height {
                let rows =
                    y * source.height / height..<max((y + 1) * source.height / height, y * source.height / height + 1)
                for x in 0..<width {
                    let from = x * source.width / width
                    let columns = from..<max((x + 1) * source.width / width, from + 1)
                    var sum = SIMD4<UInt32>(repeating: 0)
                    for row in rows {
                        let line = source.base + row * source.stride
                        for column in columns {
                            let pixel = line + column * 4
                            sum &+= SIMD4(UInt32(pixel[0]), UInt32(pixel[1]), UInt32(pixel[2]), 0)
                        }
                    }
                    let count = UInt32(rows.count * columns.count)
                    for channel in 0..<4 {
                        buffer[(y * width + x) * 4 + channel] = UInt8((sum[channel] + count / 2) / count)
                    }
                }
            }
            filled = width * height * 4
        }
        return Copy(bytes: bytes, width: width, height: height)
    }

    private func compress(_ picture: Copy, quality: Int) -> [UInt8]? {
        compressor.file(
            of: picture.bytes, TJPF_RGBX, width: picture.width, height: picture.height, stride: 4 * picture.width,
            quality: quality, isFine: false)
    }
}
