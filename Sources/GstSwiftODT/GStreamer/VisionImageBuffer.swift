import CGStreamer
import SwiftODT

extension VisionImage {
    /// A copy of the picture in a GStreamer buffer, with its presentation time.
    ///
    /// - Parameter info: what the buffer's caps say.
    /// - Throws: ``ODTError`` for formats that are not understood and buffers that cannot be mapped.
    public convenience init(
        buffer: UnsafeMutablePointer<GstBuffer>, info: GstVideoInfo, orientation: Orientation = .identity
    ) throws {
        guard let format = StreamFormat(info) else {
            throw ODTError(
                .unsupported,
                "video of the format \(String(cString: gst_video_format_to_string(info.finfo.pointee.format))) is not "
                    + "understood; convert it with videoconvert")
        }
        let time = Nanoseconds(clamping: buffer.pointee.pts)
        guard
            let picture = try format.withFrame(
                of: buffer, orientation: orientation, time: time, { try Picture(copying: $0) })
        else {
            throw ODTError(.failed, "the buffer's memory cannot be mapped as its caps say")
        }
        self.init(image: picture)
        if buffer.pointee.pts != .max { timestamp = time }
    }
}
