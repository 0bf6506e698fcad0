import ODTPlayback
import SwiftODT

/// Selects the events that match the user's rules. Two kinds of events are derived from the element's results: an
/// object has stayed for a time (a stay), or a number of objects was reached (a count).
///
/// Events are ordered by monotonic times for cameras, and by running times for files, because files are read faster
/// than in real time. Times of different clocks are never compared: all cameras share a clock, and each file has its
/// own. Stays are always measured in running time, because messages of a camera with a gate arrive late, by up to the
/// interval of its key frames.
struct EventMatcher {
    struct Match {
        let rule: EventRule
        let event: WatchEvent
        /// The running time of the event in nanoseconds.
        let running: Nanoseconds
    }

    /// The time of an event or a result.
    private struct Moment {
        /// The name of a file; `nil` for all cameras.
        let file: String?
        /// The time by which events are ordered.
        let time: Nanoseconds
        let running: Nanoseconds
    }

    /// What a rule observes: an object, an object in a zone, or a number of objects in a zone or in view.
    private struct Subject: Hashable {
        var zone: String?
        var id: UInt64?
        /// The ``WatchEvent/firstSeen`` of an object whose id was replaced, and whose earlier id is not reported yet;
        /// otherwise `nil`.
        var firstSeen: UInt64?
    }

    /// The stay of an object, or a count that has been reached. It matches the rule when it has lasted for the rule's
    /// dwell time.
    private struct Condition {
        enum Progress {
            case begun
            /// The rule has matched. Its action waits for the end of the cooldown.
            case matched
            /// The condition causes no further action. It is kept until it ends, so that it does not begin again.
            case settled
        }

        /// The running time at which the condition began.
        var since: Nanoseconds
        var progress = Progress.begun
        /// For a stay in a zone, the running time at which the object's track ended. For a stay in view, the running
        /// time at which the object's id was replaced.
        var ended: Nanoseconds?
    }

    /// An event of an object whose label is not known yet, and a rule with labels that may select it.
    private struct HeldEvent {
        let rule: EventRule
        var event: WatchEvent
        let moment: Moment
    }

    /// An object of a result.
    private struct Sighting {
        let label: String
        /// The box in pixels.
        let box: Box
        /// Whether the object was detected. If not, it is occluded or lost.
        let isDetected: Bool
        let running: Nanoseconds
    }

    private struct RuleAndCamera: Hashable {
        let rule: String
        let camera: String
    }

    private struct RuleAndClock: Hashable {
        let rule: String
        /// The name of a file; `nil` for all cameras.
        let file: String?
    }

    private static let maximumHeld = 1_000
    /// A new track can continue a lost track within this time in nanoseconds, as in `ZoneWatch`.
    private static let continuationTime: Nanoseconds = 2_000_000_000
    /// The time in nanoseconds for which the stay of an ended track is kept. Within ``continuationTime``, the element
    /// reports that the object has left the zone, or another track continues the track.
    private static let retention: Nanoseconds = 10_000_000_000

    private(set) var rules: [EventRule]
    private var conditions: [RuleAndCamera: [Subject: Condition]] = [:]
    /// In the order of their arrival.
    private var held: [HeldEvent] = []
    /// For each camera, the latest detection of each object by tracking id, if a rule observes stays in zones.
    private var sightings: [String: [UInt64: Sighting]] = [:]
    /// The latest match of each rule: its time, and the number of its message. A rule with the condition `after`
    /// compares the current time with the latest match of its predecessor.
    private var matched: [RuleAndClock: (time: Nanoseconds, message: Int)] = [:]
    /// The value of `matched` before the current message.
    private var matchedBefore: [RuleAndClock: (time: Nanoseconds, message: Int)] = [:]
    /// For each rule with the condition `after`: the number of the message in which its predecessor matched. Each such
    /// match is used once.
    private var used: [RuleAndClock: Int] = [:]
    /// The time of the latest action of each rule for each camera.
    private var acted: [RuleAndCamera: Nanoseconds] = [:]
    /// The time of each file.
    private var clocks: [String: Nanoseconds] = [:]
    private var messageCount = 0

    init(_ rules: [EventRule]) { self.rules = rules }

    /// Replaces the rules. The state of rules that have not changed is kept.
    mutating func use(_ rules: [EventRule]) {
        let before = Dictionary(self.rules.map { ($0.name, $0.definition) }, uniquingKeysWith: { first, _ in first })
        let kept = Set(rules.filter { before[$0.name] == $0.definition }.map(\.name))
        self.rules = rules
        conditions = conditions.filter { kept.contains($0.key.rule) }
        held.removeAll { !kept.contains($0.rule.name) }
        matched = matched.filter { kept.contains($0.key.rule) }
        used = used.filter { kept.contains($0.key.rule) }
        acted = acted.filter { kept.contains($0.key.rule) }
    }

