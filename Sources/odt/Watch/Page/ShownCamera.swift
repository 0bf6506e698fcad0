import Playback
import SwiftODT

/// The state of a camera for the page: connection, objects, zones and count history.
struct ShownCamera {
    let name: String
    private var state = "waiting"
    private var since: Nanoseconds
    private var reason: String?
    private var size: (width: UInt64, height: UInt64)?
    private var objects: [ShownObject] = []
    private var zones: [ShownZone] = []
    private var objectCount = CountHistory.Level()

    init(_ name: String, at time: Nanoseconds) { (self.name, since) = (name, time) }

    /// Updates the state from a message.
    ///
    /// - Parameter step: The current step of the history.
    mutating func take(_ message: WatchMessage, at step: Int) {
        let fields = message.fields
        switch fields.name {
        case "swiftodt": note(fields, at: message.time, step)
        case "swiftodt-zone" where fields.text("event") == "cross":
            guard let name = fields.text("zone") else { return }
            zones[place(of: name, isLine: true)].noteCrossing(isInward: fields.text("direction") == "in", at: step)
        case "swiftodt-camera":
            (state, since, reason) = (fields.text("event") ?? state, message.time, fields.text("reason"))
            if state != "connected" { leave(at: step) }
        default: break
        }
    }

    private mutating func note(_ result: MessageFields, at time: Nanoseconds, _ step: Int) {
        let runningTime = result.count("running-time")
        objects = result.list("objects").filter { $0.text("state") != "lost" }.map {
            ShownObject($0, at: time, runningTime: runningTime)
        }
        if let width = result.count("width"), let height = result.count("height") { size = (width, height) }
        objectCount.note(UInt32(clamping: objects.count), at: step)
        for zone in result.list("zones") {
            guard let name = zone.text("name") else { continue }
            zones[place(of: name, isLine: zone.text("kind") == "line")].note(zone, at: step)
        }
    }

    private mutating func leave(at step: Int) {
        objects = []
        objectCount.note(nil, at: step)
        for place in zones.indices { zones[place].leave(at: step) }
    }

    private mutating func place(of name: String, isLine: Bool) -> Int {
        if let place = zones.firstIndex(where: { $0.name == name }) { return place }
        zones.append(ShownZone(name, isLine: isLine))
        return zones.count - 1
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "state": .string(state), "since": milliseconds(since),
            "objects": .array(objects.map(\.json)), "zones": .array(zones.map(\.json)),
        ]
        if let reason { members["reason"] = .string(reason) }
        if let size {
            (members["width"], members["height"]) = (.number(Double(size.width)), .number(Double(size.height)))
        }
        return .object(members)
    }

    /// Returns the count history. Its last step is incomplete.
    mutating func history(at time: Nanoseconds, _ step: Int) -> JSONValue {
        objectCount.advance(to: step)
        for place in zones.indices { zones[place].advance(to: step) }
        return .object([
            "name": .string(name), "step": .number(Double(CountHistory.step) / 1e9), "end": milliseconds(time),
            "objects": objectCount.json, "zones": .array(zones.map(\.historyJSON)),
        ])
    }
}
