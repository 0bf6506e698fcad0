import Glibc
import ODTPlayback
import SwiftODT

/// A rule that selects events and names the command or URL that receives them. It is a group [event NAME] of the
/// configuration file. The option `--on-event` is a rule without conditions.
struct EventRule: Sendable {
    static let option = "on-event"
    static let help = """
          --on-event COMMAND|URL
                             run COMMAND in a shell for each event, with the event as JSON on standard input and in variables
                             $ODT_..., or send it to URL with POST. Groups [event NAME] of --config select events
        """

    let name: String
    /// The command or URL; `nil` if the rule is only the condition of another rule.
    var action: String?
    /// The cameras, zones, labels (in lower case) and events that the rule selects. An empty set selects all of them.
    var cameras: Set<String> = []
    var zones: Set<String> = []
    var labels: Set<String> = []
    var events: Set<String> = []
    /// The dwell time in nanoseconds; 0 for none. The rule matches when an object has stayed in the zone or in view for
    /// this time, or when a number of objects has been reached for this time.
    var dwell: Nanoseconds = 0
    /// The number of objects that has to be reached; `nil` if the rule does not count objects.
    var count: Int?
    /// The minimum time in nanoseconds between two actions of the rule for the same camera.
    var cooldown: Nanoseconds = 0
    /// The periods of the day in which the rule matches, in minutes since midnight; empty for the whole day.
    var times: [(begin: Int, end: Int)] = []
    /// The rule that has to match first, and the maximum time in nanoseconds from its match to a match of this rule.
    var predecessor: (name: String, within: Nanoseconds)?
    var sendsPicture = false
    var savesClip = false
    /// The file and line of the rule; `nil` for the command line.
    private(set) var place: String?
    /// The keys and values of the group. Two rules with the same name are the same if their definitions are equal.
    private(set) var definition: [String] = []

    init(commandLine action: String) { (name, self.action, definition) = (Self.option, action, [action]) }

    private init(clipsOf events: Set<String>) { (name, self.events, savesClip) = ("--clips", events, true) }

    /// The default rule for clips, used if no group [event NAME] has clip=true.
    static let clips = EventRule(clipsOf: ["begin", "re-entered", "enter", "cross"])

    private static let eventNames = Set(CameraAlarm.Problem.allCases.map(\.rawValue)).union([
        "begin", "re-entered", "end", "enter", "leave", "dwell", "cross", "in", "out", "connected", "lost", "ended",
        CameraAlarm.restored,
    ])
    private static let keys = [
        "action", "after", "camera", "clip", "cooldown", "count", "dwell", "event", "label", "picture", "times",
        "within", "zone",
    ]

    init(_ group: KeyFile.Group) throws {
        name = String(group.name.dropFirst("event ".count))
        place = group.place
        definition = group.entries.map { "\($0.key)=\($0.value)" }
        if name.allSatisfy(\.isWhitespace) {
            throw PlaybackError("\(group.place): the group needs a name, such as [event door]", isUsage: true)
        }
        var (predecessor, within): (String?, Nanoseconds?) = (nil, nil)
        for entry in group.entries {
            switch entry.key {
            case "action": action = entry.value.isEmpty ? nil : entry.value
            case "camera": cameras = Self.words(entry)
            case "zone": zones = Self.words(entry)
            case "label":
                labels = Set(Self.words(entry).map { $0.lowercased() })
                if let group = labels.first(where: { $0.hasPrefix("@") }) {
                    throw Self.error(entry, "'\(group)' is a label group: name the labels of the group instead")
                }
            case "event":
                events = Self.words(entry)
                if let other = events.subtracting(Self.eventNames).min() {
                    let known = other == "count" ? "count=N" : Self.eventNames.sorted().joined(separator: ", ")
                    throw Self.error(entry, "unknown event '\(other)': use \(known)")
                }
            case "dwell": dwell = try Self.seconds(entry)
            case "cooldown": cooldown = try Self.seconds(entry)
            case "within": within = try Self.seconds(entry)
            case "after": predecessor = entry.value
            case "count":
                guard let number = Int(entry.value), (1...10_000).contains(number) else {
                    throw Self.error(entry, "count must be a whole number from 1 to 10000, not '\(entry.value)'")
                }
                count = number
            case "times": times = try entry.value.split(separator: ",").map { try Self.span($0, entry) }
            case "clip": savesClip = try WatchConfiguration.flag(entry)
            case "picture": sendsPicture = try WatchConfiguration.flag(entry)
            default:
                let known = Self.keys.joined(separator: ", ")
                let remedy = spellingSuggestion(for: entry.key, in: Self.keys) ?? "use \(known)"
                throw Self.error(entry, "unknown key '\(entry.key)': \(remedy)")
            }
        }
        guard (predecessor == nil) == (within == nil) else {
            throw PlaybackError("\(group.place): after= and within= must be used together", isUsage: true)
        }
        if let predecessor, let within { self.predecessor = (predecessor, within) }
        if count != nil, !events.isEmpty {
            throw PlaybackError("\(group.place): count= and event= cannot be used together", isUsage: true)
        }
        if dwell > 0, !events.isEmpty {
            throw PlaybackError(
                "\(group.place): dwell= and event= cannot be used together; the event of dwell= is 'dwell'",
                isUsage: true)
        }
    }

