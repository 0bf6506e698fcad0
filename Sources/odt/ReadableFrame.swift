import CGStreamer
import Playback

extension Pad {
    /// Maps the frame for reading during the call; returns `nil` if it cannot be mapped.
    func withFrame<Result>(
        of buffer: UnsafeMutablePointer<GstBuffer>, _ body: (GstVideoFrame) -> Result
    ) -> Result? {
        guard let caps = gst_pad_get_current_caps(pointer) else { return nil }
        defer { gst_caps_unref(caps) }
        var format = GstVideoInfo()
        var frame = GstVideoFrame()
        guard gst_video_info_from_caps(&format, caps) != 0,
            gst_video_frame_map(&frame, &format, buffer, GST_MAP_READ) != 0
        else { return nil }
        defer { gst_video_frame_unmap(&frame) }
        return body(frame)
    }
}
