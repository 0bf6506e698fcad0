import CGStreamer
import SwiftODT

extension VisionImage {
    /// Creates an image with a copy of the frame in a GStreamer buffer, and with its presentation time.
    ///
    /// - Parameter info: The video format of the buffer's caps.
    /// - Throws: ``ODTError`` if the format is not supported or the buffer cannot be mapped.
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