    mutating func take(_ message: WatchMessage) -> [Match] {
        guard !rules.isEmpty else { return [] }
        messageCount += 1
        matchedBefore = matched
        let moment = moment(of: message)
        if message.fields.name == "swiftodt" { return takeResult(message, at: moment) }
        var matches = takeHeld(message)
        guard let event = WatchEvent(message) else { return matches }
        for rule in rules where rule.count == nil && rule.watches(event.camera, event.zone) {
            if rule.dwell > 0 {
                matches += takeStay(event, rule, at: moment)
            } else if rule.selects(event) {
                if rule.selects(label: event.label) {
                    matches += match(rule, event, at: moment)
                } else if event.id != nil, (event.label ?? "").isEmpty, event.event != "end" {
                    held.append(HeldEvent(rule: rule, event: event, moment: moment))
                    if held.count > Self.maximumHeld { held.removeFirst() }
                }
            }
        }
        if event.kind == "camera", event.event != "connected" { forget(event.camera) }
        return matches
    }

    private mutating func moment(of message: WatchMessage) -> Moment {
        func time(_ field: String) -> Nanoseconds? { message.fields.count(field).map { Nanoseconds(clamping: $0) } }
        let running = time("running-time")
        var now = message.steady
        if message.mayWait {
            now = max(running ?? 0, clocks[message.camera] ?? 0)
            clocks[message.camera] = now
        }
        // An event may be reported some time after it has happened.
        var delay: Nanoseconds = 0
        if let running, let event = time("event-running-time") { delay = max(0, running - event) }
        return Moment(
            file: message.mayWait ? message.camera : nil, time: now - delay, running: (running ?? now) - delay)
    }

    /// Forgets the objects and counts of a camera that is no longer connected. If it is a file, also forgets its
    /// matches, because the clock of a file begins again at 0 if the file is played again.
    private mutating func forget(_ camera: String) {
        conditions = conditions.filter { $0.key.camera != camera }
        held.removeAll { $0.event.camera == camera }
        sightings[camera] = nil
        guard clocks.removeValue(forKey: camera) != nil else { return }
        matched = matched.filter { $0.key.file != camera }
        used = used.filter { $0.key.file != camera }
        acted = acted.filter { $0.key.camera != camera }
    }

    /// Applies the rules with labels to the held events of an object when its label becomes known. Forgets the events
    /// when its track ends without a label.
    private mutating func takeHeld(_ message: WatchMessage) -> [Match] {
        let (fields, camera) = (message.fields, message.camera)
        guard !held.isEmpty, fields.name == "swiftodt-track", let id = fields.count("tracking-id") else { return [] }
        let (label, event) = (fields.text("label") ?? "", fields.text("event"))
        guard event == "end" || (event == "update" && !label.isEmpty) else { return [] }
        let due = held.filter { $0.event.camera == camera && $0.event.id == id }
        held.removeAll { $0.event.camera == camera && $0.event.id == id }
        var matches: [Match] = []
        for var item in due where item.rule.selects(label: label) {
            item.event.label = label
            matches += match(item.rule, item.event, at: item.moment)
        }
        return matches
    }

    // MARK: Stays

    /// Notes the start or the end of an object's stay. When a stay ends that was long enough and has not been reported,
    /// applies the rule.
    private mutating func takeStay(_ event: WatchEvent, _ rule: EventRule, at moment: Moment) -> [Match] {
        let key = RuleAndCamera(rule: rule.name, camera: event.camera)
        // For a rule without zones, the stay lasts from the start to the end of the track.
        let isInZone = !rule.zones.isEmpty
        guard event.kind == (isInZone ? "zone" : "track") else {
            if isInZone, event.event == "end" { noteEnd(of: event.id, key, at: moment.running) }
            if isInZone, event.event == "re-entered" { noteReturn(of: event.id, key) }
            return []
        }
        let subject = Subject(zone: isInZone ? event.zone : nil, id: event.id)
        switch event.event {
        case "begin", "re-entered", "enter":
            var condition = Condition(since: moment.running)
            // The object continues under its earlier id with the same `first-seen`.
            if !isInZone, let firstSeen = event.firstSeen,
                let replaced = conditions[key]?.keys.first(where: { $0.firstSeen == firstSeen }),
                let continued = conditions[key]?.removeValue(forKey: replaced)
            {
                (condition.since, condition.progress) = (continued.since, continued.progress)
            }
            conditions[key, default: [:]][subject] = condition
            return []
        case "end" where event.isReidentification:
            noteEnd(of: event.id, key, at: moment.running)
            if let condition = conditions[key]?.removeValue(forKey: subject) {
                conditions[key]?[Subject(id: event.id, firstSeen: event.firstSeen)] = condition
            }
            return []
        case "end", "leave":
            guard var condition = conditions[key]?.removeValue(forKey: subject),
                let dwell = stay(subject, condition, rule, label: event.label, key, wall: event.time, at: moment)
            else { return [] }
            return advance(&condition, rule, dwell, at: moment)
        default: return []
        }
    }

