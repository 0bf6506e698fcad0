import ODTPlayback
import SwiftODT

/// Delivers events to one command or URL. It has its own queue and thread, so a failure delays neither cameras nor
/// other receivers.
///
/// If a URL cannot be reached or answers with a temporary error, the event is sent again, with exponential back-off. If
/// the queue is full, its oldest event is dropped.
final class EventReceiver: Sendable {
    private struct Item {
        let rule: String
        let event: WatchEvent
        /// Returns the best picture of the event's object so far; `nil` if there is none.
        let picture: (@Sendable () -> [UInt8]?)?
        let arrival = MonotonicClock.now
    }

    private struct State {
        var waiting: [Item] = []
        /// The event that is being delivered.
        var current: Item?
        /// The monotonic time until which events are delivered when `odt watch` ends; `nil` while `odt watch` runs.
        var end: Nanoseconds?
        var delivered = 0
        var dropped = 0
        /// Whether the latest attempt failed and the event will be sent again, or its time limit was exceeded.
        var isFailing = false
        /// Whether the user has been informed of dropped events since the queue was last empty.
        var isLosing = false
        /// The receivers of later events, by rule; `nil` while this receiver is in use.
        var successors: [String: EventReceiver]?
        /// Whether the thread has ended.
        var isOver = false

        var isDelivering: Bool { left > 0 && !isFailing && !isOver }
        var left: Int { waiting.count + (current == nil ? 0 : 1) }
    }

    static let maximum = 1_000
    /// The time in nanoseconds to wait for the first picture of an object.
    private static let pictureTimeout: Nanoseconds = 1_500_000_000

    /// The maximum time in nanoseconds for deliveries after a signal, after a failure, and of a retired receiver.
    private let closeTimeout: Nanoseconds
    private let delivery: any EventDelivery
    private let notify: @Sendable (String) -> Void
    /// Logs events that were rejected.
    private let rejections: RepeatedMessageFilter
    private let state = Monitor(State())

    /// - Parameter action: A command or a URL.
    init(
        _ action: String, closeTimeout: Nanoseconds = 5_000_000_000, notify: @escaping @Sendable (String) -> Void
    ) throws {
        (self.notify, self.closeTimeout) = (notify, closeTimeout)
        rejections = RepeatedMessageFilter(output: notify)
        delivery = try EventURL.isURL(action) ? EventURL(action) : EventCommand(action)
        guard DetachedThread.run({ self.work() }) else { throw PlaybackError("cannot start a thread (ulimit -u)") }
    }

    var name: String { delivery.name }

    typealias Figures = (waiting: Int, delivered: Int, dropped: Int)

    var figures: Figures {
        state.read { state in
            // When the thread has ended, the events in the queue are lost.
            let lost = state.isOver ? state.left : 0
            return (state.left - lost, state.delivered, state.dropped + lost)
        }
    }

    /// Queues an event. Does not block.
    func take(_ event: WatchEvent, rule: String, picture: (@Sendable () -> [UInt8]?)?) {
        take(Item(rule: rule, event: event, picture: picture))
    }

    private func take(_ item: Item) {
        let (successor, problem) = state.update { state -> (EventReceiver?, String?) in
            if let successor = state.successors?[item.rule] { return (successor, nil) }
            if state.isOver {
                state.dropped += 1
                return (nil, "1 event not delivered")
            }
            state.waiting.append(item)
            guard state.waiting.count > Self.maximum else { return (nil, nil) }
            state.waiting.removeFirst()
            state.dropped += 1
            defer { state.isLosing = true }
            return (nil, state.isLosing ? nil : "the queue of \(Self.maximum) events is full: dropping the oldest")
        }
        successor?.take(item)
        if let problem { notify("\(name): \(problem)") }
    }

    /// Waits until the queued events are delivered. After a signal, or if a URL or a command does not work, waits for at
    /// most 5.5 s.
    func close() {
        let begin = MonotonicClock.now
        var isAnnounced = false
        while !TerminationHandler.shared.isOver, state.read(\.isDelivering) {
            state.wait(until: MonotonicClock.now + 100_000_000) { $0.isDelivering ? nil : () }
            guard !isAnnounced, MonotonicClock.now - begin > closeTimeout, state.read(\.isDelivering) else { continue }
            isAnnounced = true
            notify("\(name): delivering \(CountText.text(state.read(\.left), "more event")); Ctrl-C ends this")
        }
        // The thread of a retired receiver has reported the events that it did not deliver.
        guard !state.read(\.isOver) else { return }
        let deadline = MonotonicClock.now + closeTimeout
        state.update { $0.end = deadline }
        state.wait(until: deadline + 500_000_000) { $0.left == 0 ? () : nil }
        delivery.cancel()
        notifyUndelivered()
    }

