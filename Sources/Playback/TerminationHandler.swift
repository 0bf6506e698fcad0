import Glibc
import SwiftODT

/// Ctrl-C, SIGTERM and SIGHUP: the first one ends all that is played properly, the second one the program at once. A stream that does
/// not end is left, and so is an element that does not stop.
public final class TerminationHandler: Sendable {
    private struct State {
        var signal: Int32?
        var isOver = false
        /// One of a program that plays one thing after another, as many as are watched of one that watches cameras.
        var players: [Player] = []
        var listeners: [@Sendable (Int32?) -> Void] = []
    }

    private let state = Monitor(State())
    private let caught: Set<Int32>

    /// The program's only one. Signals are caught from the first use on, by a thread that waits for nothing else: all others may be
    /// inside GStreamer for long.
    public static let shared = TerminationHandler()

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
    public var signal: Int32? { state.read { $0.signal } }

    /// Whether all that plays is to end, and nothing is to begin.
    public var isOver: Bool { state.read { $0.isOver } }

    /// Ends all that plays, as a signal would: for who finds out otherwise that nobody needs it any more.
    public func endAll() { for player in over(by: nil) { player.askToEnd() } }

    /// Waits, but no longer than until all is to end.
    public func pause(_ duration: Nanoseconds) {
        state.wait(until: MonotonicClock.now.adding(duration)) { $0.isOver ? () : nil }
    }

    /// Calls `body` when all is to end, with the signal if one has come; again if the signal comes later; at once if all is to end
    /// already. For threads that wait for something else.
    public func onEnd(_ body: @escaping @Sendable (Int32?) -> Void) {
        let (isOver, signal) = state.update { state in
            state.listeners.append(body)
            return (state.isOver, state.signal)
        }
        if isOver { body(signal) }
    }

    func begin(_ player: Player) {
        let isLate = state.update { state in
            state.players.append(player)
            return state.isOver
        }
        if isLate { player.askToEnd() }
    }

    func end(_ player: Player) { state.update { $0.players.removeAll { $0 === player } } }

    private func over(by signal: Int32?) -> [Player] {
        let state = state.update { state in
            state.signal = state.signal ?? signal
            state.isOver = true
            return state
        }
        for listener in state.listeners { listener(state.signal) }
        return state.players
    }

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
        let players = over(by: number)
        for player in players { player.askToEnd() }
        let waiting = players.filter { $0.timeLeft ?? 0 > 1_000_000_000 }
        waiting.first?.notify("ending the stream\(waiting.count > 1 ? "s" : ""); once more ends at once")
        var pause = timespec(tv_sec: 0, tv_nsec: 100_000_000)
        while sigtimedwait(&set, nil, &pause) < 0 {
            // What is closed after the end may take as long as the disk does.
            let left = state.read(\.players).compactMap(\.timeLeft)
            if left.contains(where: { $0 < -Player.stopping }) { break }
        }
        for player in state.read(\.players) { player.leave() }
        _exit(128 + number)
    }
}
