import SwiftODT
import Synchronization

/// What other threads have to say to the streaming thread, and what they may know of it: flushing, stopping, requests,
/// and the facts that latency depends on.
final class StreamSignals: Sendable {
    private struct State {
        var isFlushing = false
        var isClosed = true
        var wantsReset = false
        var wantsDetection = false
        /// What the streaming thread waits for.
        var awaited: DetectionTicket?
        var capacity = 1
        var frameDuration: Nanoseconds?
    }

    private let state = Mutex(State())

    // MARK: Said by other threads

    func open() { state.withLock { $0 = State(isClosed: false) } }

    func close() { interrupt { $0.isClosed = true } }

    func beginFlush() { interrupt { $0.isFlushing = true } }

    func endFlush() { state.withLock { $0.isFlushing = false } }

    func requestReset() { state.withLock { $0.wantsReset = true } }

    func requestDetection() { state.withLock { $0.wantsDetection = true } }

    private func interrupt(_ change: (inout State) -> Void) {
        let awaited = state.withLock { state in
            change(&state)
            return state.awaited
        }
        awaited?.cancel()
    }

    // MARK: Heard by the streaming thread

    /// Whether frames are refused: flushing or stopping.
    var isInterrupted: Bool { state.withLock { $0.isFlushing || $0.isClosed } }

    func takeReset() -> Bool {
        state.withLock { state in
            defer { state.wantsReset = false }
            return state.wantsReset
        }
    }

    func takeDetection() -> Bool {
        state.withLock { state in
            defer { state.wantsDetection = false }
            return state.wantsDetection
        }
    }

    /// Waits for an answer; throws `CancellationError` when flushing or stopping begins.
    func wait(for ticket: DetectionTicket) throws -> [Detection] {
        let isInterrupted = state.withLock { state in
            state.awaited = ticket
            return state.isFlushing || state.isClosed
        }
        defer { state.withLock { $0.awaited = nil } }
        if isInterrupted { ticket.cancel() }
        return try ticket.wait()
    }

    // MARK: What latency depends on

    func set(capacity: Int, frameDuration: Nanoseconds?) {
        state.withLock { ($0.capacity, $0.frameDuration) = (capacity, frameDuration) }
    }

    /// How frames are scheduled under these settings.
    func plan(for settings: Settings, isLive: Bool) -> SchedulePlan {
        let (capacity, duration) = state.withLock { ($0.capacity, $0.frameDuration) }
        return SchedulePlan(settings: settings, isLive: isLive, capacity: capacity, frameDuration: duration)
    }
}
