import CGStreamer
import Synchronization

/// Cuts sound and subtitles at the last video frame when the user ends a recording early. Sound and subtitles bypass
/// inference, so their queues in front of the muxer hold data that is much later than the current video frame.
final class PictureEnd: Sendable {
    private struct State {
        /// The running time in nanoseconds at which the latest video frame ends.
        var end: UInt64 = 0
        var isOver = false
        var isEarly = false
    }

    private let state = Mutex(State())

    /// From this call on, drops sound and subtitles that are later than the last video frame.
    func endEarly() { state.withLock { $0.isEarly = true } }

    /// Observes the end of the video.
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

    /// Cuts a stream of sound or subtitles at the end of the video. The muxer consumes its inputs in the order of time,
    /// so at most one buffer later than the last frame may already have passed.
    ///
    /// - Parameter slot: The muxer's pad for sound or subtitles.
    func cut(_ slot: Pad) {
        slot.watchTimes { time in
            let isLate = self.state.withLock { $0.isOver && $0.isEarly && time?.begin ?? 0 >= $0.end }
            return isLate ? .drop : .ok
        }
    }
}
