import CODTLinux
import CODTOpenVINO
import Glibc

/// Counts the calls of the inference runtime that are in flight: compilation, inference, and freeing of models and
/// requests. When the process exits, it waits for these calls.
///
/// `exit()` destroys the static objects of the runtime, including the machine code that its CPU plugin generates for
/// the first inference of a network. If a program exits without stopping its pipeline, other threads may still execute
/// this code. An exit handler of this type therefore prevents new calls of the runtime and waits for the calls in
/// flight.
///
/// Exit handlers run in reverse order of registration. The runtime registers its exit handlers when its libraries are
/// loaded, and when a network runs for the first time. The exit handler of this type must run before them. It is
/// therefore registered again after each of these operations, and repeatedly while they run. If the main thread calls
/// `exit()`, it is registered once more before the first handler runs. One case is not covered: another thread calls
/// `exit()` after the runtime has registered a handler and before this type has registered its handler again. This takes
/// 0.1 to 1 ms, and longer on a busy machine.
enum InFlightInferences {
    private struct State {
        var count = 0
        var isClosed = false
        /// The time at which the latest call returned, on the monotonic clock.
        var lastEnd: Nanoseconds = 0
    }

    private static let state = Monitor(State())

    /// Returns whether the runtime may be called. If `true`, ``leave()`` must be called after the call of the runtime.
    static func enter() -> Bool {
        state.update { state in
            if state.isClosed { return false }
            state.count += 1
            return true
        }
    }

    /// Like ``enter()``, for a call that must be made even while the process exits.
    static func enterLate() { state.update { $0.count += 1 } }

    static func leave() {
        state.update { state in
            state.count -= 1
            state.lastEnd = MonotonicClock.now
        }
    }

    /// Runs `body`, which calls the runtime. While the process exits, returns `nil` without running `body`. The result
    /// can be ignored if `body` only frees memory, because the exit of the process frees it, too.
    @discardableResult
    static func within<Answer>(_ body: () throws -> Answer) rethrows -> Answer? {
        guard enter() else { return nil }
        defer { leave() }
        return try body()
    }

    // MARK: The exit handler

    /// Registers the exit handler again. Only the last registration is certain to run before all handlers of the
    /// runtime. Each registration takes 32 bytes until the process ends.
    static func drainAtExit() {
        guard state.read({ !$0.isClosed }) else { return }
        // Unlike handlers of `atexit`, handlers of `on_exit` receive the exit status.
        on_exit({ InFlightInferences.end(status: $0, process: Int(bitPattern: $1)) }, .init(bitPattern: Int(getpid())))
    }

    /// Runs `body`, during which the runtime may register exit handlers. The exit handler of this type is registered
    /// before `body`, repeatedly while `body` runs, and after `body`.
    ///
    /// - Parameter isFirst: whether `body` runs for the first time in this process. The runtime registers a handler
    ///   only once, so the repeated registrations are otherwise omitted.
    /// - Throws: `CancellationError` if the process has begun to exit. Parts of the runtime may then be destroyed.
    static func drainAtExit<Answer>(isFirst: Bool = true, during body: () throws -> Answer) throws -> Answer {
        let isDone = Monitor(false)
        if linux_gettid() == getpid() { drainAtExitOfMainThread }
        drainAtExit()
        // If the thread cannot be started, the handler is registered only before and after `body`. If the process exits
        // during `body`, the handler may then run too late.
        if isFirst {
            DetachedThread.run {
                for number in 0..<registrationLimit {
                    if isDone.read({ $0 }) { return }
                    drainAtExit()
                    usleep(number < frequentCount ? 100 : 1000)
                }
            }
        }
        let answer = Result { try body() }
        isDone.update { $0 = true }
        drainAtExit()
        if state.read({ $0.isClosed }) { throw CancellationError() }
        return try answer.get()
    }

    /// Registers a destructor of the main thread, which registers the exit handler. `exit()` calls the destructors of
    /// its thread before all exit handlers.
    private static let drainAtExitOfMainThread: Void = {
        let destructor: @convention(c) (UnsafeMutableRawPointer?) -> Void = { process in
            // A forked process must not use the lock of `state`.
            if Int(bitPattern: process) == Int(getpid()) { drainAtExit() }
        }
        _ = linux_thread_atexit(
            destructor, .init(bitPattern: Int(getpid())), UnsafeMutableRawPointer(mutating: #dsohandle))
    }()

    /// After this number of registrations, the interval between two registrations is 1 ms instead of 0.1 ms, because a
    /// compilation may take seconds.
    private static let frequentCount = 2000
    /// Limits the memory of the registrations during one `body` to 320 KB.
    private static let registrationLimit = 10_000

    /// How long the exit handler waits after the last call has ended, in nanoseconds. A call can end inside a callback
    /// of the runtime. The callback then still has to return through the runtime's code. This usually takes
    /// microseconds, but it takes longer if the thread is preempted.
    private static let returnTime: Nanoseconds = 10_000_000

    private static func end(status: Int32, process: Int) {
        // A forked process inherits the exit handlers but not the threads of its parent. In the forked process, the
        // lock of `state` may be held forever by a thread of the parent.
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
        // A call takes too long, or waits for the exiting thread. The remaining exit handlers would destroy objects
        // that the call uses. The process therefore ends without running them.
        fflush(nil)
        _exit(status)
    }

    /// Waits until no call is in flight. Returns `false` if calls are still in flight after the given time.
    static func drain(within milliseconds: Int) -> Bool {
        for _ in 0..<milliseconds {
            if state.read({ $0.count == 0 }) { return true }
            usleep(1000)
        }
        return false
    }
}
