import ODTPlayback
import SwiftODT
import Synchronization

/// Maintains the connection to a broker on its own thread and sends the messages of the outbox. If the connection
/// fails, reconnects with exponential back-off.
final class MQTTPublisher: Sendable {
    /// The maximum time in nanoseconds for sending queued messages when `odt watch` ends.
    private static let closeTimeout: Nanoseconds = 5_000_000_000
    /// The maximum delay in nanoseconds before reconnecting while `odt watch` ends. It applies if the connection is
    /// lost before the remaining messages are sent.
    private static let longestPauseAtEnd: Nanoseconds = 500_000_000
    /// The interval in nanoseconds at which the state of the program is sent again. If an earlier process was lost
    /// together with its machine, the broker publishes the will of this process ("offline") only after the keep-alive
    /// interval, possibly after the "online" of the present process.
    private static let stateInterval: Nanoseconds = 30_000_000_000

    private struct State {
        var outbox: MQTTOutbox
        var isConnected = false
        /// The messages to send after all others when `odt watch` ends; `nil` while `odt watch` runs.
        var finalMessages: [MQTTMessage]?
        /// The monotonic time until which messages are sent when `odt watch` ends; `nil` while `odt watch` runs.
        var end: Nanoseconds?
        /// Whether the user has been informed of dropped events. Reset when the queue is empty or the connection is
        /// established.
        var isLosing = false
        var reportedLostCount = 0
    }

    private let library: MosquittoLibrary
    private let broker: BrokerAddress
    private let notify: @Sendable (String) -> Void
    private let state: Mutex<State>
    /// Wakes the thread when the outbox has new messages.
    private let wakeup = WakeupPipe()
    /// Wakes the thread if it waits before reconnecting when `odt watch` ends.
    private let ending = WakeupPipe()
    /// Signals that the thread has ended.
    private let done = WakeupPipe()

    init(
        _ library: MosquittoLibrary, to broker: BrokerAddress, maximumBytes: Int,
        notify: @escaping @Sendable (String) -> Void
    ) throws {
        (self.library, self.broker, self.notify) = (library, broker, notify)
        state = Mutex(State(outbox: MQTTOutbox(maximumBytes: maximumBytes)))
        guard DetachedThread.run({ self.run() }) else {
            throw PlaybackError("--mqtt: cannot start a thread (ulimit -u)")
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
        notify("the queue of the broker at \(broker.name) is full (--mqtt-queue): dropping oldest events")
    }

    func publish(retained message: MQTTMessage) {
        state.withLock { $0.outbox.add(retained: message) }
        wakeup.wake()
    }

    func publish(result: MQTTMessage) {
        state.withLock { $0.outbox.add(result: result) }
        wakeup.wake()
    }

    func measure(into text: inout MetricsText) {
        let (isConnected, events, lost) = state.withLock { ($0.isConnected, $0.outbox.eventCount, $0.outbox.lostCount) }
        text.add("swiftodt_mqtt_connected", .gauge, "Whether the broker is connected.", isConnected ? 1 : 0)
        text.add("swiftodt_mqtt_queue_events", .gauge, "Events that wait for the broker.", events)
        text.add("swiftodt_mqtt_events_dropped_total", .counter, "Events that were dropped.", lost)
    }

    /// Sends the queued messages, then the final messages, and disconnects. Waits for at most 5 s.
    func close(sending finalMessages: [MQTTMessage]) {
        state.withLock { state in
            state.finalMessages = finalMessages
            state.end = MonotonicClock.now + Self.closeTimeout
        }
        wakeup.wake()
        ending.wake()
        done.wait(milliseconds: Int32(Self.closeTimeout / 1_000_000) + 500)
        let left = state.withLock { $0.outbox.eventCount }
        if left > 0 { notify("\(left) events were not delivered to the broker at \(broker.name)") }
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
                    if complaint != nil { notify("connected to the broker at \(broker.name)") }
                    complaint = nil
                }
                break
            } catch {
                let text = "\(error)"
                if text != complaint {
                    notify(text + "; events are queued until the broker is available")
                }
                complaint = text
                var pause = backOff.next(after: MonotonicClock.now - start)
                if state.withLock({ $0.end }) != nil {
                    // When `odt watch` ends, connecting is tried again only if the broker closed an established
                    // connection. Waiting for an unreachable broker would only delay the end.
                    guard wasOpen else { break }
                    pause = min(pause, Self.longestPauseAtEnd)
                }
                ending.wait(milliseconds: Int32(pause / 1_000_000))
            }
        }
        done.wake()
    }

    private func serve(_ connection: MQTTConnection, whenOpen: () -> Void) throws {
        while !connection.isOpen {
            if isOver { return }
            try connection.process(wakeup, milliseconds: 1_000)
        }
        whenOpen()
        reportLost()
        let refused = state.withLock { state in
            state.isConnected = true
            return state.outbox.begin()
        }
        if let refused {
            notify(
                "dropped the retained message \(refused.topic) (\(refused.payload.count) bytes), because the broker at "
                    + "\(broker.name) closes the connection; check the broker's size limit and permissions")
        }
        defer { state.withLock { $0.isConnected = false } }
        var stated = MonotonicClock.now
        while true {
            let isStateDue = MonotonicClock.now - stated >= Self.stateInterval
            if isStateDue { stated = MonotonicClock.now }
            let (isDone, hasCaughtUp) = try state.withLock { state in
                state.outbox.acknowledge(connection.acknowledged)
                if isStateDue { state.outbox.resend("\(broker.topic)/state") }
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
            if isDone { return connection.leave() }
            // Without a disconnect message, the broker publishes the will in place of the unsent "offline".
            if isOver { return }
            try connection.process(wakeup, milliseconds: 1_000)
        }
    }

    private var isOver: Bool { state.withLock { $0.end.map { MonotonicClock.now >= $0 } ?? false } }

    /// Reports the total number of dropped events if it has increased since the last report.
    private func reportLost() {
        let lost: Int? = state.withLock { state in
            let lost = state.outbox.lostCount
            guard lost > state.reportedLostCount else { return nil }
            (state.reportedLostCount, state.isLosing) = (lost, false)
            state.outbox.add(retained: MQTTMessage("\(broker.topic)/lost", "\(lost)"))
            return lost
        }
        if let lost { notify("\(lost) events have been dropped since the start because the broker was unavailable") }
    }
}
