import CODTGStreamer
import ODTPlayback
import SwiftODT

/// The pixels of a frame, four bytes each (red, green, blue, unused). Valid only during the call that receives them.
struct FramePixels {
    let base: UnsafePointer<UInt8>
    /// The number of bytes from one row of pixels to the next.
    let stride: Int
    let width: Int
    let height: Int
}

extension StreamLinker {
    /// Links only the video. The linker must stay alive while the pipeline plays, because the decoder's signals call it
    /// without holding a reference.
    convenience init(videoOf pipeline: Pipeline, notify: @escaping @Sendable (String) -> Void) {
        self.init(pipeline, muxer: nil, soundEncoder: "", notify: notify)
    }
}

extension Pad {
    /// Calls the handler with each buffer, on the streaming thread. All buffers pass.
    func observeBuffers(_ handler: @escaping @Sendable (UnsafeMutablePointer<GstBuffer>) -> Void) {
        watchBuffers { buffer in
            handler(buffer)
            return .ok
        }
    }

    func streamTime(of buffer: UnsafeMutablePointer<GstBuffer>) -> Nanoseconds? {
        guard let event = gst_pad_get_sticky_event(pointer, GST_EVENT_SEGMENT, 0) else { return nil }
        defer { gst_event_unref(event) }
        var segment: UnsafePointer<GstSegment>?
        gst_event_parse_segment(event, &segment)
        let time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, buffer.pointee.pts)
        return time < UInt64(Int64.max) ? Nanoseconds(time) : nil
    }

    /// Maps a frame for reading during the call of `body`. Returns `nil` if the frame cannot be mapped.
    func withFrame<Result>(
        of buffer: UnsafeMutablePointer<GstBuffer>, _ body: (GstVideoFrame) -> Result
    ) -> Result? {
        var frame = GstVideoFrame()
        guard var format, gst_video_frame_map(&frame, &format, buffer, GST_MAP_READ) != 0 else { return nil }
        defer { gst_video_frame_unmap(&frame) }
        return body(frame)
    }

    /// Maps a frame in the format RGBx for reading during the call of `body`. If this fails, `body` is not called.
    func withPixels(of buffer: UnsafeMutablePointer<GstBuffer>, _ body: (FramePixels) -> Void) {
        _ = withFrame(of: buffer) { frame in
            guard let base = frame.data.0 else { return }
            body(
                FramePixels(
                    base: base.assumingMemoryBound(to: UInt8.self), stride: Int(frame.info.stride.0),
                    width: Int(frame.info.width), height: Int(frame.info.height)))
        }
    }
}

/// An owned reference to a buffer.
///
/// `@unchecked Sendable`: the buffer is only read, and its reference count is atomic.
final class HeldBuffer: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstBuffer>

    init(_ pointer: UnsafeMutablePointer<GstBuffer>) {
        gst_buffer_ref(pointer)
        self.pointer = pointer
    }

    deinit { gst_buffer_unref(pointer) }

    var size: Int { Int(gst_buffer_get_size(pointer)) }
}
