import CGStreamer
import Playback
import SwiftODT
import Synchronization

/// Gives pictures that come without a time the one at which they came: cameras that send JPEG files over HTTP say none, and
/// without one nothing can be recorded.
final class ArrivalTimestamps: Sendable {
    private let start = Mutex<Nanoseconds?>(nil)

    /// The pad holds on to it.
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

    /// Since the first picture that came without one.
    private var now: Nanoseconds {
        start.withLock { start in
            let now = MonotonicClock.now
            let first = start ?? now
            start = first
            return now - first
        }
    }
}
