import CGStreamer
import SwiftODT

extension VisionImage {
    /// Creates an image with a copy of a GStreamer buffer and its presentation time.
    ///
    /// - Parameter info: the video info of the buffer's caps.
    /// - Throws: ``ODTError`` for unsupported formats and buffers that cannot be mapped.
    package convenience init(
        buffer: UnsafeMutablePointer<GstBuffer>, info: GstVideoInfo, orientation: Orientation = .identity
    ) throws {
        guard let format = StreamFormat(info) else {
            throw ODTError(
                .unsupported,
                "cannot read video of the format "
                    + "\(String(cString: gst_video_format_to_string(info.finfo.pointee.format))); convert it with videoconvert"
            )
        }
        let time = Nanoseconds(clamping: buffer.pointee.pts)
        guard
            let picture = try format.withFrame(
                of: buffer, orientation: orientation, time: time, { try Picture(copying: $0) })
        else {
            throw ODTError(.failed, "cannot map the buffer as described by its caps; check that caps and memory match")
        }
        self.init(image: picture)
        if buffer.pointee.pts != .max { timestamp = time }
    }
}
