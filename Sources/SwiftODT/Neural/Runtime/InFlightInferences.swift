import COpenVINO
import Glibc
import Synchronization

/// Counts the calls into the runtime that are in flight: compiling, inference, freeing either.
///
/// `exit()` destroys the runtime's static objects, among them the machine code that the CPU plugin generates for a network's first inference, while
/// other threads may still execute it: a program may forget to stop its pipeline, or end by an exception. An exit handler of ours closes
/// the runtime for new calls and waits for those in flight. Exit handlers run in reverse order of registration, and the runtime registers
/// its own when its libraries are loaded and when a network runs for the first time. So ours is registered again after
/// each of these, and every 0.1 ms meanwhile. What remains is an `exit()` within the 0.1 ms between a registration of the runtime and our next one.
enum InFlightInferences {
    private struct State {
        var count = 0
        var isClosed = false
        /// When the last call returned, on the monotonic clock.
        var lastEnd: Nanoseconds = 0
    }

    private static let state = Monitor(State())

    /// - Returns: whether the runtime may be called; if so, ``leave()`` must be called afterwards.
    static func enter() -> Bool {
        state.update { state in
            if state.isClosed { return false }
            state.count += 1
            return true
        }
    }

    /// As ``enter()``, for work that must be done even when the process ends.
    static func enterLate() { state.update { $0.count += 1 } }

    static func leave() {
        state.update { state in
            state.count -= 1
            state.lastEnd = MonotonicClock.now
        }
    }

    /// Calls the runtime. Returns `nil` without calling it when the process ends: memory need not be freed then.
    @discardableResult
    static func within<Answer>(_ body: () throws -> Answer) rethrows -> Answer? {
        guard enter() else { return nil }
        defer { leave() }
        return try body()
    }

    // MARK: The exit handler

    /// Registers the exit handler, once more if it is registered: only the last registration precedes all handlers of the runtime.
    /// Costs less than a microsecond, and 32 bytes until the process ends.
    static func drainAtExit() {
        guard state.read({ !$0.isClosed }) else { return }
        // Unlike handlers of atexit, such handlers get the exit status.
        on_exit({ InFlightInferences.end(status: $0, process: Int(bitPattern: $1)) }, .init(bitPattern: Int(getpid())))
    }

    private final class Work: Sendable {
        let isDone = Atomic(false)
    }

    /// Keeps the exit handler ahead of those that the runtime registers during `body`, and registers it after `body`.
    ///
    /// - Throws: `CancellationError` where the process has begun to exit: the runtime may have been destroyed in part.
    static func drainAtExit<Answer>(during body: () throws -> Answer) throws -> Answer {
        let work = Work()
        drainAtExit()
        // Without a thread the handler is registered before and after `body` only.
        DetachedThread.run {
            for number in 0..<registrationLimit {
                if work.isDone.load(ordering: .relaxed) { return }
                drainAtExit()
                usleep(number < frequentCount ? 100 : 1000)
            }
        }
        let answer = Result { try body() }
        work.isDone.store(true, ordering: .relaxed)
        drainAtExit()
        if state.read({ $0.isClosed }) { throw CancellationError() }
        return try answer.get()
    }

    /// So many registrations follow each other after 0.1 ms, later ones after 1 ms: compiling may take seconds.
    private static let frequentCount = 2000
    /// At most 320 KB for each network that is loaded.
    private static let registrationLimit = 10_000

    /// A callback of the runtime returns into its code, which leaves it within microseconds, or later where the thread is preempted.
    private static let returnTime: Nanoseconds = 10_000_000

    private static func end(status: Int32, process: Int) {
        // A forked process has none of the threads, but may have inherited a locked lock.
        guard getpid() == process else { return }
        let isFirst = state.update { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if drain(within: 5000) {
            let wait = state.read { $0.lastEnd + returnTime } - MonotonicClock.now
            if isFirst, wait > 0 { usleep(useconds_t(wait / 1000)) }
            return
        }
        // A call takes too long, or waits for the very thread that exits. The handlers that follow would destroy what it uses, so
        // none of them runs; buffered output is written.
        fflush(nil)
        _exit(status)
    }

    /// - Returns: whether no call is in flight, after so many milliseconds at most.
    static func drain(within milliseconds: Int) -> Bool {
        for _ in 0..<milliseconds {
            if state.read({ $0.count == 0 }) { return true }
            usleep(1000)
        }
        return false
    }
}