    /// Passes the queued events of these rules to other receivers, delivers the other events for at most 5 s, and then
    /// ends. A running command is not stopped.
    func retire(to successors: [String: EventReceiver]) {
        state.update { state in
            (state.successors, state.end) = (successors, MonotonicClock.now + closeTimeout)
            Self.passOn(&state)
        }
    }

    /// Whether the receiver is retired and delivers nothing any more.
    var isOver: Bool { state.read(\.isOver) }

    /// Called while the lock is held, so that later events do not overtake those in the queue. A successor is newer than
    /// this receiver or is still in use, so the locks are always acquired in the same order.
    private static func passOn(_ state: inout State) {
        guard let successors = state.successors else { return }
        for item in state.waiting { successors[item.rule]?.take(item) }
        state.waiting.removeAll { successors[$0.rule] != nil }
    }

    private func notifyUndelivered() {
        let left = state.read(\.left)
        if left > 0 { notify("\(name): \(CountText.text(left, "event")) not delivered") }
    }

    // MARK: The thread

    private func work() {
        var backOff = BackOff()
        var complaint: String?
        while let item = next() {
            do {
                let picture = picture(of: item)
                try delivery.deliver(item.event, rule: item.rule, picture: picture)
                finish(isDelivered: true)
                if complaint != nil { notify("\(name): works again") }
                (complaint, backOff) = (nil, BackOff())
            } catch {
                let text = "\(error)"
                let isFinal = (error as? EventDeliveryError)?.isFinal ?? true
                if isFinal {
                    rejections.notify("\(name): \(text)")
                    finish(isDelivered: false, isFailing: (error as? EventDeliveryError)?.isTimeout ?? false)
                } else {
                    if text != complaint { notify("\(name): \(text); events are queued and sent later") }
                    complaint = text
                    // The event may be passed to a successor while it waits for another attempt.
                    state.update { state in
                        (state.waiting, state.current, state.isFailing) = ([item] + state.waiting, nil, true)
                        Self.passOn(&state)
                    }
                    let pause = MonotonicClock.now + backOff.next(after: 0)
                    state.wait(until: pause) { $0.end != nil ? () : nil }
                    // When `odt watch` ends, an event is sent again twice per second instead of with back-off.
                    if state.read({ $0.end != nil }) {
                        state.wait(until: MonotonicClock.now + 500_000_000) { _ in Void?.none }
                    }
                }
            }
        }
        let isRetired = state.update { state in
            state.isOver = true
            return state.successors != nil
        }
        if isRetired { notifyUndelivered() }
    }

    /// Waits for the next event. Returns `nil` if `odt watch` ends or the receiver is retired.
    private func next() -> Item? {
        let item: Item?? = state.wait { state in
            if let end = state.end, MonotonicClock.now >= end { return .some(nil) }
            if !state.waiting.isEmpty { state.current = state.waiting.removeFirst() }
            return state.current.map { .some($0) } ?? (state.end == nil ? nil : .some(nil))
        }
        return item ?? nil
    }

    private func finish(isDelivered: Bool, isFailing: Bool = false) {
        state.update { state in
            (state.current, state.isFailing) = (nil, isFailing)
            if isDelivered { state.delivered += 1 } else { state.dropped += 1 }
            if state.waiting.isEmpty { state.isLosing = false }
        }
    }

    /// Returns the best picture for an event. A new object may have no picture yet, so this waits up to 1.5 s for the
    /// first one.
    private func picture(of item: Item) -> [UInt8]? {
        guard let picture = item.picture else { return nil }
        while true {
            if let found = picture() { return found }
            let now = MonotonicClock.now
            guard now < item.arrival + Self.pictureTimeout else { return nil }
            state.wait(until: now + 50_000_000) { _ in Void?.none }
        }
    }
}

/// Delivers events to a receiver. Used on one thread.
protocol EventDelivery: Sendable {
    /// The name of the receiver in the log. It contains no secrets.
    var name: String { get }

    /// - Throws: ``EventDeliveryError``.
    func deliver(_ event: WatchEvent, rule: String, picture: [UInt8]?) throws

    /// Ends a delivery that is in progress, if that is possible. May be called on any thread.
    func cancel()
}

extension EventDelivery {
    func cancel() {}
}

struct EventDeliveryError: Error, CustomStringConvertible {
    let description: String
    /// Whether another attempt is useless.
    let isFinal: Bool
    /// Whether a command or a request was stopped because of its time limit. Other events would probably take as long.
    var isTimeout = false
}
