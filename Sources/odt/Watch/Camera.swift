import CODTGStreamer
import Glibc
import ODTPlayback
import SwiftODT

/// Watches one camera until `odt watch` ends or the camera is removed from the configuration. Connects to the camera
/// and reconnects whenever the camera is lost. A file is played once.
///
/// Each camera has its own thread, so the failure of one camera does not affect other cameras.
final class Camera: Sendable {
    private struct State {
        var plan: CameraPlan
        var isRunning = false
        var lacksThread = false
        /// Whether the plan has changed since the current connection was established.
        var isChanged = false
        /// The reason why the camera is not watched any longer; `nil` while it is watched.
        var stopReason: String?
        var connection: CameraSession?
        /// The number of connections so far.
        var session: UInt32 = 0
        /// The number of attempts since the last connection.
        var attempt: UInt32 = 0
        /// The reasons for the current outage that have already been reported.
        var reasons: Set<String> = []
        /// Whether the current outage has been logged.
        var isOutageLogged = false
        /// Detects unusually long times without objects; `nil` if no alarm about such times is requested.
        var quiet: QuietMonitor?
    }

    /// An outage with this number of failed attempts is lasting. It is always logged; shorter ones are logged once per
    /// hour, so that a camera that reconnects every few seconds does not fill the log.
    private static let lastingOutageAttempts = 3

    let name: String
    private let frameTimeout: Nanoseconds
    private let longestPause: Nanoseconds
    private let alarms: AlarmOptions
    private let sinks: WatchSinks
    private let recording: Recording?
    private let clips: Clips?
    private let state: Monitor<State>
    private let log: RepeatedMessageFilter

    init(_ plan: CameraPlan, _ watch: WatchPlan, sinks: WatchSinks, recording: Recording?, clips: Clips?) {
        (name, self.sinks, self.recording, self.clips) = (plan.name, sinks, recording, clips)
        (frameTimeout, longestPause) = (watch.frameTimeout, watch.longestPause)
        alarms = watch.alarms
        state = Monitor(State(plan: plan, quiet: watch.alarms.quietFactor.map(QuietMonitor.init)))
        log = RepeatedMessageFilter { [name] in printError("odt watch: \(name): \($0)") }
    }

    /// Uses a new plan (the source and settings of the camera). If the camera is connected with another plan, it is
    /// reconnected.
    ///
    /// - Returns: Whether no thread watches the camera. The caller then has to start a thread that calls ``watch()``.
    func use(_ plan: CameraPlan) -> Bool {
        let (connection, isIdle) = state.update { state in
            defer { (state.isRunning, state.lacksThread, state.stopReason) = (true, false, nil) }
            state.plan = plan
            state.isChanged = state.isRunning
            return (state.connection, !state.isRunning)
        }
        connection?.askToEnd()
        return isIdle
    }

    /// Notes that no thread could be started after ``use(_:)``.
    func noteStartFailure() { state.update { ($0.isRunning, $0.lacksThread) = (false, true) } }

    /// Whether the camera is not watched because no thread could be started.
    var lacksThread: Bool { state.read(\.lacksThread) }

    /// Ends the connection. ``watch()`` then returns.
    func stop(because reason: String) {
        let connection = state.update { state in
            state.stopReason = state.stopReason ?? reason
            return state.connection
        }
        connection?.askToEnd()
    }

    /// Watches the camera until `odt watch` ends, the camera is stopped, the video ends or the source fails
    /// permanently.
    ///
    /// - Returns: Whether the source failed permanently, so that reconnecting would fail again.
    func watch() -> Bool {
        while true {
            let hasFailed = watchOnce()
            let isDone = state.update { state in
                // A new plan may arrive while the last connection ends.
                let isDone = !state.isChanged || state.stopReason != nil
                (state.isChanged, state.isRunning) = (false, !isDone)
                return isDone
            }
            if isDone { return hasFailed }
        }
    }

