import Playback
import SwiftODT
import Synchronization

/// When pictures of a camera came, by a clock that nobody sets: whether there are any, for how long there have been, and when there have
/// been none for too long.
final class FrameWatchdog: Sendable {
    private struct State {
        var first: Nanoseconds?
        var latest: Nanoseconds
    }

    private let state = Mutex(State(latest: MonotonicClock.now))

    /// Feels it at a pad, which holds on to it.
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

    var isThere: Bool { state.withLock { $0.first != nil } }

    /// From the first picture to the latest.
    var held: Nanoseconds { state.withLock { state in state.first.map { state.latest - $0 } ?? 0 } }

    /// For how long nothing has come.
    var silence: Nanoseconds { state.withLock { MonotonicClock.now - $0.latest } }
}
