import CODTGStreamer
import ODTPlayback
import SwiftODT

enum ArrivalTimestamps {
    /// Adds timestamps to buffers that have none: the time since the arrival of the first such buffer. Cameras that
    /// send JPEG over HTTP (MJPEG) have no timestamps, but recording needs them.
    static func complete(at pad: Pad) {
        let start = Monitor<Nanoseconds?>(nil)
        pad.replaceBuffers { buffer in
            guard buffer.pointee.pts == .max, buffer.pointee.dts == .max, let copy = gst_buffer_copy(buffer) else {
                return nil
            }
            let now = MonotonicClock.now
            copy.pointee.pts = start.update { start in
                let first = start ?? now
                start = first
                return GstClockTime(now - first)
            }
            return copy
        }
    }

    /// Stores the wall-clock time of arrival in each buffer that has no reference timestamp from the camera. The
    /// element reports the reference timestamp as `utc-time`. Without one, the element would report the time of
    /// processing, which is later if the gate (``CameraGate``) has delayed the frame.
    static func note(at pad: Pad) {
        pad.replaceBuffers { buffer in
            guard gst_buffer_get_reference_timestamp_meta(buffer, nil) == nil, let copy = gst_buffer_copy(buffer)
            else { return nil }
            gst_buffer_add_reference_timestamp_meta(copy, sinceUnix, GstClockTime(max(0, WallClock.now)), .max)
            return copy
        }
    }

    // `nonisolated(unsafe)`: the caps are constant and never freed.
    nonisolated(unsafe) private static let sinceUnix = gst_caps_new_empty_simple("timestamp/x-unix")
}
