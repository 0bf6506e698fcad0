import COpenVINO
import Glibc
import Synchronization

/// Counts the calls into the runtime that are in flight: compiling, inference, and freeing either.
///
/// `exit()` destroys the runtime's static objects, including the machine code that the CPU plugin generates for a
/// network's first inference. Other threads may still execute it if a program does not stop its pipeline or ends by
/// an exception. An exit handler therefore closes the runtime for new calls and waits for those in flight. Exit
/// handlers run in reverse order of registration, and the runtime registers its own when its libraries are loaded and
/// when a network runs for the first time. The handler is therefore registered again after each of these, and every
/// 0.1 ms while they run. An `exit()` within the 0.1 ms between a registration of the runtime and the next one of the
/// handler is not covered.
enum InFlightInferences {
    private struct State {
        var count = 0
        var isClosed = false
        /// The time at which the latest call returned, on the monotonic clock.
        var lastEnd: Nanoseconds = 0
    }

    private static let state = Monitor(State())

    /// - Returns: whether the runtime may be called; if `true`, ``leave()`` must be called afterwards.
    static func enter() -> Bool {
        state.update { state in
            if state.isClosed { return false }
            state.count += 1
            return true
        }
    }

    /// Same as ``enter()``, for work that must be done even when the process ends.
    static func enterLate() { state.update { $0.count += 1 } }

    /// Ends a call that ``enter()`` or ``enterLate()`` began.
    static func leave() {
        state.update { state in
            state.count -= 1
            state.lastEnd = MonotonicClock.now
        }
    }

    /// Runs `body`, which calls the runtime. Returns `nil` without running it when the process ends: memory need not
    /// be freed then.
    @discardableResult
    static func within<Answer>(_ body: () throws -> Answer) rethrows -> Answer? {
        guard enter() else { return nil }
        defer { leave() }
        return try body()
    }

    // MARK: The exit handler

    /// Registers the exit handler, again if it is registered: only the last registration precedes all handlers of the
    /// runtime. Each registration takes 32 bytes until the process ends.
    static func drainAtExit() {
        guard state.read({ !$0.isClosed }) else { return }
        // In contrast to handlers of atexit, handlers of on_exit get the exit status.
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
        // If no thread can be started, the handler is registered before and after `body` only.
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

    /// The number of registrations at intervals of 0.1 ms; later ones follow at 1 ms, because compiling may take
    /// seconds.
    private static let frequentCount = 2000
    /// Limits the memory to 320 KB for each model that is loaded.
    private static let registrationLimit = 10_000

    /// The time a callback may take to return through the runtime's code: usually microseconds, more if the thread is
    /// preempted.
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
        // A call takes too long, or waits for the exiting thread. The following handlers would destroy objects that
        // it uses, so they are skipped. Only buffered output is written.
        fflush(nil)
        _exit(status)
    }

    /// - Returns: whether no call is in flight within the given time.
    static func drain(within milliseconds: Int) -> Bool {
        for _ in 0..<milliseconds {
            if state.read({ $0.count == 0 }) { return true }
            usleep(1000)
        }
        return false
    }
}
