import ODTPlayback
import SwiftODT

/// The configuration file of `odt watch`:
///
///     [watch]
///     quiet=true
///     record=/srv/video
///
///     [cameras]
///     label-allowlist=person
///
///     [camera front]
///     source=rtsp://192.168.1.20/stream1
///
/// The group [watch] has the options of the command without dashes. The group [cameras] has properties for all cameras.
/// A group [camera NAME] has the source and the properties of one camera. A group [event NAME] has a rule for events.
struct WatchConfiguration {
    private(set) var cameras: [CameraPlan] = []
    /// The entries of the group [watch].
    private(set) var options: [KeyFile.Entry] = []
    private(set) var decoding = DecodingChoice()
    private(set) var rules: [EventRule] = []
    private let folder: String

    init(_ name: String) throws {
        let file = try KeyFile(name)
        folder = PartFile.parts(of: name).folder
        var common: [CameraSetting] = []
        var commonDecoding = DecodingChoice()
        for group in file.groups {
            switch group.name {
            case "watch":
                options = try group.entries.map(option)
                for entry in options { try decoding.takeCommon(entry) }
            case "cameras": common = try group.entries.filter { try !commonDecoding.take($0) }.map(setting)
            case let name where name.hasPrefix("camera "): try cameras.append(camera(group))
            case let name where name.hasPrefix("event "): try rules.append(EventRule(group))
            default:
                throw PlaybackError(
                    "\(group.place): unknown group [\(group.name)]: use [watch], [cameras], [camera NAME] or [event NAME]",
                    isUsage: true)
            }
        }
        guard !cameras.isEmpty else { throw PlaybackError("\(name) has no group [camera NAME]", isUsage: true) }
        for number in cameras.indices {
            cameras[number].settings = common + cameras[number].settings
            cameras[number].decoding = cameras[number].decoding.or(commonDecoding)
        }
    }

    private func option(_ entry: KeyFile.Entry) throws -> KeyFile.Entry {
        if WatchOptions.flags.contains(entry.key) {
            _ = try Self.flag(entry)
        } else if !WatchOptions.valued.contains(entry.key) {
            let known = WatchOptions.valued.union(WatchOptions.flags).sorted()
            let remedy = spellingSuggestion(for: entry.key, in: known) ?? "use \(known.joined(separator: ", "))"
            throw PlaybackError("\(entry.place): unknown option '\(entry.key)': \(remedy)", isUsage: true)
        }
        guard !entry.value.isEmpty else {
            throw PlaybackError("\(entry.place): \(entry.key) needs a value", isUsage: true)
        }
        guard WatchOptions.files.contains(entry.key), entry.value != "-" else { return entry }
        try checkComment(entry)
        var entry = entry
        entry.value = path(entry.value)
        return entry
    }

    /// - Throws: ``PlaybackError`` if a file name or an address probably ends with a comment, which would become part of
    ///   it.
    private func checkComment(_ entry: KeyFile.Entry) throws {
        let hasComment = entry.value.contains(" #") || entry.value.contains("\t#")
        guard hasComment, !PathText.exists(path(entry.value)) else { return }
        throw PlaybackError(
            "\(entry.place): \(entry.key): no file of this name exists; write a comment on its own line, or use a name "
                + "without ' #'", isUsage: true)
    }

    static func flag(_ entry: KeyFile.Entry) throws -> Bool {
        guard let value = ["true": true, "false": false][entry.value] else {
            throw PlaybackError("\(entry.place): \(entry.key): use true or false, not '\(entry.value)'", isUsage: true)
        }
        return value
    }

    private func camera(_ group: KeyFile.Group) throws -> CameraPlan {
        let name = String(group.name.dropFirst("camera ".count))
        guard CameraPlan.isName(name) else {
            throw PlaybackError(
                "\(group.place): '\(name)' is not a valid camera name: use letters, digits, '-', '_' and '.'",
                isUsage: true)
        }
        guard let source = group.entries.first(where: { $0.key == "source" }), !source.value.isEmpty else {
            let misspelled = group.entries.first { nearestName(to: $0.key, in: ["source"]) != nil }
            let meant = misspelled.map { ", not '\($0.key)='" } ?? ""
            throw PlaybackError("\(group.place): [\(group.name)] needs a source=\(meant)", isUsage: true)
        }
        try checkComment(source)
        var plan = CameraPlan(
            name: name, source: MediaSource.isAddress(source.value) ? source.value : path(source.value))
        for entry in group.entries where entry.key != "source" {
            if entry.key == "record" {
                plan.isRecorded = try Self.flag(entry)
            } else if try !plan.decoding.take(entry) {
                plan.settings.append(try setting(entry))
            }
        }
        return plan
    }

