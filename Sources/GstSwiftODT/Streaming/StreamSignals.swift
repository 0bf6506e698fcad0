import SwiftODT
import Synchronization

/// What other threads have to say to the streaming thread: flushing, stopping, seeks, requests.
final class StreamSignals: Sendable {
    private struct State {
        var isFlushing = false
        var isClosed = true
        var wantsReset = false
        var wantsDetection = false
        /// Cuts short what the streaming thread is at.
        var cut: (@Sendable () -> Void)?
        /// The number of a seek that has gone upstream and whose segment has not come yet.
        var seek: UInt32?
    }

    private let state = Mutex(State())

    // MARK: Said by other threads

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

    // MARK: Heard by the streaming thread

    /// Whether frames are refused: flushing or stopping.
    var isInterrupted: Bool { state.withLock { $0.isFlushing || $0.isClosed } }

    func takeReset() -> Bool {
        state.withLock { state in
            defer { state.wantsReset = false }
            return state.wantsReset
        }
    }

    var wantsDetection: Bool { state.withLock { $0.wantsDetection } }

    /// What was requested has begun.
    func noteRequestedDetection() { state.withLock { $0.wantsDetection = false } }

    /// Whether a segment with this number is the one that a seek has asked for.
    func takeSeek(_ number: UInt32) -> Bool {
        state.withLock { state in
            guard state.seek == number else { return false }
            state.seek = nil
            return true
        }
    }

    /// Does what takes its time: `cut` is called from another thread when flushing or stopping begins meanwhile. Throws
    /// `CancellationError` where that has begun already.
    func interruptible<Answer>(by cut: @escaping @Sendable () -> Void, _ body: () throws -> Answer) throws -> Answer {
        let isInterrupted = state.withLock { state in
            state.cut = cut
            return state.isFlushing || state.isClosed
        }
        defer { state.withLock { $0.cut = nil } }
        if isInterrupted { throw CancellationError() }
        return try body()
    }

    /// Waits for an answer; throws `CancellationError` when flushing or stopping begins.
    func wait(for promise: DetectionPromise) throws -> [Detection] {
        try interruptible(by: promise.cancel) { try promise.wait() }
    }
}