    private func watchOnce() -> Bool {
        var backOff = BackOff(longest: longestPause)
        // Whether the elements of earlier connections have stopped.
        var unfinished: [Monitor<Bool>] = []
        while state.read({ $0.stopReason == nil }) {
            let plan = state.update { state in
                state.attempt += 1
                state.isChanged = false
                return state.plan
            }
            let ending = connect(plan)
            if let hasStopped = ending.unfinished { unfinished.append(hasStopped) }
            if state.read({ $0.stopReason != nil }) { break }
            if state.read(\.isChanged) {
                lose(because: "the configuration changed", plan)
                backOff = BackOff(longest: longestPause)
                continue
            }
            if ending.isWhole || ending.isRefused {
                end(because: ending.failure ?? "the video ended", plan)
                if let failure = ending.failure { log.notify(plan.discreet(failure)) }
                return ending.failure != nil
            }
            let pause = backOff.next(after: ending.held)
            let reason = ending.failure ?? "the stream ended"
            lose(because: reason, plan)
            let (seconds, longest) = (Double(pause / 10_000_000) / 100, Double(longestPause / 10_000_000) / 100)
            let isLasting = state.read { !$0.isOutageLogged && $0.attempt >= Self.lastingOutageAttempts }
            let text = "\(plan.discreet(reason)); reconnecting in \(seconds) s; the pause grows to at most \(longest) s"
            if log.notify(text, always: isLasting) { state.update { $0.isOutageLogged = true } }
            wait(until: MonotonicClock.now.adding(pause))
            waitForEnd(of: &unfinished)
            if state.read(\.isChanged) { backOff = BackOff(longest: longestPause) }
        }
        let (plan, reason) = state.read { ($0.plan, $0.stopReason) }
        end(because: reason ?? "the watch ended", plan)
        return false
    }

    /// Waits until the time has come, the camera is stopped or its configuration changes.
    private func wait(until time: Nanoseconds) {
        state.wait(until: time) { $0.stopReason != nil || $0.isChanged ? () : nil }
    }

    /// Waits until at most one connection has not ended. A source that sends without end a message that never becomes
    /// complete cannot be stopped, and each connection to it would need memory, threads and descriptors. One connection
    /// may be blocked forever without keeping the camera from reconnecting.
    private func waitForEnd(of connections: inout [Monitor<Bool>]) {
        connections.removeAll { $0.read { $0 } }
        var isNoted = false
        while connections.count > 1, state.read({ $0.stopReason == nil && !$0.isChanged }) {
            if !isNoted { log.notify("two connections do not end; reconnecting when one of them has ended") }
            isNoted = true
            wait(until: MonotonicClock.now.adding(1_000_000_000))
            connections.removeAll { $0.read { $0 } }
        }
    }

    private func connect(_ plan: CameraPlan) -> CameraSession.Ending {
        // A segment or clip may be finished after the connection has ended. It is not reported then, because its
        // running times do not belong to the next connection.
        let isOver = Monitor(false)
        defer { isOver.update { $0 = true } }
        do {
            let crops =
                plan.takesPictures
                ? BestCrops(keepsCrops: plan.sendsPictures, redaction: RedactionFilter(of: plan)) : nil
            let clips = plan.savesClips ? try clips.map { try recorder(of: $0, plan, crops, isOver) } : nil
            let session = try CameraSession(
                plan, frameTimeout: frameTimeout, page: sinks.page, crops: crops,
                times: sinks.metrics?.times(of: name), alarms: alarms,
                recording: plan.isRecorded ? recording : nil, clips: clips,
                recorded: { [sinks, name] segment in isOver.read { if !$0 { sinks.take(segment, of: name) } } },
                begin: { [weak self] in self?.begin(plan) }, tick: { [weak self] in self?.noteQuiet(nil, plan) },
                notify: { [log] in log.notify(plan.discreet($0)) })
            let (number, isObsolete) = state.update { state in
                state.connection = session
                return (state.session + 1, state.stopReason != nil || state.isChanged)
            }
            sinks.events.use(crops, clips, of: name)
            sinks.metrics?.begin(session, of: name)
            defer {
                state.update { $0.connection = nil }
                sinks.events.use(nil, nil, of: name)
                sinks.metrics?.end(of: name)
                sinks.page?.end(of: name)
            }
            if isObsolete { session.askToEnd() }
            return session.play { message in
                let message = OwnedStructure(copying: message)
                message.set("session", to: number)
                if let orientation = session.appliedOrientation { message.set("applied-orientation", to: orientation) }
                forward(message.pointer, plan)
                noteQuiet(MessageFields(message.pointer), plan)
            }
        } catch {
            // A device may reappear, so connecting is tried again. A file that is missing is not tried again.
            return CameraSession.Ending(failure: "\(error)", isRefused: !plan.isCamera)
        }
    }

