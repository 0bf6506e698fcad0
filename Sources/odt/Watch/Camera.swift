import CGStreamer
import Playback
import SwiftODT
import Synchronization

/// Watches one camera until the watch ends. Connects to the camera and reconnects whenever the camera is lost. A file
/// is played once.
///
/// Each camera has its own thread, so the failure of one camera does not affect other cameras.
final class Camera: Sendable {
    private struct State {
        /// The number of connections so far.
        var session: UInt32 = 0
        /// The number of attempts since the last connection.
        var attempt: UInt32 = 0
        /// The reasons for the current outage that have already been reported.
        var reasons: Set<String> = []
    }

    private let plan: CameraPlan
    private let frameTimeout: Nanoseconds
    private let longestPause: Nanoseconds
    private let sinks: WatchSinks
    private let recording: Recording?
    private let state = Mutex(State())
    private let log: RepeatedMessageFilter

    init(_ plan: CameraPlan, _ watch: WatchPlan, sinks: WatchSinks, recording: Recording?) {
        (self.plan, self.sinks) = (plan, sinks)
        self.recording = plan.isRecorded ? recording : nil
        (frameTimeout, longestPause) = (watch.frameTimeout, watch.longestPause)
        log = RepeatedMessageFilter { printError("odt watch: \(plan.name): \(plan.discreet($0))") }
    }

    enum Outcome {
        case watched
        /// The watch ended before the camera delivered its first frame.
        case neverReached
        /// The source failed permanently, so reconnecting would fail again.
        case failed
    }

    /// Watches the camera until the watch ends, the video ends or the source fails permanently.
    func watch() -> Outcome {
        var backOff = BackOff(longest: longestPause)
        while !TerminationHandler.shared.isOver {
            state.withLock { $0.attempt += 1 }
            let ending = connect()
            if TerminationHandler.shared.isOver { break }
            if ending.isWhole || ending.isRefused {
                end(because: ending.failure ?? "the video ended")
                if let failure = ending.failure { log.notify(failure) }
                return ending.failure == nil ? .watched : .failed
            }
            let pause = backOff.next(after: ending.held)
            lose(because: ending.failure ?? "the stream ended", for: pause)
            TerminationHandler.shared.pause(pause)
        }
        end(because: "the watch ended")
        return state.withLock { $0.session } > 0 ? .watched : .neverReached
    }

    private func connect() -> CameraSession.Ending {
        do {
            let session = try CameraSession(
                plan, frameTimeout: frameTimeout, viewer: sinks.viewer, recording: recording,
                recorded: { [sinks, plan] in sinks.take($0, of: plan.name) },
                begin: { [weak self] in self?.begin() },
                notify: { [log] in log.notify($0) })
            let number = state.withLock { $0.session + 1 }
            return session.play { message in
                let message = OwnedStructure(copying: message)
                message.set("session", to: number)
                hand(message.pointer)
            }
        } catch {
            // A device may reappear, so its absence is temporary. A missing file is a mistake of the user.
            return CameraSession.Ending(failure: "\(error)", isRefused: !plan.isCamera)
        }
    }

    // MARK: Events

    private func begin() {
        let (event, wasLost) = state.withLock { state in
            state.session += 1
            let event = CameraEvent(
                camera: plan.name, kind: .connected, session: state.session, attempt: state.attempt)
            let wasLost = !state.reasons.isEmpty
            state.attempt = 0
            state.reasons = []
            return (event, wasLost)
        }
        hand(event)
        if wasLost { log.notify("reconnected") }
    }

    /// Reports that the camera is lost. Each reason is reported once per outage.
    private func lose(because reason: String, for pause: Nanoseconds) {
        let reason = plan.discreet(reason)
        let event: CameraEvent? = state.withLock { state in
            guard state.reasons.insert(reason).inserted else { return nil }
            return CameraEvent(
                camera: plan.name, kind: .lost, reason: reason, session: state.session, attempt: state.attempt)
        }
        guard let event else { return }
        hand(event)
        let seconds = Double(pause / 100_000_000) / 10
        log.notify("\(reason); reconnecting in \(seconds) s, later at most every \(longestPause / 1_000_000_000) s")
    }

    private func end(because reason: String) {
        let state = state.withLock { $0 }
        hand(
            CameraEvent(
                camera: plan.name, kind: .ended, reason: plan.discreet(reason), session: state.session,
                attempt: state.attempt))
    }

    private func hand(_ event: CameraEvent) {
        let message = event.message(at: WallClock.now)
        hand(message.pointer)
    }

    private func hand(_ message: UnsafePointer<GstStructure>) {
        sinks.take(
            WatchMessage(
                camera: plan.name, time: WallClock.now, steady: MonotonicClock.now, fields: MessageFields(message),
                line: MessageText.line(message), mayWait: !plan.isCamera))
    }
}

/// A message `swiftodt-camera` about the connection to a camera, in the same format as the element's messages.
struct CameraEvent {
    enum Kind: String { case connected, lost, ended }

    let camera: String
    let kind: Kind
    /// The reason of a `lost` or `ended` event; `nil` for `connected`.
    var reason: String?
    /// The number of the connection to this camera since the program started, starting at 1. It is 0 before the first
    /// connection.
    var session: UInt32
    /// For `connected`, the number of attempts until the connection succeeded. For `lost` and `ended`, the number of
    /// failed attempts since the camera was lost.
    var attempt: UInt32

    /// - Parameter time: The wall-clock time of the event in nanoseconds since 1970.
    func message(at time: Nanoseconds) -> OwnedStructure {
        let fields = OwnedStructure(named: "swiftodt-camera")
        fields.set("version", to: UInt32(1))
        fields.set("source", to: camera)
        fields.set("event", to: kind.rawValue)
        if let reason { fields.set("reason", to: reason) }
        fields.set("attempt", to: attempt)
        fields.set("utc-time", to: UInt64(max(0, time)))
        fields.set("session", to: session)
        return fields
    }
}
