import ODTPlayback
import SwiftODT

/// An event of a camera. Rules select events, and commands and URLs receive them.
struct WatchEvent: Sendable {
    let camera: String
    /// `track`, `zone`, `camera`, `alarm` or `count`.
    let kind: String
    /// The event, for example `begin` or `enter`.
    let event: String
    var zone: String?
    var label: String?
    var direction: String?
    var reason: String?
    var id: UInt64?
    /// The running time of the track's first detection in nanoseconds.
    var firstSeen: UInt64?
    /// How long the object has stayed in the zone or in view, in nanoseconds.
    var dwell: Nanoseconds?
    /// The number of objects of a `count` event.
    var count: Int?
    /// The wall-clock time in nanoseconds since 1970.
    let time: Nanoseconds

    init(camera: String, kind: String, event: String, time: Nanoseconds) {
        (self.camera, self.kind, self.event, self.time) = (camera, kind, event, time)
    }

    private static let kinds = [
        "swiftodt-track": "track", "swiftodt-zone": "zone", "swiftodt-camera": "camera",
        CameraAlarm.message: "alarm",
    ]

    /// - Returns: `nil` if the message is no event.
    init?(_ message: WatchMessage) {
        let fields = message.fields
        guard let kind = Self.kinds[fields.name], let event = fields.text("event"), event != "update" else {
            return nil
        }
        self.init(camera: message.camera, kind: kind, event: event, time: message.frameTime)
        (zone, label) = (fields.text("zone"), fields.text("label"))
        (direction, reason) = (fields.text("direction"), fields.text("reason"))
        (id, firstSeen) = (fields.count("tracking-id"), fields.count("first-seen"))
        if !["begin", "re-entered"].contains(event) {
            dwell = (fields.count("dwell") ?? fields.count("duration")).map { Nanoseconds(clamping: $0) }
        }
    }

    /// Whether the track ends because its object continues with an earlier id.
    var isReidentification: Bool { event == "end" && reason == TrackEvent.Reason.reidentified.rawValue }

    /// The members of the event as JSON, except its dwell time and count.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "camera": .string(camera), "kind": .string(kind), "event": .string(event), "time": milliseconds(time),
        ]
        for (name, text) in [("zone", zone), ("label", label), ("direction", direction), ("reason", reason)] {
            if let text { members[name] = .string(text) }
        }
        if let id { members["id"] = .number(Double(id)) }
        return members
    }

    /// - Parameter picture: A JPEG file; `nil` for none.
    func json(rule: String, picture: [UInt8]?) -> JSONValue {
        var members = members
        members["rule"] = .string(rule)
        if let dwell { members["dwell"] = .number(Double(dwell / 1_000_000) / 1000) }
        if let count { members["count"] = .number(Double(count)) }
        if let picture { members["picture"] = .string(Base64.text(picture)) }
        return .object(members)
    }
}
