import CGStreamer
import SwiftODT

extension Frame {
    /// Copies the frame in a GStreamer buffer.
    ///
    /// - Parameters:
    ///   - info: The video format of the buffer's caps.
    ///   - time: The time of the frame in nanoseconds; `nil` for the buffer's presentation time.
    /// - Throws: ``ODTError`` if the format is not supported or the buffer cannot be mapped.
    package init(
        copying buffer: UnsafeMutablePointer<GstBuffer>, info: GstVideoInfo, orientation: Orientation = .identity,
        time: Nanoseconds? = nil
    ) throws {
        guard let format = StreamFormat(info) else {
            throw ODTError(
                .unsupported,
                "cannot read video of the format "
                    + "\(String(cString: gst_video_format_to_string(info.finfo.pointee.format))); convert it with videoconvert"
            )
        }
        let time = time ?? Nanoseconds(clamping: buffer.pointee.pts)
        guard
            let picture = try format.withFrame(
                of: buffer, orientation: orientation, time: time, { try Picture(copying: $0) })
        else {
            throw ODTError(.failed, "cannot map the buffer as described by its caps; check that caps and memory match")
        }
        self.init(picture)
    }
}
