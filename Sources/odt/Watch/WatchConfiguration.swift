import Playback
import SwiftODT

/// A file that says what `odt watch` is to do, for several cameras:
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
/// In [watch] stand the command's options without their dashes; in [cameras], for all, and in [camera NAME] the element's properties.
struct WatchConfiguration {
    private(set) var cameras: [CameraPlan] = []
    /// What [watch] has.
    private(set) var options: [KeyFile.Entry] = []
    private let folder: String

    /// - Throws: ``PlaybackError`` that names file and line.
    init(_ name: String) throws {
        let file = try KeyFile(name)
        folder = PartFile.parts(of: name).folder
        var common: [CameraSetting] = []
        for group in file.groups {
            switch group.name {
            case "watch": options = try group.entries.map(option)
            case "cameras": common = try group.entries.map(setting)
            case let name where name.hasPrefix("camera "): try cameras.append(camera(group))
            default:
                throw PlaybackError(
                    "\(group.place): there is no group [\(group.name)]: they are [watch], [cameras] and [camera NAME]",
                    isUsage: true)
            }
        }
        guard !cameras.isEmpty else { throw PlaybackError("\(name) has no [camera NAME]", isUsage: true) }
        for number in cameras.indices { cameras[number].settings = common + cameras[number].settings }
    }

    private func option(_ entry: KeyFile.Entry) throws -> KeyFile.Entry {
        if WatchOptions.flags.contains(entry.key) {
            _ = try Self.flag(entry)
        } else if !WatchOptions.valued.contains(entry.key) {
            let known = WatchOptions.valued.union(WatchOptions.flags).sorted().joined(separator: ", ")
            throw PlaybackError("\(entry.place): [watch] has no '\(entry.key)': there are \(known)", isUsage: true)
        }
        guard WatchOptions.files.contains(entry.key), entry.value != "-", !entry.value.isEmpty else { return entry }
        var entry = entry
        entry.value = path(entry.value)
        return entry
    }

    private static func flag(_ entry: KeyFile.Entry) throws -> Bool {
        guard let value = ["true": true, "false": false][entry.value] else {
            throw PlaybackError("\(entry.place): \(entry.key) is true or false, not '\(entry.value)'", isUsage: true)
        }
        return value
    }

    private func camera(_ group: KeyFile.Group) throws -> CameraPlan {
        let name = String(group.name.dropFirst("camera ".count))
        guard CameraPlan.isName(name) else {
            throw PlaybackError(
                "\(group.place): '\(name)' cannot be a camera's name: letters, digits, '-', '_' and '.' can be in one",
                isUsage: true)
        }
        guard let source = group.entries.first(where: { $0.key == "source" }), !source.value.isEmpty else {
            throw PlaybackError("\(group.place): [\(group.name)] has no source=", isUsage: true)
        }
        var plan = CameraPlan(
            name: name, source: MediaSource.isAddress(source.value) ? source.value : path(source.value))
        for entry in group.entries where entry.key != "source" {
            if entry.key == "record" {
                plan.isRecorded = try Self.flag(entry)
            } else {
                plan.settings.append(try setting(entry))
            }
        }
        return plan
    }

    private func setting(_ entry: KeyFile.Entry) throws -> CameraSetting {
        if entry.key == "source" || entry.key == "record" {
            throw PlaybackError("\(entry.place): \(entry.key) is one camera's, in [camera NAME]", isUsage: true)
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

    /// Files are named as seen from the file that names them.
    private func path(_ name: String) -> String { name.hasPrefix("/") ? name : folder + name }
}
