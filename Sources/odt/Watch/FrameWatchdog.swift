import Playback
import SwiftODT
import Synchronization

/// Records when frames arrive, by the monotonic clock, to detect a stalled camera.
final class FrameWatchdog: Sendable {
    private struct State {
        var first: Nanoseconds?
        var latest: Nanoseconds
    }

    private let state = Mutex(State(latest: MonotonicClock.now))

    /// Attaches a probe to the pad, which keeps this object alive.
    func attach(at pad: Pad) {
        pad.watchBuffers { _ in
            let now = MonotonicClock.now
            self.state.withLock { state in
                state.first = state.first ?? now
                state.latest = now
            }
            return .ok
        }
    }

    /// Whether a frame has arrived.
    var isThere: Bool { state.withLock { $0.first != nil } }

    /// The time from the first frame to the latest.
    var held: Nanoseconds { state.withLock { state in state.first.map { state.latest - $0 } ?? 0 } }

    /// The time since the latest frame, or since the start if there was none.
    var silence: Nanoseconds { state.withLock { MonotonicClock.now - $0.latest } }
}
