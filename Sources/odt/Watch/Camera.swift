import CGStreamer
import Playback
import SwiftODT
import Synchronization

/// A camera that is watched: connected to, lost, and connected to again, until all is to end; a file until it has been seen.
///
/// Each has a thread of its own, and nothing that one of them goes through is felt by another.
final class Camera: Sendable {
    private struct State {
        /// Which connection it is, from 1.
        var session: UInt32 = 0
        /// How often it was tried since the last one.
        var attempt: UInt32 = 0
        /// What has been said of this outage.
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
        /// The watch ended before the camera sent its first frame.
        case neverReached
        /// Another attempt is of no use.
        case failed
    }

    /// Watches it until the watch or the video ends.
    func watch() -> Outcome {
        var backOff = BackOff(longest: longestPause)
        while !TerminationHandler.shared.isOver {
            state.withLock { $0.attempt += 1 }
            let ending = connect()
            if TerminationHandler.shared.isOver { break }
            if ending.isWhole || ending.isRefused {
                end(because: ending.failure ?? "the video is over")
                if let failure = ending.failure { log.notify(failure) }
                return ending.failure == nil ? .watched : .failed
            }
            let pause = backOff.next(after: ending.held)
            lose(because: ending.failure ?? "the stream ended", for: pause)
            TerminationHandler.shared.pause(pause)
        }
        end(because: "the watch is over")
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
            // A device may come back; a file that is not there is a mistake.
            return CameraSession.Ending(failure: "\(error)", isRefused: !plan.isCamera)
        }
    }

    // MARK: What is said of it

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
        if wasLost { log.notify("is there again") }
    }

    /// Says once for each outage why it is one.
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
        log.notify("\(reason); it is asked again in \(seconds) s, and at longest every \(longestPause / 1_000_000_000) s")
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
