import CGStreamer
import Playback
import SwiftODT

extension Pad {
    /// Returns the stream time of a buffer at the pad; `nil` if it is unknown.
    func streamTime(of buffer: UnsafeMutablePointer<GstBuffer>) -> Nanoseconds? {
        guard let event = gst_pad_get_sticky_event(pointer, GST_EVENT_SEGMENT, 0) else { return nil }
        defer { gst_event_unref(event) }
        var segment: UnsafePointer<GstSegment>?
        gst_event_parse_segment(event, &segment)
        let time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, buffer.pointee.pts)
        return time < UInt64(Int64.max) ? Nanoseconds(time) : nil
    }
}
