import Playback
import SwiftODT

/// The latest events with consecutive numbers, so that clients can request only newer ones.
struct EventLog {
    private static let maximum = 1000

    private var events: [JSONValue] = []
    /// The number of the newest event; numbers start at 1.
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

    /// Returns the events after a number, which must not be negative, the oldest first.
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
