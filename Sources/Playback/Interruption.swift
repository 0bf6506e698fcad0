import Glibc
import SwiftODT
import Synchronization

/// Ctrl-C, SIGTERM and SIGHUP: the first one ends what is played properly, the second one the program at once. A stream that does not end
/// is left, and so is an element that does not stop.
public final class Interruption: Sendable {
    private struct State {
        var signal: Int32?
        var player: Player?
    }

    private let state = Mutex(State())
    private let caught: Set<Int32>

    /// The program's only one. Signals are caught from the first use on, by a thread that waits for nothing else: all others may be
    /// inside GStreamer for long.
    public static let shared = Interruption()

    private init() {
        var ignored = sigaction()
        sigaction(SIGHUP, nil, &ignored)
        // A SIGHUP that is ignored, because of nohup, stays so.
        let isNohup = unsafeBitCast(ignored.__sigaction_handler.sa_handler, to: Int.self) == 1
        caught = isNohup ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
        // A shell's background jobs ignore SIGINT; who sends one all the same means it.
        for number in caught { Glibc.signal(number, SIG_DFL) }
        // That nobody reads any more, and that a file may not grow, is told by what writes.
        Glibc.signal(SIGPIPE, SIG_IGN)
        Glibc.signal(SIGXFSZ, SIG_IGN)
        // Threads that are started from here on inherit this.
        var set = signals
        pthread_sigmask(SIG_BLOCK, &set, nil)
        DetachedThread.run { self.watch() }
    }

    /// The signal that came.
    public var signal: Int32? { state.withLock { $0.signal } }

    func begin(_ player: Player) {
        let isLate = state.withLock { state in
            state.player = player
            return state.signal != nil
        }
        if isLate { player.askToEnd() }
    }

    func end() { state.withLock { $0.player = nil } }

    private var signals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in caught { sigaddset(&set, number) }
        return set
    }

    private func watch() {
        var set = signals
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        let player = state.withLock { state in
            state.signal = number
            return state.player
        }
        player?.askToEnd()
        if let player, player.timeLeft ?? 0 > 1_000_000_000 { player.say("ending the stream; once more ends at once") }
        var pause = timespec(tv_sec: 0, tv_nsec: 100_000_000)
        while sigtimedwait(&set, nil, &pause) < 0 {
            // What is closed after the end may take as long as the disk does.
            guard let player = state.withLock({ $0.player }), let left = player.timeLeft else { continue }
            if left < -Player.stopping { break }
        }
        state.withLock { $0.player }?.leave()
        _exit(128 + number)
    }
}
