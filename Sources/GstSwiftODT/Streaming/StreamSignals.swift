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
        /// Cuts short what the streaming thread is at.
        var cut: (@Sendable () -> Void)?
        /// The number of a seek that has gone upstream and whose segment has not come yet.
        var seek: UInt32?
        var capacity = 1
        var frameDuration: Nanoseconds?
        var work: Nanoseconds = 0
        /// What the pipeline was told last, and of which kind of stream.
        var toldLatency: (latency: Nanoseconds, isLive: Bool)?
    }

    private let state = Mutex(State())

    // MARK: Said by other threads

    func open() { state.withLock { $0 = State(isClosed: false) } }

    func close() { interrupt { $0.isClosed = true } }

    func beginFlush() { interrupt { $0.isFlushing = true } }

    func endFlush() { state.withLock { $0.isFlushing = false } }

    func requestReset() { state.withLock { $0.wantsReset = true } }

    func requestDetection() { state.withLock { $0.wantsDetection = true } }

    func noticeSeek(_ number: UInt32) { state.withLock { $0.seek = number } }

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

    func takeDetection() -> Bool {
        state.withLock { state in
            defer { state.wantsDetection = false }
            return state.wantsDetection
        }
    }

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
    func wait(for ticket: DetectionTicket) throws -> [Detection] {
        try interruptible(by: ticket.cancel) { try ticket.wait() }
    }

    // MARK: What latency depends on

    func set(capacity: Int) { state.withLock { $0.capacity = capacity } }

    func set(frameDuration: Nanoseconds?) { state.withLock { $0.frameDuration = frameDuration } }

    func set(work: Nanoseconds) { state.withLock { $0.work = work } }

    /// How frames are scheduled under these settings.
    func plan(for settings: Settings, isLive: Bool) -> SchedulePlan {
        state.withLock { Self.plan(for: settings, isLive: isLive, $0) }
    }

    /// What the element adds to the latency, for somebody who asks.
    func tellLatency(_ settings: Settings, isLive: Bool) -> Nanoseconds {
        state.withLock { state in
            let latency = Self.plan(for: settings, isLive: isLive, state).latency
            state.toldLatency = (latency, isLive)
            return latency
        }
    }

    /// Whether it is another one than was told, which counts as told then: the pipeline is going to ask.
    func hasLatencyChanged(_ settings: Settings) -> Bool {
        state.withLock { state in
            guard let told = state.toldLatency else { return false }
            let latency = Self.plan(for: settings, isLive: told.isLive, state).latency
            state.toldLatency = (latency, told.isLive)
            return latency != told.latency
        }
    }

    private static func plan(for settings: Settings, isLive: Bool, _ state: borrowing State) -> SchedulePlan {
        SchedulePlan(
            settings: settings, isLive: isLive, capacity: state.capacity, frameDuration: state.frameDuration,
            work: state.work)
    }
}
