import CGStreamer
import Playback
import SwiftODT

/// Identifies a decoded frame by its time and an MD5 checksum of its pixels.
struct FrameChecksum {
    let time: Nanoseconds
    let pixels: String

    init?(_ buffer: UnsafeMutablePointer<GstBuffer>, at time: Nanoseconds, on pad: Pad) {
        guard let pixels = pad.withFrame(of: buffer, Self.sum) ?? nil else { return nil }
        (self.time, self.pixels) = (time, pixels)
    }

    private static func sum(of frame: GstVideoFrame) -> String? {
        guard let sum = g_checksum_new(G_CHECKSUM_MD5) else { return nil }
        defer { g_checksum_free(sum) }
        for rows in rows(of: frame) {
            for row in 0..<rows.count {
                g_checksum_update(sum, rows.base.advanced(by: row * rows.stride), rows.width)
            }
        }
        return String(cString: g_checksum_get_string(sum))
    }

    /// The pixels of one plane. `width` is the number of bytes per row, excluding the padding at the end of the row,
    /// whose content is undefined.
    private struct Rows {
        let base: UnsafePointer<UInt8>
        let stride: Int
        let width: Int
        let count: Int
    }

    private static func rows(of frame: GstVideoFrame) -> [Rows] {
        guard let format = frame.info.finfo?.pointee else { return [] }
        let (components, planes) = (Int(format.n_components), Int(format.n_planes))
        let bases = [frame.data.0, frame.data.1, frame.data.2, frame.data.3]
        let strides = [frame.info.stride.0, frame.info.stride.1, frame.info.stride.2, frame.info.stride.3].map(Int.init)
        let owners = [format.plane.0, format.plane.1, format.plane.2, format.plane.3].map(Int.init)
        let steps = [format.pixel_stride.0, format.pixel_stride.1, format.pixel_stride.2, format.pixel_stride.3]
        let narrowings = [format.w_sub.0, format.w_sub.1, format.w_sub.2, format.w_sub.3]
        let lowerings = [format.h_sub.0, format.h_sub.1, format.h_sub.2, format.h_sub.3]
        return (0..<min(planes, 4)).compactMap { plane in
            guard let component = (0..<min(components, 4)).first(where: { owners[$0] == plane }),
                let base = bases[plane], strides[plane] > 0
            else { return nil }
            let columns = scaled(Int(frame.info.width), by: narrowings[component])
            // Formats that pack several pixels into one group of bytes have no pixel stride, so the whole row is
            // included.
            let width = steps[component] > 0 ? columns * Int(steps[component]) : strides[plane]
            return Rows(
                base: base.assumingMemoryBound(to: UInt8.self), stride: strides[plane],
                width: min(width, strides[plane]), count: scaled(Int(frame.info.height), by: lowerings[component]))
        }
    }

    /// Divides by 2 to the power of `shift`, rounding up.
    private static func scaled(_ count: Int, by shift: UInt32) -> Int { (count + (1 << shift) - 1) >> shift }

    var json: JSONValue { .array([.number(Double(time)), .string(pixels)]) }
}
