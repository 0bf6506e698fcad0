import CGStreamer
import Playback
import SwiftODT
import Synchronization

/// Adds timestamps to buffers without one: the time of arrival since the first buffer. Cameras that send JPEG over
/// HTTP (MJPEG) have no timestamps, which recording needs.
final class ArrivalTimestamps: Sendable {
    private let start = Mutex<Nanoseconds?>(nil)

    /// Attaches an instance to the pad, whose probe keeps it alive.
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

    /// The time since the first buffer without a timestamp.
    private var now: Nanoseconds {
        start.withLock { start in
            let now = MonotonicClock.now
            let first = start ?? now
            start = first
            return now - first
        }
    }
}