    private func setting(_ entry: KeyFile.Entry) throws -> CameraSetting {
        if entry.key == "source" || entry.key == "record" {
            throw PlaybackError("\(entry.place): \(entry.key) belongs to one camera, in [camera NAME]", isUsage: true)
        }
        let key = entry.key.replacing("_", with: "-")
        if key == "record-detections", !entry.value.isEmpty {
            return CameraSetting("\(key)=\(path(entry.value))", at: entry.place)
        }
        if Self.files.contains(key), FileBytes.size(path(entry.value)) != nil {
            return CameraSetting("\(entry.key)=\(path(entry.value))", at: entry.place)
        }
        guard entry.key == "zones", let first = entry.value.first, !"[{".contains(first) else {
            return CameraSetting("\(entry.key)=\(entry.value)", at: entry.place)
        }
        let zones = path(entry.value)
        do { _ = try Zone.list(named: zones) } catch {
            throw PlaybackError("\(entry.place): \(error)", isUsage: true)
        }
        return CameraSetting("zones=\(zones)", at: entry.place)
    }

    /// The properties with names of files that are read. The name of a model can also be the name of an installed model.
    private static let files: Set<String> = [
        "model-file", "label-file", "classifier-file", "classifier-label-file", "reidentification-file",
        "detections-file",
    ]

    /// Relative names are relative to the folder of the configuration file.
    private func path(_ name: String) -> String { name.hasPrefix("/") ? name : folder + name }
}

/// What the command line and the configuration file request: the cameras, options, rules, alarms and time limits.
struct WatchPlan: Sendable {
    let cameras: [CameraPlan]
    let options: WatchOptions
    let rules: [EventRule]
    let alarms: AlarmOptions
    /// If no frame arrives for this time in nanoseconds, a camera counts as lost.
    let frameTimeout: Nanoseconds
    /// The maximum delay between two attempts to connect, in nanoseconds.
    let longestPause: Nanoseconds

    /// - Parameter current: The options that stay in use until a restart; `nil` if the new ones are used.
    init(_ line: CommandLineOptions, using current: WatchOptions? = nil) throws {
        let file = try line.text("--config").map(WatchConfiguration.init)
        let listed = file?.cameras ?? []
        var cameras = listed + (try CameraPlan.list(line.operands, besides: listed.map(\.name)))
        guard !cameras.isEmpty else { throw CommandLineError("missing SOURCE: name a camera or use --config FILE.") }
        let settings = try line.settings().map { CameraSetting($0) }
        // The command line overrides the file. In the file, [camera NAME] overrides [cameras], and both override
        // [watch].
        let (decoding, usualDecoding) = (try DecodingChoice(line), file?.decoding ?? DecodingChoice())
        for number in cameras.indices {
            cameras[number].settings += settings
            cameras[number].decoding = decoding.or(cameras[number].decoding).or(usualDecoding)
            cameras[number].applyDecoding()
            cameras[number].noteFiles()
        }
        options = WatchOptions(line, file?.options ?? [])
        var rules = (file?.rules ?? []) + (options.text(EventRule.option).map { [EventRule(commandLine: $0)] } ?? [])
        alarms = try AlarmOptions(options)
        try EventRule.check(rules, cameras: cameras, savesClips: ClipOptions(options) != nil, alarms: alarms)
        let savesClips = try ClipOptions(current ?? options) != nil
        if savesClips, !rules.contains(where: \.savesClip) { rules.append(.clips) }
        self.rules = rules
        for number in cameras.indices {
            let name = cameras[number].name
            let selecting = rules.filter { $0.cameras.isEmpty || $0.cameras.contains(name) }
            cameras[number].sendsPictures = selecting.contains(where: \.sendsPicture)
            cameras[number].savesClips =
                savesClips && cameras[number].isRecorded && selecting.contains(where: \.savesClip)
        }
        self.cameras = cameras
        frameTimeout = try options.number("timeout", in: 1...86_400).map { Nanoseconds(seconds: $0) } ?? 20_000_000_000
        longestPause =
            try options.number("retry", in: 0.01...86_400).map { Nanoseconds(seconds: $0) } ?? BackOff.usualLongest
    }
}
