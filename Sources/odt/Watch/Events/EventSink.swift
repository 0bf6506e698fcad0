import ODTPlayback
import SwiftODT
import Synchronization

/// Passes each event that matches a rule to the commands and URLs of the rule.
final class EventSink: MeasuredSink {
    private struct State {
        var matcher: EventMatcher
        /// The receivers by command or URL.
        var receivers: [String: EventReceiver] = [:]
        /// The receivers that are no longer used and still deliver an event.
        var retired: [EventReceiver] = []
        /// The figures of the removed receivers, by name.
        var removed: [String: EventReceiver.Figures] = [:]
        var pictures: [String: BestCrops] = [:]
        /// The redaction that the configuration requests for each camera. A removed camera keeps its latest one.
        var redactions: [String: RedactionFilter?] = [:]
        var clips: [String: ClipRecorder] = [:]
    }

    private let state: Mutex<State>
    private let notify: @Sendable (String) -> Void

    init(_ rules: [EventRule], notify: @escaping @Sendable (String) -> Void) throws {
        self.notify = notify
        state = Mutex(State(matcher: EventMatcher([])))
        try use(rules)
    }

    /// Replaces the rules. A receiver that is no longer used passes the events in its queue to the new receiver of
    /// their rule, or delivers them if there is no rule of this name any more.
    func use(_ rules: [EventRule]) throws {
        let actions = Set(rules.compactMap(\.action))
        var receivers = state.withLock(\.receivers)
        let old = receivers.filter { !actions.contains($0.key) }
        for rule in rules {
            guard let action = rule.action, receivers[action] == nil else { continue }
            do {
                receivers[action] = try EventReceiver(action, notify: notify)
            } catch let error as PlaybackError where error.isUsage {
                let place = rule.place.map { "\($0): [event \(rule.name)]" } ?? "--\(EventRule.option)"
                throw PlaybackError("\(place): \(error)", isUsage: true)
            }
        }
        for action in old.keys { receivers[action] = nil }
        let kept = receivers
        let successors = Dictionary(
            rules.compactMap { rule in rule.action.flatMap { kept[$0] }.map { (rule.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        // The events in the queues precede the events of the new rules.
        for receiver in old.values { receiver.retire(to: successors) }
        state.withLock { state in
            state.matcher.use(rules)
            state.receivers = kept
            let retired = state.retired + old.values
            state.retired = retired.filter { !$0.isOver }
            for receiver in retired where !state.retired.contains(where: { $0 === receiver }) {
                Self.add(receiver, to: &state.removed)
            }
        }
    }

    func use(_ crops: BestCrops?, _ clips: ClipRecorder?, of camera: String) {
        state.withLock { ($0.pictures[camera], $0.clips[camera]) = (crops, clips) }
    }

    func use(_ cameras: [ConfiguredCamera]) {
        state.withLock { state in for (name, filter) in cameras { state.redactions[name] = .some(filter) } }
    }

    /// Returns whether events may have these pictures of a camera. An event that waits in a queue may have a picture of
    /// an earlier connection without the redaction that the configuration requests now.
    func permits(_ crops: BestCrops, of camera: String) -> Bool {
        guard let redaction = crops.redaction, let present = state.withLock({ $0.redactions[camera] }) else {
            return false
        }
        return redaction == present
    }

    func take(_ message: WatchMessage) {
        let (due, clips, recorder) = state.withLock { state in
            let matches = state.matcher.take(message)
            let due = matches.compactMap { match in
                match.rule.action.flatMap { state.receivers[$0] }.map { ($0, match, state.pictures[message.camera]) }
            }
            let recorder = state.clips[message.camera]
            return (due, matches.filter(\.rule.savesClip), recorder)
        }
        let running = message.fields.count("running-time").map { Nanoseconds(clamping: $0) }
        if let recorder, let running {
            // The frames of an event that is reported late may not be in memory any more.
            let earliest = running.since(ClipRecorder.latency)
            for match in clips { recorder.save(match.event, at: max(match.running, earliest)) }
            recorder.noteEvents(until: running)
        }
        for (receiver, match, crops) in due {
            var picture: (@Sendable () -> [UInt8]?)?
            if match.rule.sendsPicture, let crops, let id = match.event.id {
                picture = { [weak self, camera = message.camera] in
                    self?.permits(crops, of: camera) == true ? crops.picture(of: id) : nil
                }
            }
            receiver.take(match.event, rule: match.rule.name, picture: picture)
        }
    }

    func close() {
        let receivers = state.withLock { $0.receivers.values + $0.retired }
        DetachedThread.runAll(receivers.map { receiver in { receiver.close() } })
    }

    func measure(into text: inout MetricsText) {
        typealias Sample = MetricsText.Sample
        let figures = state.withLock { state in
            var figures = state.removed
            for receiver in state.receivers.values + state.retired { Self.add(receiver, to: &figures) }
            return figures
        }
        let sorted = figures.sorted { $0.key < $1.key }
        text.add(
            "swiftodt_events_queue", .gauge, "Events that wait for a command or URL.",
            sorted.map { Sample(["receiver": $0.key], $0.value.waiting) })
        text.add(
            "swiftodt_events_delivered_total", .counter, "Events that a command or URL has accepted.",
            sorted.map { Sample(["receiver": $0.key], $0.value.delivered) })
        text.add(
            "swiftodt_events_dropped_total", .counter,
            "Events that were rejected, or dropped because the queue was full.",
            sorted.map { Sample(["receiver": $0.key], $0.value.dropped) })
    }

    /// Receivers with URLs of the same host have the same name, so their figures are added.
    private static func add(_ receiver: EventReceiver, to figures: inout [String: EventReceiver.Figures]) {
        // The name of a command is in quotes for the log.
        let name = receiver.name.filter { $0 != "'" }
        let (sum, one) = (figures[name] ?? (0, 0, 0), receiver.figures)
        figures[name] = (sum.waiting + one.waiting, sum.delivered + one.delivered, sum.dropped + one.dropped)
    }
}
