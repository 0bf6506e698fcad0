import CGStreamer
import Synchronization

/// Cuts sound and subtitles at the last frame when a recording is ended early. They bypass inference, so their
/// queues in front of the muxer are far ahead of the video.
final class PictureEnd: Sendable {
    private struct State {
        /// The running time at which the latest picture ends.
        var end: UInt64 = 0
        var isOver = false
        var isEarly = false
    }

    private let state = Mutex(State())

    /// Drops sound and subtitles after the last frame from now on.
    func endEarly() { state.withLock { $0.isEarly = true } }

    /// Tracks the end of the video.
    ///
    /// - Parameter slot: The muxer's video pad.
    func follow(_ slot: Pad) {
        slot.watchTimes { time in
            if let time { self.state.withLock { $0.end = max($0.end, time.end) } }
            return .ok
        }
        slot.watchEvents { event in
            if event.pointee.type == GST_EVENT_EOS { self.state.withLock { $0.isOver = true } }
            return .ok
        }
    }

    /// Cuts a stream at the end of the video. The muxer consumes its inputs in the order of time, so at most one
    /// buffer after the last frame has passed already.
    ///
    /// - Parameter slot: The muxer's pad for sound or subtitles.
    func cut(_ slot: Pad) {
        slot.watchTimes { time in
            let isLate = self.state.withLock { $0.isOver && $0.isEarly && time?.begin ?? 0 >= $0.end }
            return isLate ? .drop : .ok
        }
    }
}
