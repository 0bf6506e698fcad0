import CGStreamer
import Playback
import SwiftODT
import Synchronization

/// Adds timestamps to buffers that have none: the time of arrival, counted from the first such buffer. Cameras that
/// send JPEG over HTTP (MJPEG) have no timestamps, but recording needs them.
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