    /// Notes the end of a track, and deletes the stays of tracks that ended earlier.
    private mutating func noteEnd(of id: UInt64?, _ key: RuleAndCamera, at now: Nanoseconds) {
        for (subject, condition) in conditions[key] ?? [:] {
            if subject.id == id {
                conditions[key]?[subject]?.ended = now
            } else if let ended = condition.ended, now - ended > Self.retention {
                conditions[key]?[subject] = nil
            }
        }
    }

    /// Notes that an object returned within ``continuationTime``, so that its stays in zones continue.
    private mutating func noteReturn(of id: UInt64?, _ key: RuleAndCamera) {
        for subject in (conditions[key] ?? [:]).keys where subject.id == id { conditions[key]?[subject]?.ended = nil }
    }

    /// Returns the event of a stay if it is long enough and has the label of the rule.
    private func stay(
        _ subject: Subject, _ condition: Condition, _ rule: EventRule, label: String?, _ key: RuleAndCamera,
        wall: Nanoseconds, at moment: Moment
    ) -> WatchEvent? {
        let dwell = moment.running - condition.since
        guard dwell >= rule.dwell, rule.selects(label: label) else { return nil }
        let kind = subject.zone == nil ? "track" : "zone"
        var event = WatchEvent(camera: key.camera, kind: kind, event: "dwell", time: wall)
        (event.zone, event.label, event.id, event.dwell) = (subject.zone, label, subject.id, dwell)
        return event
    }

    /// Transfers the stays of lost tracks to the new tracks that continue them. The element continues tracks in its
    /// zones without events (`ZoneWatch`), so the criteria here are the same: the lost track was detected at most 2 s
    /// ago, the new track has the same label, and the distance of their centres is less than the square root of the new
    /// box's area.
    private mutating func transferStays(to objects: [UInt64: Sighting], of camera: String, at now: Nanoseconds) {
        var known = sightings[camera] ?? [:]
        // With adaptive inference, the previous result can be older than 2 s.
        let previous = known.values.map(\.running).max() ?? now
        func isRecent(_ sighting: Sighting) -> Bool { now - sighting.running <= Self.continuationTime }
        let detected = objects.filter(\.value.isDetected)
        for (id, object) in detected.sorted(by: { $0.key < $1.key }) where known[id] == nil {
            func squaredDistance(_ other: Sighting) -> Double {
                let (x, y) = (other.box.centerX - object.box.centerX, other.box.centerY - object.box.centerY)
                return x * x + y * y
            }
            let area = object.box.width * object.box.height
            let lost = known.filter { other, sighting in
                detected[other] == nil && (isRecent(sighting) || sighting.running == previous)
                    && sighting.label == object.label && squaredDistance(sighting) < area
            }
            let nearest = lost.min { (squaredDistance($0.value), $0.key) < (squaredDistance($1.value), $1.key) }
            guard let old = nearest?.key else { continue }
            known[old] = nil
            transferStays(from: old, to: id, of: camera)
        }
        sightings[camera] = known.filter { objects[$0.key] != nil || isRecent($0.value) }
            .merging(detected) { _, new in new }
    }

    private mutating func transferStays(from old: UInt64, to id: UInt64, of camera: String) {
        for (key, stays) in conditions where key.camera == camera {
            for (subject, condition) in stays where subject.id == old && subject.zone != nil {
                let heir = Subject(zone: subject.zone, id: id)
                // The object has entered the zone itself.
                guard stays[heir] == nil else { continue }
                conditions[key]?[subject] = nil
                conditions[key]?[heir] = Condition(since: condition.since, progress: condition.progress)
            }
        }
    }

    // MARK: Results

    private mutating func takeResult(_ message: WatchMessage, at moment: Moment) -> [Match] {
        let camera = message.camera
        let watching = rules.filter { $0.watches(camera, nil) }
        let staying = watching.filter { $0.count == nil && $0.dwell > 0 }
        let objects = staying.isEmpty ? [:] : Self.sightings(in: message.fields, at: moment.running)
        if staying.contains(where: { !$0.zones.isEmpty }) { transferStays(to: objects, of: camera, at: moment.running) }
        var matches: [Match] = []
        for rule in watching {
            if let threshold = rule.count {
                matches += takeCounts(message, rule, threshold, at: moment)
            } else if rule.dwell > 0 {
                matches += takeStays(objects, rule, message, at: moment)
            }
        }
        return matches
    }

