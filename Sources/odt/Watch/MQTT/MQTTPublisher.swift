import Playback
import SwiftODT
import Synchronization

/// Keeps a connection to a broker, on a thread of its own, and hands on what is put into its outbox. A broker that is away is
/// asked again, at first soon, then less often.
final class MQTTPublisher: Sendable {
    /// Nobody waits longer for the end.
    private static let closeTimeout: Nanoseconds = 5_000_000_000
    /// The longest pause before a broker that has closed the connection is asked again at the end.
    private static let longestPauseAtEnd: Nanoseconds = 500_000_000

    private struct State {
        var outbox: MQTTOutbox
        /// What is to be said when all else has been.
        var finalMessages: [MQTTMessage]?
        var end: Nanoseconds?
        /// Whether it has been said that events are being left out.
        var isLosing = false
        /// Of those that were, how many have been told of.
        var reportedLostCount = 0
    }

    private let library: MosquittoLibrary
    private let broker: Broker
    private let notify: @Sendable (String) -> Void
    private let state: Mutex<State>
    /// Something is to be sent.
    private let wakeup = WakeupPipe()
    private let ending = WakeupPipe()
    private let done = WakeupPipe()

    /// - Parameter maximumBytes: of events that wait.
    init(_ library: MosquittoLibrary, to broker: Broker, maximumBytes: Int, notify: @escaping @Sendable (String) -> Void)
        throws
    {
        (self.library, self.broker, self.notify) = (library, broker, notify)
        state = Mutex(State(outbox: MQTTOutbox(maximumBytes: maximumBytes)))
        guard DetachedThread.run({ self.run() }) else {
            throw PlaybackError("--mqtt: no thread can be started (ulimit -u)")
        }
    }

    func publish(event: MQTTMessage) {
        let isFirst = state.withLock { state in
            guard state.outbox.add(event: event), !state.isLosing else { return false }
            state.isLosing = true
            return true
        }
        wakeup.wake()
        guard isFirst else { return }
        notify("more events wait for the broker at \(broker.address.name) than --mqtt-queue lets: the oldest are left out")
    }

    func publish(retained message: MQTTMessage) {
        state.withLock { $0.outbox.add(retained: message) }
        wakeup.wake()
    }

    /// Replaces what has not been sent of this topic yet.
    func publish(result: MQTTMessage) {
        state.withLock { $0.outbox.add(result: result) }
        wakeup.wake()
    }

    /// Hands on what waits, for some seconds at most, then the last words, and leaves.
    func close(sending finalMessages: [MQTTMessage]) {
        state.withLock { state in
            state.finalMessages = finalMessages
            state.end = MonotonicClock.now + Self.closeTimeout
        }
        wakeup.wake()
        ending.wake()
        done.wait(milliseconds: Int32(Self.closeTimeout / 1_000_000) + 500)
        let left = state.withLock { $0.outbox.eventCount }
        if left > 0 { notify("\(left) events have not reached the broker at \(broker.address.name)") }
    }

    // MARK: The thread

    private func run() {
        var backOff = BackOff()
        var complaint: String?
        while !isOver {
            let start = MonotonicClock.now
            var wasOpen = false
            do {
                let connection = try MQTTConnection(library, to: broker)
                try serve(connection) {
                    wasOpen = true
                    if complaint != nil { notify("the broker at \(broker.address.name) is there") }
                    complaint = nil
                }
                break
            } catch {
                let text = "\(error)"
                if text != complaint {
                    notify(text + (text.hasSuffix("?") ? " " : ". ") + "Events are kept until it is there")
                }
                complaint = text
                var pause = backOff.next(after: MonotonicClock.now - start)
                if state.withLock({ $0.end }) != nil {
                    // A broker that is not there is not waited for at the end; one that has closed the connection is asked again.
                    guard wasOpen else { break }
                    pause = min(pause, Self.longestPauseAtEnd)
                }
                ending.wait(milliseconds: Int32(pause / 1_000_000))
            }
        }
        done.wake()
    }

    /// Hands on until the end, or until the connection is lost.
    private func serve(_ connection: MQTTConnection, whenOpen: () -> Void) throws {
        while !connection.isOpen {
            if isOver { return }
            try connection.process(wakeup, milliseconds: 1_000)
        }
        whenOpen()
        reportLost()
        state.withLock { $0.outbox.begin() }
        while true {
            let (isDone, hasCaughtUp) = try state.withLock { state in
                state.outbox.acknowledge(connection.acknowledged)
                let hasCaughtUp = state.outbox.eventCount == 0
                if state.outbox.isEmpty, let last = state.finalMessages {
                    if last.isEmpty { return (true, hasCaughtUp) }
                    for message in last { state.outbox.add(retained: message) }
                    state.finalMessages = []
                }
                try state.outbox.send(isBusy: connection.isBusy) { message, quality, isRetained in
                    try connection.publish(message, quality, isRetained: isRetained)
                }
                return (false, hasCaughtUp)
            }
            if hasCaughtUp { reportLost() }
            if isDone || isOver { return connection.leave() }
            try connection.process(wakeup, milliseconds: 1_000)
        }
    }

    private var isOver: Bool { state.withLock { $0.end.map { MonotonicClock.now >= $0 } ?? false } }

    /// How many events are gone, to whom it concerns, where more are than was told.
    private func reportLost() {
        let lost: Int? = state.withLock { state in
            let lost = state.outbox.lostCount
            guard lost > state.reportedLostCount else { return nil }
            (state.reportedLostCount, state.isLosing) = (lost, false)
            state.outbox.add(retained: MQTTMessage("\(broker.address.topic)/lost", "\(lost)"))
            return lost
        }
        if let lost { notify("\(lost) events have been left out since the start, for want of the broker") }
    }
}