    private func recorder(
        of clips: Clips, _ plan: CameraPlan, _ crops: BestCrops?, _ isOver: Monitor<Bool>
    ) throws -> ClipRecorder {
        ClipRecorder(
            clips, camera: name,
            content: try RecordedContent(of: plan, isAnnotated: recording?.options.isAnnotated ?? false),
            isFile: !plan.isCamera, crops: crops,
            saved: { [sinks, name] clip in isOver.read { if !$0 { sinks.take(clip, of: name) } } },
            pictured: { [sinks, name, redaction = crops?.redaction] in
                sinks.take(snapshot: $0, of: name, redaction: redaction)
            },
            notify: { [log] in log.notify(plan.discreet($0)) })
    }

    // MARK: Events

    private func begin(_ plan: CameraPlan) {
        let (session, attempt, isOutageLogged) = state.update { state in
            defer { (state.attempt, state.reasons, state.isOutageLogged) = (0, [], false) }
            state.session += 1
            state.quiet?.begin(at: MonotonicClock.now)
            return (state.session, state.attempt, state.isOutageLogged)
        }
        report("connected", session, attempt, plan)
        if isOutageLogged { log.notify("reconnected", always: true) }
    }

    /// Reports that the camera is lost. Each reason is reported once per outage.
    private func lose(because reason: String, _ plan: CameraPlan) {
        let reason = plan.discreet(reason)
        let (isNew, session, attempt) = state.update { state in
            (state.reasons.insert(reason).inserted, state.session, state.attempt)
        }
        if isNew { report("lost", because: reason, session, attempt, plan) }
    }

    private func end(because reason: String, _ plan: CameraPlan) {
        let (session, attempt) = state.update { state in
            defer { (state.attempt, state.reasons, state.isOutageLogged) = (0, [], false) }
            return (state.session, state.attempt)
        }
        report("ended", because: plan.discreet(reason), session, attempt, plan)
    }

    /// Learns when the camera sees objects, and reports an alarm if it has seen none for unusually long.
    ///
    /// - Parameter message: A message of the element; `nil` if only time has passed.
    private func noteQuiet(_ message: MessageFields?, _ plan: CameraPlan) {
        guard alarms.quietFactor != nil else { return }
        var seconds = time_t(WallClock.now / 1_000_000_000)
        var local = tm()
        localtime_r(&seconds, &local)
        let seesObject = message?.list("objects").contains { $0.text("state") != "lost" } ?? false
        let (alarm, session) = state.update { state in
            (state.quiet?.take(seesObject: seesObject, at: MonotonicClock.now, hour: Int(local.tm_hour)), state.session)
        }
        guard let alarm else { return }
        let fields = alarm.message(of: name, running: nil, at: WallClock.now)
        fields.set("session", to: session)
        forward(fields.pointer, plan)
    }

    /// Reports a change of the connection as a message `swiftodt-camera`, in the same format as the element's messages.
    ///
    /// - Parameters:
    ///   - event: `connected`, `lost` or `ended`.
    ///   - session: The number of the connection to this camera since the program started, starting at 1. It is 0
    ///     before the first connection.
    ///   - attempt: For `connected`, the number of attempts until the connection succeeded. For `lost` and `ended`, the
    ///     number of failed attempts since the camera was lost.
    private func report(
        _ event: String, because reason: String? = nil, _ session: UInt32, _ attempt: UInt32, _ plan: CameraPlan
    ) {
        let fields = OwnedStructure(named: "swiftodt-camera")
        fields.set("version", to: UInt32(1))
        fields.set("source", to: name)
        fields.set("event", to: event)
        if let reason { fields.set("reason", to: reason) }
        fields.set("attempt", to: attempt)
        fields.set("utc-time", to: UInt64(max(0, WallClock.now)))
        fields.set("session", to: session)
        forward(fields.pointer, plan)
    }

    private func forward(_ message: UnsafePointer<GstStructure>, _ plan: CameraPlan) {
        sinks.take(
            WatchMessage(
                camera: name, time: WallClock.now, steady: MonotonicClock.now, fields: MessageFields(message),
                line: MessageText.line(message), mayWait: !plan.isCamera))
    }
}
