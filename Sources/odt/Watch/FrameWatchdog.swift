import ODTPlayback
import SwiftODT
import Synchronization

/// Records when frames arrive, in monotonic time, to detect a stalled camera.
///
/// The gate passes few frames to the decoder while the picture is calm. During this time, encoded frames show that the
/// camera works.
final class FrameWatchdog: Sendable {
    private struct State {
        var first: Nanoseconds?
        /// The arrival of the latest frame, encoded or decoded.
        var latest: Nanoseconds
        var latestDecoded: Nanoseconds
    }

    private let state: Mutex<State>
    private let longestCalm: Nanoseconds
    /// Whether the session has reported the first frame.
    let isReported = Atomic(false)

    /// - Parameter longestCalm: While encoded frames arrive, this many nanoseconds without a decoded frame do not count
    ///   as ``silence``.
    init(longestCalm: Nanoseconds = 0) {
        self.longestCalm = longestCalm
        let now = MonotonicClock.now
        state = Mutex(State(latest: now, latestDecoded: now))
    }

    /// Installs a probe for frames on the pad. The probe keeps this object alive.
    func attach(at pad: Pad, isEncoded: Bool = false) {
        pad.observeBuffers { _ in
            let now = MonotonicClock.now
            self.state.withLock { state in
                state.latest = now
                if isEncoded { return }
                state.first = state.first ?? now
                state.latestDecoded = now
            }
        }
    }

    var hasFirstFrame: Bool { state.withLock { $0.first != nil } }

    /// The time from the first decoded frame to the latest frame, in nanoseconds; 0 before the first frame.
    var held: Nanoseconds { state.withLock { state in state.first.map { state.latest - $0 } ?? 0 } }

    /// For how long frames have been missing, in nanoseconds. Before the first frame, the time is counted from the
    /// creation of this object.
    var silence: Nanoseconds {
        let now = MonotonicClock.now
        return state.withLock { max(now - $0.latest, now - $0.latestDecoded - longestCalm) }
    }
}
