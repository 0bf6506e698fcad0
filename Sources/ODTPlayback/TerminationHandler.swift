import Glibc
import SwiftODT

/// Handles SIGINT (Ctrl-C), SIGTERM and SIGHUP. The first signal ends all streams properly. A signal more than 0.5 s
/// later ends the program at once. If a player does not stop within its own time limits and ``tolerance``, the program
/// ends without waiting longer. A program can use SIGHUP for another purpose, see ``onHangUp(_:)``.
package final class TerminationHandler: Sendable {
    /// How long a player may exceed its own time limits, in nanoseconds. This additional time lets a program on an
    /// overloaded machine finish its other outputs.
    private static let tolerance: Nanoseconds = 7_000_000_000
    /// How long after the first signal further signals are ignored, in nanoseconds. `timeout` of coreutils signals the
    /// program and then its process group, so the program receives two signals for one time-out.
    private static let repetition: Nanoseconds = 500_000_000

    private struct State {
        var signal: Int32?
        var isOver = false
        /// The active players: one in most subcommands, one per camera in `odt watch`.
        var players: [Player] = []
        var listeners: [@Sendable (Int32?) -> Void] = []
        /// Receives SIGHUP and returns whether it handled the signal; `nil` if SIGHUP ends the streams.
        var hangUp: (@Sendable () -> Bool)?
    }

    private let state = Monitor(State())
    private let caught: Set<Int32>

    /// The only instance. Its first use starts a thread that only waits for signals, because all other threads may
    /// block in GStreamer for a long time.
    package static let shared = TerminationHandler()

    private init() {
        var ignored = sigaction()
        sigaction(SIGHUP, nil, &ignored)
        // `nohup` makes the process ignore SIGHUP. In this case SIGHUP stays ignored.
        let isNohup = unsafeBitCast(ignored.__sigaction_handler.sa_handler, to: Int.self) == 1
        caught = isNohup ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
        // A shell starts background jobs with SIGINT ignored. A SIGINT that is sent to the process explicitly must
        // still work.
        for number in caught { Glibc.signal(number, SIG_DFL) }
        // SIGPIPE and SIGXFSZ are ignored. Broken pipes and exceeded file size limits are reported by the write that
        // fails.
        Glibc.signal(SIGPIPE, SIG_IGN)
        Glibc.signal(SIGXFSZ, SIG_IGN)
        // The signals are blocked in this thread and in all threads that are created later, which inherit the mask.
        var set = signals
        pthread_sigmask(SIG_BLOCK, &set, nil)
        DetachedThread.run { self.watch() }
    }

    /// The number of the first signal that was received; `nil` if no signal was received.
    package var signal: Int32? { state.read { $0.signal } }

    /// Whether all streams have to end. If `true`, no new stream may start.
    package var isOver: Bool { state.read { $0.isOver } }

    /// Ends all streams as a signal does, for example when the reader of the output has closed the pipe.
    package func endAll() { for player in over(by: nil) { player.askToEnd() } }

    /// Calls `body` when all streams have to end. If they already have to end, calls `body` immediately. The argument
    /// is the number of the signal; `nil` if no signal was received. If a signal is received later, `body` is called
    /// again. Use this method for threads that wait for other conditions.
    package func onEnd(_ body: @escaping @Sendable (Int32?) -> Void) {
        let (isOver, signal) = state.update { state in
            state.listeners.append(body)
            return (state.isOver, state.signal)
        }
        if isOver { body(signal) }
    }

    /// Calls `body` for each SIGHUP, until all streams have to end. `body` must not block. If it returns `false`, the
    /// signal ends all streams.
    package func onHangUp(_ body: @escaping @Sendable () -> Bool) { state.update { $0.hangUp = body } }

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
        repeat {
            while sigwait(&set, &number) != 0 {}
        } while number == SIGHUP && !isOver && state.read(\.hangUp)?() == true
        let begin = MonotonicClock.now
        let players = over(by: number)
        for player in players { player.askToEnd() }
        let waiting = players.filter { $0.timeLeft ?? 0 > 1_000_000_000 }
        Self.runBriefly {
            waiting.first?.notify(
                "ending the stream\(waiting.count > 1 ? "s" : ""); press Ctrl-C again to stop at once")
        }
        var pause = timespec(tv_sec: 0, tv_nsec: 100_000_000)
        while sigtimedwait(&set, nil, &pause) < 0 || MonotonicClock.now - begin < Self.repetition {
            // After the end of the stream, closing the files can take long if the disk is slow. The elements therefore
            // get additional time.
            let players = state.read(\.players)
            let stuck = players.first { $0.timeLeft.map { $0 < -(Player.stopping + Self.tolerance) } ?? false }
            guard let stuck else { continue }
            Self.runBriefly {
                stuck.notify("the stream does not stop: ending without waiting longer; its files may be incomplete")
            }
            break
        }
        let remaining = state.read(\.players)
        Self.runBriefly { for player in remaining { player.configuration.leave() } }
        _exit(128 + number)
    }

    /// Calls a function that prints, and waits for at most 0.2 s. The reader of the output may have stopped reading. If
    /// no thread can be started, nothing is printed.
    private static func runBriefly(_ body: @escaping @Sendable () -> Void) {
        let isDone = Monitor(false)
        let isStarted = DetachedThread.run {
            body()
            isDone.update { $0 = true }
        }
        if isStarted { isDone.wait(until: MonotonicClock.now + 200_000_000) { $0 ? () : nil } }
    }
}
