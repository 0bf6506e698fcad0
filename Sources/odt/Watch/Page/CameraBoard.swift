import Playback
import SwiftODT
import Synchronization

/// The data of the page's HTTP API: the state of each camera and the latest events.
final class CameraBoard: Sendable {
    private struct State {
        var cameras: [ShownCamera]
        var log = EventLog()
        var clips = ClipLog()
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
        state.withLock { state in
            if let place = state.cameras.firstIndex(where: { $0.name == message.camera }) {
                state.cameras[place].take(message, at: Self.step)
            }
            state.log.take(message)
        }
    }

    func take(_ clip: SavedClip, of camera: String) { state.withLock { $0.clips.take(clip, of: camera) } }

    var cameras: JSONValue { reply("cameras", .array(state.withLock { $0.cameras.map(\.json) })) }

    func events(since number: Int) -> JSONValue {
        reply("events", .array(state.withLock { $0.log.events(since: number) }))
    }

    func clips(since number: Int) -> JSONValue {
        reply("clips", .array(state.withLock { $0.clips.clips(since: number) }))
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

/// The latest clips. They have consecutive numbers, so that clients can request only clips that are newer than a
/// number.
struct ClipLog {
    private static let maximum = 300

    private var clips: [JSONValue] = []
    /// The number of the newest clip. The first clip has the number 1.
    private(set) var latest = 0

    mutating func take(_ clip: SavedClip, of camera: String) {
        latest += 1
        var members: [String: JSONValue] = [
            "number": .number(Double(latest)), "camera": .string(camera), "video": .string(clip.video),
            "from": milliseconds(clip.from), "to": milliseconds(clip.to), "isH265": .bool(clip.isH265),
        ]
        if let picture = clip.picture { members["picture"] = .string(picture) }
        clips.append(.object(members))
        if clips.count > Self.maximum { clips.removeFirst(Self.maximum / 10) }
    }

    /// Returns the clips whose number is higher than `number`, the oldest first. `number` must not be negative.
    func clips(since number: Int) -> [JSONValue] { clips.suffix(max(0, latest - number)) }
}

/// The latest events, numbered like the clips in ``ClipLog``.
struct EventLog {
    private static let maximum = 1000

    private var events: [JSONValue] = []
    private(set) var latest = 0

    mutating func take(_ message: WatchMessage) {
        let fields = message.fields
        guard let kind = Self.kind(of: fields), let event = fields.text("event"), event != "update" else { return }
        latest += 1
        var members: [String: JSONValue] = [
            "number": .number(Double(latest)), "time": milliseconds(message.time), "camera": .string(message.camera),
            "kind": .string(kind), "event": .string(event),
        ]
        for name in ["label", "zone", "direction", "reason"] {
            if let text = fields.text(name) { members[name] = .string(text) }
        }
        if let id = fields.count("tracking-id") { members["id"] = .number(Double(id)) }
        for name in ["dwell", "duration"] where event != "begin" {
            if let length = fields.count(name) { members[name] = .number(Double(length / 1_000_000) / 1000) }
        }
        events.append(.object(members))
        if events.count > Self.maximum { events.removeFirst(Self.maximum / 10) }
    }

    /// Returns the events whose number is higher than `number`, the oldest first. `number` must not be negative.
    func events(since number: Int) -> [JSONValue] { events.suffix(max(0, latest - number)) }

    private static func kind(of fields: MessageFields) -> String? {
        switch fields.name {
        case "swiftodt-track": "track"
        case "swiftodt-zone": "zone"
        case "swiftodt-camera": "camera"
        case CameraAlarm.message: "alarm"
        default: nil
        }
    }
}
