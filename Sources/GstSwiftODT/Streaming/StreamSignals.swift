import SwiftODT
import Synchronization

/// Requests from other threads to the streaming thread: flushing, stopping, seeks and action signals.
final class StreamSignals: Sendable {
    private struct State {
        var isFlushing = false
        var isClosed = true
        var wantsReset = false
        var wantsDetection = false
        /// A function that interrupts the current wait of the streaming thread. `nil` if the streaming thread does not
        /// wait.
        var cut: (@Sendable () -> Void)?
        /// The sequence numbers of the latest seeks whose segments have not arrived, the oldest first.
        var seeks: [UInt32] = []
    }

    private let state = Mutex(State())

    // MARK: Called by other threads

    func open() { state.withLock { $0 = State(isClosed: false) } }

    func close() { interrupt { $0.isClosed = true } }

    func beginFlush() { interrupt { $0.isFlushing = true } }

    func endFlush() { state.withLock { $0.isFlushing = false } }

    func requestReset() { state.withLock { $0.wantsReset = true } }

    func requestDetection() { state.withLock { $0.wantsDetection = true } }

    /// Several sinks may send the same seek. A seek that upstream refuses stays until a later one has its segment, so the
    /// list is limited.
    func noteSeek(_ number: UInt32) {
        state.withLock { state in
            if !state.seeks.contains(number) { state.seeks = state.seeks.suffix(15) + [number] }
        }
    }

    private func interrupt(_ change: (inout State) -> Void) {
        let cut = state.withLock { state in
            change(&state)
            return state.cut
        }
        cut?()
    }

    // MARK: Called by the streaming thread

    /// Whether the stream refuses frames, because it is flushing or stopping.
    var isInterrupted: Bool { state.withLock { $0.isFlushing || $0.isClosed } }

    func takeReset() -> Bool {
        state.withLock { state in
            defer { state.wantsReset = false }
            return state.wantsReset
        }
    }

    var wantsDetection: Bool { state.withLock { $0.wantsDetection } }

    /// Clears the request of the action signal `detect-now`. Called when inference starts because of this request.
    func noteRequestedDetection() { state.withLock { $0.wantsDetection = false } }

    /// Returns whether the segment event with this sequence number is the first one of a seek. Older seeks without a
    /// segment are forgotten.
    func takeSeek(_ number: UInt32) -> Bool {
        state.withLock { state in
            guard let index = state.seeks.firstIndex(of: number) else { return false }
            state.seeks.removeSubrange(...index)
            return true
        }
    }

    /// Runs `body`, which waits. When flushing or stopping begins, another thread calls `cut` to end the wait. Throws
    /// `CancellationError` if flushing or stopping has already begun.
    func interruptible<Answer>(by cut: @escaping @Sendable () -> Void, _ body: () throws -> Answer) throws -> Answer {
        let isInterrupted = state.withLock { state in
            state.cut = cut
            return state.isFlushing || state.isClosed
        }
        defer { state.withLock { $0.cut = nil } }
        if isInterrupted { throw CancellationError() }
        return try body()
    }

    /// Throws `CancellationError` when flushing or stopping begins.
    func wait(for task: BackgroundTask<some Sendable>) throws {
        try interruptible(by: task.wake) {
            if !task.wait(unless: { isInterrupted }) { throw CancellationError() }
        }
    }

    /// Throws `CancellationError` when flushing or stopping begins.
    func wait(for promise: DetectionPromise) throws -> [Detection] {
        try interruptible(by: promise.cancel) { try promise.wait() }
    }
}