    private static func sightings(in result: MessageFields, at running: Nanoseconds) -> [UInt64: Sighting] {
        var sightings: [UInt64: Sighting] = [:]
        for object in result.list("objects") {
            guard let id = object.count("tracking-id") else { continue }
            func pixels(_ field: String) -> Double { Double(object.count(field) ?? 0) }
            let state = object.text("state")
            sightings[id] = Sighting(
                label: object.text("label") ?? "",
                box: Box(x: pixels("x"), y: pixels("y"), width: pixels("width"), height: pixels("height")),
                isDetected: state == "new" || state == "tracked", running: running)
        }
        return sightings
    }

    private mutating func takeStays(
        _ objects: [UInt64: Sighting], _ rule: EventRule, _ message: WatchMessage, at moment: Moment
    ) -> [Match] {
        let key = RuleAndCamera(rule: rule.name, camera: message.camera)
        let unsettled = (conditions[key] ?? [:]).filter { $0.value.progress != .settled }
        var matches: [Match] = []
        for (subject, var condition) in unsettled.sorted(by: { $0.value.since < $1.value.since }) {
            // An object that is now occluded, or that has another label, may match later.
            guard let id = subject.id, let object = objects[id],
                let event = stay(
                    subject, condition, rule, label: object.label, key, wall: message.frameTime, at: moment)
            else { continue }
            matches += advance(&condition, rule, event, at: moment)
            conditions[key]?[subject] = condition
        }
        return matches
    }

    private mutating func takeCounts(
        _ message: WatchMessage, _ rule: EventRule, _ threshold: Int, at moment: Moment
    ) -> [Match] {
        let key = RuleAndCamera(rule: rule.name, camera: message.camera)
        var matches: [Match] = []
        for (zone, count) in counts(in: message.fields, rule) {
            let subject = Subject(zone: zone)
            guard count >= threshold else {
                conditions[key]?[subject] = nil
                continue
            }
            var condition = conditions[key]?[subject] ?? Condition(since: moment.running)
            // The running time of a stream can step back.
            condition.since = min(condition.since, moment.running)
            if moment.running - condition.since >= rule.dwell {
                var event = WatchEvent(camera: message.camera, kind: "count", event: "count", time: message.frameTime)
                (event.zone, event.count) = (zone, count)
                if rule.labels.count == 1 { event.label = rule.labels.first }
                matches += advance(&condition, rule, event, at: moment)
            }
            conditions[key, default: [:]][subject] = condition
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

    private mutating func match(_ rule: EventRule, _ event: WatchEvent, at moment: Moment) -> [Match] {
        var condition = Condition(since: moment.running)
        return advance(&condition, rule, event, at: moment)
    }

    /// Applies the conditions that all rules can have. Outside the rule's times of day and during its cooldown, the
    /// condition is not used up, so that it can still cause an action later.
    private mutating func advance(
        _ condition: inout Condition, _ rule: EventRule, _ event: WatchEvent, at moment: Moment
    ) -> [Match] {
        guard condition.progress != .settled, rule.holds(at: event.time) else { return [] }
        if condition.progress == .begun, !noteMatch(of: rule, at: moment) {
            condition.progress = .settled
            return []
        }
        let key = RuleAndCamera(rule: rule.name, camera: event.camera)
        let acts = rule.action != nil || rule.savesClip && !EventRule.frameless.contains(event.event)
        if acts, rule.cooldown > 0, let last = acted[key], moment.time - last < rule.cooldown {
            // At the end of the cooldown, the match of a predecessor may be too old.
            condition.progress = rule.predecessor == nil ? .matched : .settled
            return []
        }
        condition.progress = .settled
        guard acts else { return [] }
        acted[key] = moment.time
        return [Match(rule: rule, event: event, running: moment.running)]
    }

    /// Notes the match of a rule for the rules that name it in `after`. Returns `false` if the rule itself has a
    /// predecessor that has not matched.
    private mutating func noteMatch(of rule: EventRule, at moment: Moment) -> Bool {
        let name = RuleAndClock(rule: rule.name, file: moment.file)
        if let (predecessor, within) = rule.predecessor {
            // Each match of the predecessor permits one match of this rule, with a later event.
            guard let before = matchedBefore[RuleAndClock(rule: predecessor, file: moment.file)],
                before.time <= moment.time, moment.time - before.time <= within, used[name] != before.message
            else { return false }
            used[name] = before.message
        }
        matched[name] = (moment.time, messageCount)
        return true
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

    /// Returns whether the rule selects an event, except for its label.
    fileprivate func selects(_ event: WatchEvent) -> Bool {
        guard zones.isEmpty || event.zone != nil else { return false }
        // A rule without `re-entered`, the event that follows, would mistake this event for a departure.
        if event.isReidentification, !events.isEmpty, !events.contains("re-entered") { return false }
        return events.isEmpty || events.contains(event.event) || event.direction.map(events.contains) == true
    }
}