    /// The events that concern no frame. No clip of them can be saved.
    static let frameless: Set<String> = ["connected", "lost", "ended", "quiet"]

    /// - Parameter alarms: The alarms that are on; `nil` if they are unknown.
    /// - Throws: ``PlaybackError`` if the rules name cameras, zones or other rules that do not exist, can never match,
    ///   or need clips that are not saved.
    static func check(
        _ rules: [EventRule], cameras: [CameraPlan], savesClips: Bool, alarms: AlarmOptions? = nil
    ) throws {
        for rule in rules {
            let place = rule.place ?? "--\(option)"
            if rules.count(where: { $0.name == rule.name }) > 1 {
                throw PlaybackError(
                    "\(place): another rule has the name '\(rule.name)': choose another name", isUsage: true)
            }
            if let other = rule.cameras.first(where: { name in !cameras.contains { $0.name == name } }) {
                throw PlaybackError("\(place): there is no [camera \(other)]", isUsage: true)
            }
            let selected = rule.selected(of: cameras)
            let zones = selected.flatMap(\.countedZones)
            let known = Set(zones.map(\.name))
            if let zone = rule.zones.subtracting(known).min() {
                let remedy = spellingSuggestion(for: zone, in: known.sorted()) ?? "add it to the file of zones="
                throw PlaybackError(
                    "\(place): no camera of this rule has a zone '\(zone)': \(remedy)", isUsage: true)
            }
            try rule.checkEvents(of: selected, zones, alarms, place)
            try rule.checkCount(selected, place)
            try rule.checkLabels(of: selected, place)
            if let name = rule.predecessor?.name {
                if name == rule.name {
                    throw PlaybackError("\(place): after=\(name) names the rule itself", isUsage: true)
                }
                guard let before = rules.first(where: { $0.name == name }) else {
                    throw PlaybackError("\(place): there is no [event \(name)]", isUsage: true)
                }
                guard !rule.clocks(of: cameras).isDisjoint(with: before.clocks(of: cameras)) else {
                    throw PlaybackError(
                        "\(place): after=\(name) links events whose times cannot be compared: with camera=, let both rules "
                            + "select cameras, or the same file", isUsage: true)
                }
            }
            if rule.savesClip, !savesClips {
                throw PlaybackError("\(place): clip=true needs clips=DIR in [watch], or --clips DIR", isUsage: true)
            }
            if rule.savesClip, !selected.contains(where: \.isRecorded) {
                throw PlaybackError(
                    "\(place): clip=true needs a camera that is recorded: leave out record=false", isUsage: true)
            }
            if rule.savesClip, let event = rule.events.first(where: Self.frameless.contains) {
                throw PlaybackError(
                    "\(place): clip=true cannot save a clip of '\(event)', which has no frame", isUsage: true)
            }
            let isUsed = rule.action != nil || rule.savesClip
            if !isUsed, !rules.contains(where: { $0.predecessor?.name == rule.name }) {
                throw PlaybackError(
                    "\(place): [event \(rule.name)] needs action=COMMAND or URL, or clip=true", isUsage: true)
            }
        }
    }

