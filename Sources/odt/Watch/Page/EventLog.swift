import Playback
import SwiftODT

/// What happened last, each with a number, so that whoever asks again gets what is new.
struct EventLog {
    private static let maximum = 1000

    private var events: [JSONValue] = []
    /// Of the newest event; they count from 1.
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

    /// Those after a number that is no less than 0, the oldest first.
    func events(since number: Int) -> [JSONValue] { events.suffix(max(0, latest - number)) }

    private static func kind(of fields: MessageFields) -> String? {
        switch fields.name {
        case "swiftodt-track": "track"
        case "swiftodt-zone": "zone"
        case "swiftodt-camera": "camera"
        default: nil
        }
    }
}
