import Glibc

/// What the runtime's threads, and ours that wait for them, are at work on.
///
/// A process that exits takes the runtime's libraries apart while their threads may still be running: a program that forgets to stop
/// its pipeline, or one that has just stopped it. So exiting waits for them, and no more are let in.
enum RunsUnderWay {
    private struct State {
        var count = 0
        var isClosed = false
        var devices: Set<String> = []
    }

    private static let state = Monitor(State())

    /// - Returns: whether a run may begin; then ``leave()`` says that it is over.
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

    /// Makes exiting wait. Called when a device's library has been loaded, because what is said last is done first, before that
    /// library's own end.
    static func settleAtExit(device: String) {
        guard state.update({ $0.devices.insert(device).inserted }) else { return }
        atexit {
            RunsUnderWay.state.update { $0.isClosed = true }
            // No longer: a run may be waiting for the very thread that exits.
            _ = RunsUnderWay.settle(within: 2000)
        }
    }

    /// - Returns: whether nothing is under way, at last after so many milliseconds.
    static func settle(within milliseconds: Int) -> Bool {
        for _ in 0..<milliseconds {
            if state.update({ $0.count == 0 }) { return true }
            usleep(1000)
        }
        return false
    }
}