    private static let ofLines: Set<String> = ["cross", "in", "out"]
    private static let ofAreas: Set<String> = ["enter", "leave", "dwell"]
    private static let ofTracks: Set<String> = ["begin", "re-entered", "end"]

    /// - Parameter all: The areas and lines of the rule's cameras.
    /// - Throws: ``PlaybackError`` if the rule can match none of its events.
    private func checkEvents(of plans: [CameraPlan], _ all: [Zone], _ alarms: AlarmOptions?, _ place: String) throws {
        // Stays and counts in zones need an area, like `enter`. Stays in view need tracks, like `begin`.
        let derived = dwell > 0 || count != nil ? [count == nil && zones.isEmpty ? "begin" : "enter"] : nil
        let needed = derived ?? events.sorted()
        let obstacles = needed.compactMap { obstacle(to: $0, of: plans, all, alarms) }
        guard let first = obstacles.first, obstacles.count == needed.count else { return }
        throw PlaybackError("\(place): \(first.cause), so the rule can never match: \(first.remedy)", isUsage: true)
    }

    /// Returns why the rule can never match an event; `nil` if it can match.
    private func obstacle(
        to event: String, of plans: [CameraPlan], _ all: [Zone], _ alarms: AlarmOptions?
    ) -> (cause: String, remedy: String)? {
        let named = zones.isEmpty ? all : all.filter { zones.contains($0.name) }
        let (isOfLine, isOfArea) = (Self.ofLines.contains(event), Self.ofAreas.contains(event))
        if !zones.isEmpty {
            guard isOfLine || isOfArea else { return ("event=\(event) has no zone", "leave out zone=") }
            guard named.contains(where: { $0.kind == (isOfLine ? .line : .area) }) else {
                let (kind, names) = (isOfLine ? "line" : "area", zones.sorted().joined(separator: ","))
                return ("zone=\(names) has no \(kind)", "name a zone of this kind")
            }
        }
        if event == "dwell", !named.contains(where: { $0.kind == .area && $0.minTime != nil }) {
            return ("event=dwell needs a zone with min-time", "add min-time to the zone, or use dwell=SECONDS")
        }
        let isOfTrack = Self.ofTracks.contains(event)
        if !labels.isEmpty, !isOfLine, !isOfArea, !isOfTrack {
            return ("event=\(event) has no label", "leave out label=")
        }
        if count == nil, isOfLine || isOfArea || isOfTrack, !plans.contains(where: \.tracksObjects) {
            return ("tracking is off", "leave out tracking=false and mode=single-image")
        }
        if isOfTrack, !plans.contains(where: \.postsTracks) {
            return ("track-events is off", "leave out track-events=false")
        }
        if event == "re-entered", !plans.contains(where: { $0.postsTracks && $0.reidentifies }) {
            return ("reidentify is off", "add reidentify=true to [cameras]")
        }
        guard let alarms else { return nil }
        let (hasPicture, hasQuiet) = (alarms.picturePatience != nil, alarms.quietFactor != nil)
        let problem = CameraAlarm.Problem(rawValue: event)
        if problem == .quiet, !hasQuiet { return ("quiet-alarm is off", "add quiet-alarm=4 to [watch]") }
        let isOfPicture = problem != nil && problem != .quiet
        if !hasPicture, isOfPicture || event == CameraAlarm.restored && !hasQuiet {
            return ("picture-alarm is off", "leave out picture-alarm=off")
        }
        return nil
    }

    /// - Throws: ``PlaybackError`` if a camera posts no results without objects, so that a count would never end.
    private func checkCount(_ plans: [CameraPlan], _ place: String) throws {
        guard count != nil, let plan = plans.first(where: { ["on-object", "none"].contains($0.value(of: "updates")) })
        else { return }
        throw PlaybackError(
            "\(place): count= needs the results without objects, too: leave out updates= of camera '\(plan.name)'",
            isUsage: true)
    }

