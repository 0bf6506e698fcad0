import SwiftODT
import Synchronization

/// Requests of other threads to the streaming thread: flushing, stopping, seeks, and action signals.
final class StreamSignals: Sendable {
    private struct State {
        var isFlushing = false
        var isClosed = true
        var wantsReset = false
        var wantsDetection = false
        /// Interrupts the streaming thread's current wait.
        var cut: (@Sendable () -> Void)?
        /// The sequence number of a seek that was sent upstream and whose segment has not arrived yet.
        var seek: UInt32?
    }

    private let state = Mutex(State())

    // MARK: Called by other threads

    func open() { state.withLock { $0 = State(isClosed: false) } }

    func close() { interrupt { $0.isClosed = true } }

    func beginFlush() { interrupt { $0.isFlushing = true } }

    func endFlush() { state.withLock { $0.isFlushing = false } }

    func requestReset() { state.withLock { $0.wantsReset = true } }

    func requestDetection() { state.withLock { $0.wantsDetection = true } }

    func noteSeek(_ number: UInt32) { state.withLock { $0.seek = number } }

    private func interrupt(_ change: (inout State) -> Void) {
        let cut = state.withLock { state in
            change(&state)
            return state.cut
        }
        cut?()
    }

    // MARK: Called by the streaming thread

    /// Whether frames are refused because of flushing or stopping.
    var isInterrupted: Bool { state.withLock { $0.isFlushing || $0.isClosed } }

    func takeReset() -> Bool {
        state.withLock { state in
            defer { state.wantsReset = false }
            return state.wantsReset
        }
    }

    var wantsDetection: Bool { state.withLock { $0.wantsDetection } }

    /// Clears the request once the detection has started.
    func noteRequestedDetection() { state.withLock { $0.wantsDetection = false } }

    /// Returns whether a segment with this sequence number is the result of the latest seek.
    func takeSeek(_ number: UInt32) -> Bool {
        state.withLock { state in
            guard state.seek == number else { return false }
            state.seek = nil
            return true
        }
    }

    /// Runs an interruptible wait: `cut` is called from another thread when flushing or stopping begins. Throws
    /// `CancellationError` if that has already happened.
    func interruptible<Answer>(by cut: @escaping @Sendable () -> Void, _ body: () throws -> Answer) throws -> Answer {
        let isInterrupted = state.withLock { state in
            state.cut = cut
            return state.isFlushing || state.isClosed
        }
        defer { state.withLock { $0.cut = nil } }
        if isInterrupted { throw CancellationError() }
        return try body()
    }

    /// Waits for a background task. Throws `CancellationError` when flushing or stopping begins.
    func wait(for task: BackgroundTask<some Sendable>) throws {
        try interruptible(by: task.wake) {
            if !task.wait(unless: { isInterrupted }) { throw CancellationError() }
        }
    }

    /// Waits for a result. Throws `CancellationError` when flushing or stopping begins.
    func wait(for promise: DetectionPromise) throws -> [Detection] {
        try interruptible(by: promise.cancel) { try promise.wait() }
    }
}
