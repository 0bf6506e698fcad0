import CGStreamer
import Playback
import Synchronization

/// Where the picture ends in a recording that is ended early: sound and subtitles, which need no inference and wait before the muxer far
/// ahead of the picture, end there as well.
final class PictureEnd: Sendable {
    private struct State {
        /// The running time at which the latest picture ends.
        var end: UInt64 = 0
        var isOver = false
        var isEarly = false
    }

    private let state = Mutex(State())

    /// The recording is ended before its time. What comes later than the last picture is left out from here on.
    func endEarly() { state.withLock { $0.isEarly = true } }

    /// - Parameter slot: the muxer's pad for the picture.
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

    /// - Parameter slot: the muxer's pad for sound or subtitles. The muxer takes from it in the order of time, so that at most one buffer
    ///   has come that is later than the last picture.
    func cut(_ slot: Pad) {
        slot.watchTimes { time in
            let isLate = self.state.withLock { $0.isOver && $0.isEarly && time?.begin ?? 0 >= $0.end }
            return isLate ? .drop : .ok
        }
    }
}
