import CGStreamer
import Playback
import SwiftODT
import Synchronization

/// Adds timestamps to buffers that have none: the time since the arrival of the first such buffer. Cameras that send
/// JPEG over HTTP (MJPEG) have no timestamps, but recording needs them.
final class ArrivalTimestamps: Sendable {
    private let start = Mutex<Nanoseconds?>(nil)

    /// Installs the probe on the pad. The probe keeps the instance alive.
    static func complete(at pad: Pad) {
        let times = ArrivalTimestamps()
        pad.replaceBuffers { buffer in
            guard buffer.pointee.pts == .max, buffer.pointee.dts == .max, let copy = gst_buffer_copy(buffer) else {
                return nil
            }
            copy.pointee.pts = GstClockTime(times.now)
            return copy
        }
    }

    /// Stores the wall-clock time of arrival in each buffer, unless the camera sends this time. The element reports it
    /// as `utc-time`. Otherwise the element would report the time of processing, which is later if the gate has delayed
    /// the frame.
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

    /// The time in nanoseconds since the first buffer without a timestamp arrived.
    private var now: Nanoseconds {
        start.withLock { start in
            let now = MonotonicClock.now
            let first = start ?? now
            start = first
            return now - first
        }
    }
}
