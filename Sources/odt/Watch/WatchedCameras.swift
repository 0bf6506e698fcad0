import Glibc
import ODTPlayback
import SwiftODT

/// The cameras of `odt watch`, each on its own thread. SIGHUP reads the configuration file again.
final class WatchedCameras: Sendable {
    struct State {
        /// The cameras of the current configuration and the removed ones. A removed camera is kept, because it
        /// continues to count its sessions (connections) if it is added again.
        var cameras: [String: Camera] = [:]
        /// The cameras of the current configuration, in its order.
        var plans: [CameraPlan] = []
        /// For the cameras whose threads have ended: whether the source failed permanently.
        var hasFailed: [String: Bool] = [:]
        var threads = 0
        var isReloadDue = false
    }

    /// The time in nanoseconds between two checks whether recordings and clips have to be cleaned up.
    private static let cleaningInterval: Nanoseconds = 10_000_000_000

    private let plan: WatchPlan
    private let recording: Recording?
    private let clips: Clips?
    private let sinks: WatchSinks
    private let state: Monitor<State>

    /// - Parameter state: The state that ``reloadAtHangUp(_:)`` changes.
    init(_ plan: WatchPlan, _ state: Monitor<State> = Monitor(State())) throws {
        (self.plan, self.state) = (plan, state)
        recording = try RecordOptions(plan.options).map {
            try Recording($0, cameras: plan.cameras.filter(\.isRecorded).map(\.name))
        }
        clips = try ClipOptions(plan.options).map { try Clips($0, cameras: plan.cameras) }
        sinks = try WatchSinks(plan) { printError("odt watch: \($0)") }
    }

    /// Watches all cameras until the last one has ended, and returns the exit code.
    ///
    /// - Parameter line: The command line that names the configuration file.
    func watch(rereading line: CommandLineOptions) -> Int32 {
        use(plan.cameras)
        TerminationHandler.shared.onEnd { [state] _ in
            for camera in state.read(\.cameras).values { camera.stop(because: "the watch ended") }
        }
        DetachedThread.run { [recording, clips, state] in Self.cleanUp(recording, clips, until: state) }
        while nextReload() { reload(line) }
        sinks.close()
        if sinks.isUnread { return 128 + SIGPIPE }
        return state.read { state in
            // A camera that was never reached is no failure, because it may be switched off for weeks.
            state.plans.contains { state.hasFailed[$0.name] == true } ? ExitCode.failure : ExitCode.success
        }
    }

    /// Deletes the recordings and clips that exceed a limit, until all cameras have ended. Reading a large folder on a slow
    /// disk can take longer than the queues of the recordings last, so the streaming threads clean up only after a
    /// failed write.
    private static func cleanUp(_ recording: Recording?, _ clips: Clips?, until state: Monitor<State>) {
        repeat {
            recording?.retention.cleanIfDue()
            clips?.retention.cleanIfDue()
        } while state.wait(until: MonotonicClock.now.adding(cleaningInterval)) { $0.threads == 0 ? true : nil } == nil
    }

    /// Waits for SIGHUP. Returns `false` if all cameras have ended.
    private func nextReload() -> Bool {
        state.wait { state in
            if state.threads == 0 { return false }
            defer { state.isReloadDue = false }
            return state.isReloadDue ? true : nil
        }
    }

    /// From now on, SIGHUP requests a reload. The reload follows when ``watch(rereading:)`` has started the cameras.
    static func reloadAtHangUp(_ state: Monitor<State>) {
        let hadTerminal = hasTerminal
        TerminationHandler.shared.onHangUp {
            // The kernel also sends SIGHUP when the terminal is closed. In this case `odt watch` ends.
            if hadTerminal, !hasTerminal { return false }
            state.update { $0.isReloadDue = true }
            return true
        }
    }

    /// Whether the process has a controlling terminal.
    private static var hasTerminal: Bool {
        let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    /// Reads the configuration again. If it is invalid, nothing changes.
    private func reload(_ line: CommandLineOptions) {
        // logrotate compresses the moved file after the signal.
        sinks.checkFile()
        do {
            let new = try WatchPlan(line, using: plan.options)
            try new.options.check()
            // A changed option takes effect only after a restart. What is recorded and shown therefore depends on the
            // old options, and redaction is checked with the old options.
            for camera in new.cameras { try camera.check(plan.options) { printError("odt watch: \($0)") } }
            try recording?.use(new.cameras.filter(\.isRecorded).map(\.name))
            try clips?.use(new.cameras)
            try sinks.events.use(new.rules)
            for text in EventRule.warnings(about: new.rules, cameras: new.cameras) { printError("odt watch: \(text)") }
            let changes = new.options.changes(since: plan.options)
            if !changes.isEmpty {
                printError(
                    "odt watch: a restart is needed to use the changed options: \(changes.joined(separator: ", "))")
            }
            printError("odt watch: configuration reloaded: \(use(new.cameras))")
        } catch {
            printError("odt watch: the previous configuration stays in use: \(error)")
        }
    }

    /// Starts, restarts and stops cameras as the configuration requires. Returns a description of the changes.
    @discardableResult
    private func use(_ plans: [CameraPlan]) -> String {
        let (before, known) = state.update { state in
            defer { state.plans = plans }
            return (state.plans, state.cameras)
        }
        sinks.use(plans)
        let removed = before.filter { old in !plans.contains { $0.name == old.name } }
        let added = plans.filter { new in !before.contains { $0.name == new.name } }
        let changed = plans.filter { new in
            before.contains { $0.name == new.name && $0.differs(from: new) } || known[new.name]?.lacksThread == true
        }
        for old in removed { known[old.name]?.stop(because: "the camera was removed from the configuration") }
        for new in added + changed {
            let camera = known[new.name] ?? Camera(new, plan, sinks: sinks, recording: recording, clips: clips)
            state.update { $0.cameras[new.name] = camera }
            guard camera.use(new), !start(camera) else { continue }
            camera.noteStartFailure()
            state.update { $0.hasFailed[new.name] = true }
            printError(
                "odt watch: \(new.name): cannot start a thread; end other processes, or raise their limit (ulimit -u), and reload"
            )
        }
        // A signal stops only the cameras that are listed when the signal arrives. If the signal arrived before the new
        // cameras were listed, they are stopped here.
        if TerminationHandler.shared.isOver {
            for camera in state.read(\.cameras).values { camera.stop(because: "the watch ended") }
        }
        let parts = [("added", added), ("removed", removed), ("changed", changed)].filter { !$0.1.isEmpty }
        return parts.isEmpty
            ? "no camera changed"
            : parts.map { "\($0.0) \($0.1.map(\.name).joined(separator: ", "))" }.joined(separator: "; ")
    }

    /// Returns whether a thread for the camera was started.
    private func start(_ camera: Camera) -> Bool {
        state.update { $0.threads += 1 }
        let isStarted = DetachedThread.run { [state] in
            let hasFailed = camera.watch()
            state.update { state in
                state.hasFailed[camera.name] = hasFailed
                state.threads -= 1
            }
        }
        if !isStarted { state.update { $0.threads -= 1 } }
        return isStarted
    }
}
