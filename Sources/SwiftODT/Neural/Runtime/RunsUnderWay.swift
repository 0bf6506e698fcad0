import COpenVINO
import Glibc

/// What is inside the runtime, or waits for it: compiling, inference, letting go of either.
///
/// A process that exits destroys what the runtime has made while threads may still be at work with it: a program that forgets to stop
/// its pipeline, or one that ends by an exception. The worst of it are the kernels that the CPU plugin writes as machine code at a
/// network's first inference: it has them unmapped at exit, under the threads that run them, and before any handler that was
/// there earlier gets its turn. So the runtime's own handlers are kept out, those that it has from loading its libraries come after
/// ours, and ours lets nobody in any more and waits.
enum RunsUnderWay {
    private struct State {
        var count = 0
        var isClosed = false
    }

    private static let state = Monitor(State())

    /// - Returns: whether the runtime may be called; then ``leave()`` says that it is over.
    static func enter() -> Bool {
        state.update { state in
            if state.isClosed { return false }
            state.count += 1
            return true
        }
    }

    /// As ``enter()``, for what has to be done even at the end.
    static func enterLate() { state.update { $0.count += 1 } }

    static func leave() { state.update { $0.count -= 1 } }

    /// Calls the runtime, or gives back `nil` at the end of the process, when what is let go of may as well stay.
    @discardableResult
    static func within<Answer>(_ body: () throws -> Answer) rethrows -> Answer? {
        guard enter() else { return nil }
        defer { leave() }
        return try body()
    }

    /// Makes exiting wait. To be called once the runtime is loaded: what is said last is done first, so it is said anew after each library
    /// that the runtime adds, before that one's own end. Takes milliseconds.
    static func settleAtExit() {
        swiftodt_openvino_leave_undestroyed {
            // Unlike those of atexit, such handlers are told the program's status.
            on_exit({ RunsUnderWay.end(status: $0, process: Int(bitPattern: $1)) }, .init(bitPattern: Int(getpid())))
            return !RunsUnderWay.state.read { $0.isClosed }
        }
    }

    private static func end(status: Int32, process: Int) {
        // A fork has none of the threads that it would wait for, but for ever the locks that they held.
        guard getpid() == process else { return }
        state.update { $0.isClosed = true }
        if settle(within: 5000) { return }
        // Something takes too long, or waits for the very thread that exits. Whatever comes after this would pull the ground
        // from under it, so nothing does; what was written is not lost.
        fflush(nil)
        _exit(status)
    }

    /// - Returns: whether nothing is under way, at last after so many milliseconds.
    static func settle(within milliseconds: Int) -> Bool {
        for _ in 0..<milliseconds {
            if state.read({ $0.count == 0 }) { return true }
            usleep(1000)
        }
        return false
    }
}
