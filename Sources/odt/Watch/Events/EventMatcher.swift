import Playback
import SwiftODT

/// Selects the events that match the user's rules. Two kinds of events are derived from the element's results: an
/// object has stayed for a time (a stay), or a number of objects was reached (a count).
///
/// Times of cameras are monotonic times. Times of files are running times, because files are read faster than in real
/// time. Times of different clocks are never compared: all cameras share a clock, and each file has its own.
struct EventMatcher {
    struct Match {
        let rule: EventRule
        let event: WatchEvent
    }

    /// A condition that has begun. It matches the rule when it has lasted for the rule's dwell time.
    private struct Pending {
        let since: Nanoseconds
        var event: WatchEvent
    }

    /// Identifies what a rule observes: a camera, an object, an object in a zone, or a number of objects.
    private struct Key: Hashable {
        let rule: String
        let camera: String
        var zone: String?
        var id: UInt64?
    }

    private struct RuleAndClock: Hashable {
        let rule: String
        /// The name of a file; `nil` for all cameras.
        let file: String?
    }

    private(set) var rules: [EventRule]
    private var pending: [Key: Pending] = [:]
    /// The counts that have reached their threshold.
    private var reached: Set<Key> = []
    /// The latest match of each rule: its time, and the number of its message. A rule with the condition `after`
    /// compares the current time with the latest match of its predecessor.
    private var matched: [RuleAndClock: (time: Nanoseconds, message: Int)] = [:]
    /// The value of `matched` before the current message.
    private var matchedBefore: [RuleAndClock: (time: Nanoseconds, message: Int)] = [:]
    /// For each rule with the condition `after`: the number of the message in which its predecessor matched. Each such
    /// match is used once.
    private var used: [RuleAndClock: Int] = [:]
    /// The time of the latest action of each rule for each camera.
    private var acted: [Key: Nanoseconds] = [:]
    /// The time of each file.
    private var clocks: [String: Nanoseconds] = [:]
    private var messageCount = 0

    init(_ rules: [EventRule]) { self.rules = rules }

    /// Replaces the rules. Conditions that have begun are forgotten.
    mutating func use(_ rules: [EventRule]) {
        self.rules = rules
        (pending, reached) = ([:], [])
    }

    mutating func take(_ message: WatchMessage) -> [Match] {
        guard !rules.isEmpty else { return [] }
        messageCount += 1
        matchedBefore = matched
        let now = time(of: message)
        let file = message.mayWait ? message.camera : nil
        if message.fields.name == "swiftodt" { return takeResult(message, of: file, at: now) }
        guard let event = WatchEvent(message) else { return [] }
        // An event may be reported some time after it has happened.
        let time = now - Self.delay(of: message.fields)
        var matches: [Match] = []
        for rule in rules where rule.count == nil && rule.watches(event.camera, event.zone) {
            if rule.dwell > 0 {
                if let event = takeStay(event, rule, at: time) { matches += match(rule, event, of: file, at: time) }
            } else if rule.selects(event) {
                matches += match(rule, event, of: file, at: time)
            }
        }
        if event.kind == "camera", event.event != "connected" { forget(event.camera) }
        return matches
    }

    private mutating func time(of message: WatchMessage) -> Nanoseconds {
        guard message.mayWait else { return message.steady }
        let running = message.fields.count("running-time").map { Nanoseconds(clamping: $0) }
        let now = max(running ?? 0, clocks[message.camera] ?? 0)
        clocks[message.camera] = now
        return now
    }

    private static func delay(of fields: MessageFields) -> Nanoseconds {
        guard let running = fields.count("running-time"), let event = fields.count("event-running-time") else {
            return 0
        }
        return max(0, Nanoseconds(clamping: running) - Nanoseconds(clamping: event))
    }

    /// Forgets the objects and counts of a camera that is no longer connected. If it is a file, also forgets its
    /// matches, because the clock of a file begins again at 0 if the file is played again.
    private mutating func forget(_ camera: String) {
        pending = pending.filter { $0.key.camera != camera }
        reached = reached.filter { $0.camera != camera }
        guard clocks.removeValue(forKey: camera) != nil else { return }
        matched = matched.filter { $0.key.file != camera }
        used = used.filter { $0.key.file != camera }
        acted = acted.filter { $0.key.camera != camera }
    }

    // MARK: Stays

    /// Notes the start or the end of an object's stay. When a stay ends, returns its event if the stay was long enough
    /// and no result has reported it before.
    private mutating func takeStay(_ event: WatchEvent, _ rule: EventRule, at now: Nanoseconds) -> WatchEvent? {
        // For a rule without zones, the stay lasts from the start to the end of the track.
        let names = rule.zones.isEmpty ? ("begin", "end", "track") : ("enter", "leave", "zone")
        guard event.kind == names.2 else { return nil }
        let key = Key(rule: rule.name, camera: event.camera, zone: rule.zones.isEmpty ? nil : event.zone, id: event.id)
        switch event.event {
        case names.0:
            pending[key] = Pending(since: now, event: event)
            return nil
        case names.1: return pending.removeValue(forKey: key).flatMap { stay($0, rule, label: event.label, at: now) }
        default: return nil
        }
    }

