import Playback
import SwiftODT
import Synchronization

/// Records when frames arrive, in monotonic time, to detect a stalled camera.
final class FrameWatchdog: Sendable {
    private struct State {
        var first: Nanoseconds?
        var latest: Nanoseconds
    }

    private let state = Mutex(State(latest: MonotonicClock.now))

    /// Installs a probe on the pad. The probe keeps this object alive.
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

    /// Whether at least one frame has arrived.
    var isThere: Bool { state.withLock { $0.first != nil } }

    /// The time from the first frame to the latest, in nanoseconds; 0 before the first frame.
    var held: Nanoseconds { state.withLock { state in state.first.map { state.latest - $0 } ?? 0 } }

    /// The time since the latest frame in nanoseconds. Before the first frame, the time since this object was created.
    var silence: Nanoseconds { state.withLock { MonotonicClock.now - $0.latest } }
}