    /// - Throws: ``PlaybackError`` if each of the cameras has an allowlist, and none of them contains one of the rule's
    ///   labels.
    private func checkLabels(of plans: [CameraPlan], _ place: String) throws {
        guard !labels.isEmpty else { return }
        var allowed: Set<String> = []
        for plan in plans {
            let key = "label-allowlist"
            guard let word = plan.settings.map(\.word).last(where: { $0.hasPrefix(key) }), word.hasPrefix("\(key)=")
            else { return }
            let list = LabelGroups.expand(DetectionFilter.labels(in: String(word.dropFirst(key.count + 1))))
            // The groups of a manifest are unknown here.
            guard !list.isEmpty, !list.contains(where: { $0.first == LabelGroups.mark }) else { return }
            allowed.formUnion(list)
        }
        guard labels.isDisjoint(with: allowed) else { return }
        let (names, known) = (labels.sorted(), allowed.sorted())
        let meant = names.lazy.compactMap { spellingSuggestion(for: $0, in: known) }.first
        throw PlaybackError(
            "\(place): no label-allowlist of the rule's cameras has label=\(names.joined(separator: ",")), so the rule "
                + "can never match: \(meant ?? "use \(known.joined(separator: ", "))")", isUsage: true)
    }

    /// Returns a warning for each rule with a label that the networks of its cameras do not have. Rules of a camera
    /// whose labels are unknown cause no warning.
    static func warnings(about rules: [EventRule], cameras: [CameraPlan]) -> [String] {
        guard rules.contains(where: { !$0.labels.isEmpty }) else { return [] }
        let labels = Dictionary(cameras.map { ($0.name, $0.networkLabels) }) { first, _ in first }
        return rules.compactMap { rule in
            guard let place = rule.place, !rule.labels.isEmpty else { return nil }
            var known: Set<String> = []
            for plan in rule.selected(of: cameras) {
                guard let labels = labels[plan.name] ?? nil else { return nil }
                known.formUnion(labels.map { $0.lowercased() })
            }
            guard let unknown = rule.labels.subtracting(known).min() else { return nil }
            let remedy = spellingSuggestion(for: unknown, in: known.sorted()) ?? "'odt models show' lists the labels"
            return "\(place): the network has no label '\(unknown)', so the rule cannot match it: \(remedy)"
        }
    }

    /// Returns the clocks of the events that the rule selects: the name of each file, and `nil` for all cameras.
    private func clocks(of plans: [CameraPlan]) -> Set<String?> {
        Set(selected(of: plans).map { $0.isCamera ? nil : $0.name })
    }

    private func selected(of plans: [CameraPlan]) -> [CameraPlan] {
        plans.filter { cameras.isEmpty || cameras.contains($0.name) }
    }

    /// Returns whether the wall-clock time in nanoseconds is within the rule's times of day.
    func holds(at time: Nanoseconds) -> Bool {
        guard !times.isEmpty else { return true }
        var seconds = time_t(time / 1_000_000_000)
        var local = tm()
        localtime_r(&seconds, &local)
        let minute = Int(local.tm_hour) * 60 + Int(local.tm_min)
        return times.contains { begin, end in
            begin <= end ? (begin..<end).contains(minute) : minute >= begin || minute < end
        }
    }

    private static func words(_ entry: KeyFile.Entry) -> Set<String> {
        Set(entry.value.split(separator: ",").map { String(KeyFile.trimmed($0)) })
    }

    private static func seconds(_ entry: KeyFile.Entry) throws -> Nanoseconds {
        guard let seconds = Double(entry.value), (0...86_400).contains(seconds) else {
            throw error(entry, "\(entry.key) must be a number of seconds from 0 to 86400, not '\(entry.value)'")
        }
        return Nanoseconds(seconds: seconds)
    }

    private static func span(_ text: Substring, _ entry: KeyFile.Entry) throws -> (begin: Int, end: Int) {
        let parts = KeyFile.trimmed(text).split(separator: "-", omittingEmptySubsequences: false).map(minute)
        guard parts.count == 2, let begin = parts[0], let end = parts[1], begin != end else {
            throw error(entry, "'\(text)' is not a time of day: use 22:00-06:00")
        }
        return (begin, end)
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 2, let hour = UInt8(parts[0]), let minute = UInt8(parts[1]),
            minute < 60, hour < 24 || (hour == 24 && minute == 0)
        else { return nil }
        return Int(hour) * 60 + Int(minute)
    }

    private static func error(_ entry: KeyFile.Entry, _ text: String) -> PlaybackError {
        PlaybackError("\(entry.place): \(text)", isUsage: true)
    }
}