    /// Returns the event of a stay if it is long enough and has the label of the rule.
    private func stay(_ pending: Pending, _ rule: EventRule, label: String?, at now: Nanoseconds) -> WatchEvent? {
        guard now - pending.since >= rule.dwell else { return nil }
        var event = WatchEvent(
            camera: pending.event.camera, kind: pending.event.kind, event: "dwell", time: WallClock.now)
        (event.zone, event.label, event.id) = (pending.event.zone, label, pending.event.id)
        event.dwell = now - pending.since
        return rule.selects(label: label) ? event : nil
    }

    // MARK: Results

    private mutating func takeResult(_ message: WatchMessage, of file: String?, at now: Nanoseconds) -> [Match] {
        var matches: [Match] = []
        for rule in rules where rule.watches(message.camera, nil) {
            if let threshold = rule.count {
                matches += takeCounts(message, rule, threshold, of: file, at: now)
            } else if rule.dwell > 0 {
                matches += takeStays(message, rule, of: file, at: now)
            }
        }
        return matches
    }

    private mutating func takeStays(
        _ message: WatchMessage, _ rule: EventRule, of file: String?, at now: Nanoseconds
    ) -> [Match] {
        let due = pending.filter {
            $0.key.rule == rule.name && $0.key.camera == message.camera && now - $0.value.since >= rule.dwell
        }
        guard !due.isEmpty else { return [] }
        var labels: [UInt64: String] = [:]
        for object in message.fields.list("objects") {
            if let id = object.count("tracking-id") { labels[id] = object.text("label") ?? "" }
        }
        return due.flatMap { key, pending -> [Match] in
            // An object that is now occluded, or that has another label, may match later.
            guard let id = key.id, let label = labels[id], let event = stay(pending, rule, label: label, at: now) else {
                return []
            }
            self.pending[key] = nil
            return match(rule, event, of: file, at: now)
        }
    }

    private mutating func takeCounts(
        _ message: WatchMessage, _ rule: EventRule, _ threshold: Int, of file: String?, at now: Nanoseconds
    ) -> [Match] {
        var matches: [Match] = []
        for (zone, count) in counts(in: message.fields, rule) {
            let key = Key(rule: rule.name, camera: message.camera, zone: zone)
            guard count >= threshold else {
                pending[key] = nil
                reached.remove(key)
                continue
            }
            guard !reached.contains(key) else { continue }
            var event = WatchEvent(camera: message.camera, kind: "count", event: "count", time: message.time)
            (event.zone, event.count) = (zone, count)
            if rule.labels.count == 1 { event.label = rule.labels.first }
            let since = pending[key]?.since ?? now
            pending[key] = Pending(since: since, event: event)
            guard now - since >= rule.dwell else { continue }
            reached.insert(key)
            matches += match(rule, event, of: file, at: now)
        }
        return matches
    }

    /// Returns the number of objects with the rule's labels in each of the rule's zones. For a rule without zones,
    /// returns the number in the whole frame.
    private func counts(in result: MessageFields, _ rule: EventRule) -> [(zone: String?, count: Int)] {
        guard !rule.zones.isEmpty else {
            let objects = result.list("objects").filter { object in
                object.text("state") != "lost" && rule.selects(label: object.text("label"))
            }
            return [(nil, objects.count)]
        }
        return result.list("zones").map { ZoneCount($0) }.filter { rule.zones.contains($0.name) && !$0.isLine }.map {
            zone in
            let labelled = zone.byLabel.lazy.filter { rule.selects(label: $0.key) }.map(\.value.count)
            return (zone.name, rule.labels.isEmpty ? zone.all.count : labelled.reduce(0, +))
        }
    }

    // MARK: Conditions of all rules

    /// - Parameter file: The name of the file; `nil` for a camera.
    private mutating func match(
        _ rule: EventRule, _ event: WatchEvent, of file: String?, at now: Nanoseconds
    ) -> [Match] {
        guard rule.holds(at: event.time) else { return [] }
        let name = RuleAndClock(rule: rule.name, file: file)
        if let (predecessor, within) = rule.predecessor {
            // Each match of the predecessor permits one match of this rule, with a later event.
            guard let before = matchedBefore[RuleAndClock(rule: predecessor, file: file)], before.time <= now,
                now - before.time <= within, used[name] != before.message
            else { return [] }
            used[name] = before.message
        }
        matched[name] = (now, messageCount)
        guard rule.action != nil || rule.savesClip else { return [] }
        let key = Key(rule: rule.name, camera: event.camera)
        if let last = acted[key], now - last < rule.cooldown { return [] }
        acted[key] = now
        return [Match(rule: rule, event: event)]
    }
}

extension EventRule {
    /// Returns whether the rule applies to a camera and a zone. `zone` is `nil` for an event without a zone.
    fileprivate func watches(_ camera: String, _ zone: String?) -> Bool {
        (cameras.isEmpty || cameras.contains(camera)) && (zone.map { zones.isEmpty || zones.contains($0) } ?? true)
    }

    fileprivate func selects(label: String?) -> Bool {
        labels.isEmpty || labels.contains((label ?? "").lowercased())
    }

    fileprivate func selects(_ event: WatchEvent) -> Bool {
        guard zones.isEmpty || event.zone != nil, selects(label: event.label) else { return false }
        return events.isEmpty || events.contains(event.event) || event.direction.map(events.contains) == true
    }
}
