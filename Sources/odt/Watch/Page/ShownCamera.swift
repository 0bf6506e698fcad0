import ODTPlayback
import SwiftODT

/// The state of a camera as the page shows it: connection, objects, zones and count history.
struct ShownCamera {
    let name: String
    private var state = "waiting"
    private var since: Nanoseconds
    private var reason: String?
    private var problems = CameraProblems()
    private var size: (width: UInt64, height: UInt64)?
    private var objects: [ShownObject] = []
    private var zones: [ShownZone] = []
    private var objectCount = CountHistory()

    init(_ name: String, at time: Nanoseconds) { (self.name, since) = (name, time) }

    /// - Parameter step: The number of the current step of the count history.
    mutating func take(_ message: WatchMessage, at step: Int) {
        let fields = message.fields
        _ = problems.take(fields)
        switch fields.name {
        case "swiftodt": note(fields, at: message.frameTime, step)
        case "swiftodt-zone" where fields.text("event") == "cross":
            guard let name = fields.text("zone") else { return }
            zones[place(of: name, isLine: true)].noteCrossing(isInward: fields.text("direction") == "in", at: step)
        case "swiftodt-camera":
            let event = fields.text("event") ?? state
            // A camera that stays lost can have another reason.
            if event != state { since = message.time }
            (state, reason) = (event, fields.text("reason"))
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
        let counted = result.list("zones").compactMap { zone in
            zone.text("name").map { (name: $0, isLine: zone.text("kind") == "line", fields: zone) }
        }
        // Each result has all zones. Others are from before a change of the configuration.
        zones.removeAll { shown in !counted.contains { ($0.name, $0.isLine) == (shown.name, shown.isLine) } }
        for zone in counted { zones[place(of: zone.name, isLine: zone.isLine)].note(zone.fields, at: step) }
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
            "problems": .array(problems.names.sorted().map(JSONValue.string)),
            "objects": .array(objects.map(\.json)), "zones": .array(zones.map(\.json)),
        ]
        if let reason { members["reason"] = .string(reason) }
        if let size {
            (members["width"], members["height"]) = (.number(Double(size.width)), .number(Double(size.height)))
        }
        return .object(members)
    }

    /// Returns the count history as JSON. Its last step is incomplete.
    mutating func history(at time: Nanoseconds, _ step: Int) -> JSONValue {
        objectCount.advance(to: step)
        for place in zones.indices { zones[place].advance(to: step) }
        return .object([
            "name": .string(name), "step": .number(Double(CountHistory.step) / 1e9), "end": milliseconds(time),
            "objects": objectCount.json, "zones": .array(zones.map(\.historyJSON)),
        ])
    }
}

/// An object as the page shows it. It is stored as values and converted to JSON only on request.
struct ShownObject {
    private let id: UInt64?
    private let label: String
    private let category: String?
    private let score: Double
    private let state: String
    private let box: [Double]
    /// The wall-clock time of the object's first detection.
    private let since: Nanoseconds

    /// - Parameter time: The wall-clock time of the frame whose running time is `runningTime`. Both are in nanoseconds.
    init(_ thing: MessageFields, at time: Nanoseconds, runningTime: UInt64?) {
        (id, label, category) = (thing.count("tracking-id"), thing.text("label") ?? "", thing.text("category"))
        (score, state) = (thing.real("score") ?? 0, thing.text("state") ?? "")
        box = ["x-min", "y-min", "x-max", "y-max"].map { thing.real($0) ?? 0 }
        let age = thing.count("first-seen").flatMap { first in runningTime.map { $0 >= first ? $0 - first : 0 } } ?? 0
        since = time.since(Nanoseconds(clamping: age))
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "label": .string(label), "score": .number(score), "state": .string(state),
            "box": .array(box.map { .number($0) }), "since": milliseconds(since),
        ]
        if let id { members["id"] = .number(Double(id)) }
        if let category, category != "unknown" { members["category"] = .string(category) }
        return .object(members)
    }
}

/// Converts nanoseconds to milliseconds, the unit of time in JavaScript.
func milliseconds(_ time: Nanoseconds) -> JSONValue { .number(Double(time / 1_000_000)) }

struct ShownZone {
    let name: String
    let isLine: Bool
    private var figures: ZoneCount.Counts?
    /// Whether the camera has delivered a result since it was connected, so that the current count is known.
    private var isSeen = false
    private var count = CountHistory()
    private var inward = CountHistory(0)
    private var outward = CountHistory(0)

    init(_ name: String, isLine: Bool) { (self.name, self.isLine) = (name, isLine) }

    mutating func note(_ zone: MessageFields, at step: Int) {
        let figures = ZoneCount.Counts(zone)
        (self.figures, isSeen) = (figures, true)
        if isLine { advance(to: step) } else { count.note(UInt32(clamping: figures.count), at: step) }
    }

    mutating func noteCrossing(isInward: Bool, at step: Int) {
        // The histories of both directions advance, even if only one has a new crossing, so that their steps stay
        // aligned.
        advance(to: step)
        if isInward { inward.noteCrossing(at: step) } else { outward.noteCrossing(at: step) }
    }

    /// Called when the camera is lost or has ended.
    mutating func leave(at step: Int) {
        count.note(nil, at: step)
        isSeen = false
    }

    mutating func advance(to step: Int) {
        count.advance(to: step)
        inward.advance(to: step)
        outward.advance(to: step)
    }

    var json: JSONValue {
        var members = figures?.json(isLine: isLine) ?? [:]
        if !isSeen { members["count"] = nil }
        (members["name"], members["kind"]) = (.string(name), .string(kind))
        return .object(members)
    }

    var historyJSON: JSONValue {
        var members: [String: JSONValue] = ["name": .string(name), "kind": .string(kind)]
        if isLine {
            (members["in"], members["out"]) = (inward.json, outward.json)
        } else {
            members["counts"] = count.json
        }
        return .object(members)
    }

    private var kind: String { isLine ? "line" : "zone" }
}
