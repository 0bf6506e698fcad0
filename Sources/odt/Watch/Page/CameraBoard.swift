import ODTPlayback
import SwiftODT
import Synchronization

/// The data of the page's HTTP API: the state of each camera and the latest events.
final class CameraBoard: Sendable {
    private struct State {
        var cameras: [ShownCamera]
        var events = NumberedLog(maximum: 1000)
        var clips = NumberedLog(maximum: 300)
    }

    private let state: Mutex<State>
    /// A random text that identifies this run of the program.
    private let run = String(UInt64.random(in: .min ... .max), radix: 16)

    init(_ cameras: [String]) {
        let now = WallClock.now
        state = Mutex(State(cameras: cameras.map { ShownCamera($0, at: now) }))
    }

    /// Replaces the list of cameras. Cameras that were already listed keep their state.
    func show(_ cameras: [String]) {
        let now = WallClock.now
        state.withLock { state in
            let known = state.cameras
            state.cameras = cameras.map { name in known.first { $0.name == name } ?? ShownCamera(name, at: now) }
        }
    }

    func take(_ message: WatchMessage) {
        let event = Self.event(message)
        state.withLock { state in
            if let place = state.cameras.firstIndex(where: { $0.name == message.camera }) {
                state.cameras[place].take(message, at: Self.step)
            }
            if let event { state.events.add(event) }
        }
    }

    private static func event(_ message: WatchMessage) -> [String: JSONValue]? {
        guard let event = WatchEvent(message) else { return nil }
        var members = event.members
        for name in ["dwell", "duration"] where event.event != "begin" {
            if let length = message.fields.count(name) { members[name] = .number(Double(length / 1_000_000) / 1000) }
        }
        return members
    }

    func take(_ clip: SavedClip, of camera: String) {
        var members: [String: JSONValue] = [
            "camera": .string(camera), "video": .string(clip.video), "from": milliseconds(clip.from),
            "to": milliseconds(clip.to), "isH265": .bool(clip.isH265),
        ]
        if let picture = clip.picture { members["picture"] = .string(picture) }
        state.withLock { $0.clips.add(members) }
    }

    var cameras: JSONValue { reply("cameras", .array(state.withLock { $0.cameras.map(\.json) })) }

    func events(since number: Int) -> JSONValue {
        reply("events", state.withLock { $0.events.entries(since: number) })
    }

    func clips(since number: Int) -> JSONValue {
        reply("clips", state.withLock { $0.clips.entries(since: number) })
    }

    func counts(of camera: String) -> JSONValue? {
        state.withLock { state in
            guard let place = state.cameras.firstIndex(where: { $0.name == camera }) else { return nil }
            return state.cameras[place].history(at: WallClock.now, Self.step)
        }
    }

    func has(_ camera: String) -> Bool { state.withLock { $0.cameras.contains { $0.name == camera } } }

    private func reply(_ name: String, _ value: JSONValue) -> JSONValue {
        let clip = JSONValue.number(Double(state.withLock(\.clips.latest)))
        return .object(["run": .string(run), "now": milliseconds(WallClock.now), "clip": clip, name: value])
    }

    private static var step: Int { Int(MonotonicClock.now / CountHistory.step) }
}

/// The latest entries of a list. They have increasing numbers, so that clients can request only entries that are newer
/// than a number.
struct NumberedLog {
    let maximum: Int
    private var entries: [(number: Int, camera: JSONValue?, value: JSONValue)] = []
    /// The number of the newest entry. The first entry has the number 1.
    private(set) var latest = 0

    init(maximum: Int) { self.maximum = maximum }

    /// Adds an entry. If there are too many, the oldest entries of the camera with most entries are dropped, so that a
    /// busy camera does not push out the alarms of the others.
    mutating func add(_ members: [String: JSONValue]) {
        latest += 1
        var members = members
        members["number"] = .number(Double(latest))
        entries.append((latest, members["camera"], .object(members)))
        guard entries.count > maximum else { return }
        let counts = Dictionary(grouping: entries) { $0.camera?.string ?? "" }.mapValues(\.count)
        let busiest = counts.max { $0.value < $1.value }
        var surplus = min(max(1, maximum / 10), max(1, (busiest?.value ?? 0) / 2))
        entries.removeAll { entry in
            guard surplus > 0, (entry.camera?.string ?? "") == busiest?.key else { return false }
            surplus -= 1
            return true
        }
    }

    /// Returns the entries whose number is higher than `number`, the oldest first.
    func entries(since number: Int) -> JSONValue { .array(entries.filter { $0.number > number }.map(\.value)) }
}
