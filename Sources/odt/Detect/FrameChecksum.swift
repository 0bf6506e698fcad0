import CODTGStreamer
import ODTPlayback
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
        guard let format = frame.info.finfo?.pointee, let sum = g_checksum_new(G_CHECKSUM_MD5) else { return nil }
        defer { g_checksum_free(sum) }
        // The stride of tiled formats is not in bytes.
        if format.flags.rawValue & GST_VIDEO_FORMAT_FLAG_TILED.rawValue != 0 {
            g_checksum_update(sum, frame.map.0.data, gssize(frame.map.0.size))
            return String(cString: g_checksum_get_string(sum))
        }
        let (components, planes) = (Int(format.n_components), Int(format.n_planes))
        let bases = [frame.data.0, frame.data.1, frame.data.2, frame.data.3]
        let strides = [frame.info.stride.0, frame.info.stride.1, frame.info.stride.2, frame.info.stride.3].map(Int.init)
        let owners = [format.plane.0, format.plane.1, format.plane.2, format.plane.3].map(Int.init)
        let steps = [format.pixel_stride.0, format.pixel_stride.1, format.pixel_stride.2, format.pixel_stride.3]
        let narrowings = [format.w_sub.0, format.w_sub.1, format.w_sub.2, format.w_sub.3]
        let lowerings = [format.h_sub.0, format.h_sub.1, format.h_sub.2, format.h_sub.3]
        for plane in 0..<min(planes, 4) {
            guard let component = (0..<min(components, 4)).first(where: { owners[$0] == plane }),
                let base = bases[plane]?.assumingMemoryBound(to: UInt8.self), strides[plane] > 0
            else { continue }
            let columns = scaled(Int(frame.info.width), by: narrowings[component])
            // The padding at the end of a row is excluded, because its content is undefined. Formats that pack several
            // pixels into one group of bytes have no pixel stride, so the whole row is included.
            let width = steps[component] > 0 ? columns * Int(steps[component]) : strides[plane]
            for row in 0..<scaled(Int(frame.info.height), by: lowerings[component]) {
                g_checksum_update(sum, base.advanced(by: row * strides[plane]), min(width, strides[plane]))
            }
        }
        return String(cString: g_checksum_get_string(sum))
    }

    /// Divides by 2 to the power of `shift`, rounding up.
    private static func scaled(_ count: Int, by shift: UInt32) -> Int { (count + (1 << shift) - 1) >> shift }

    var json: JSONValue { .array([.number(Double(time)), .string(pixels)]) }
}
