import ODTPlayback
import SwiftODT

struct CameraMetrics {
    /// Identifies a count of the objects with one label: in the frame, in a zone or at a line.
    struct Key: Hashable {
        /// The name of a zone or line; `nil` for the frame.
        var zone: String?
        let label: String
        /// The direction of a crossing; `nil` for the frame and for a zone.
        var direction: String?

        /// The labels of the metric.
        func labels(of camera: String) -> KeyValuePairs<String, String> {
            guard let zone else { return ["camera": camera, "label": label] }
            guard let direction else { return ["camera": camera, "zone": zone, "label": label] }
            return ["camera": camera, "line": zone, "label": label, "direction": direction]
        }
    }

    let times = FrameLatencies()
    private(set) var state = "waiting"
    private(set) var reason: String?
    private(set) var connectionCount = 0
    private(set) var lossCount = 0
    /// The number of objects in the latest result.
    private(set) var objects: [Key: Int] = [:]
    /// The number of ended tracks, without those that continue with an earlier id.
    private(set) var tracks: [Key: Int] = [:]
    private(set) var occupancy: [Key: Int] = [:]
    private(set) var entered: [Key: Int] = [:]
    private(set) var left: [Key: Int] = [:]
    private(set) var crossings: [Key: Int] = [:]
    private(set) var problems = CameraProblems()
    private(set) var segmentCount = 0
    private(set) var recordedBytes = 0

    mutating func take(_ fields: MessageFields) {
        _ = problems.take(fields)
        switch fields.name {
        case "swiftodt": note(fields)
        case "swiftodt-track" where fields.text("event") == "end" && !fields.isReidentification:
            tracks[Key(label: fields.text("label") ?? ""), default: 0] += 1
        case "swiftodt-zone":
            var key = Key(zone: fields.text("zone") ?? "", label: fields.text("label") ?? "")
            switch fields.text("event") {
            case "enter": entered[key, default: 0] += 1
            case "leave": left[key, default: 0] += 1
            case "cross":
                key.direction = fields.text("direction")
                crossings[key, default: 0] += 1
            default: break
            }
        case "swiftodt-camera": noteState(fields)
        default: break
        }
    }

    mutating func noteSegment(bytes: Int) {
        segmentCount += 1
        recordedBytes += bytes
    }

    private mutating func note(_ result: MessageFields) {
        // Labels of earlier results keep their entry, with the value 0.
        for key in objects.keys { objects[key] = 0 }
        let zones = result.list("zones")
        for object in result.list("objects") where object.text("state") != "lost" {
            let key = Key(label: object.text("label") ?? "")
            if objects[key] == nil { addCounters(of: key.label, in: zones) }
            objects[key, default: 0] += 1
        }
        for key in occupancy.keys { occupancy[key] = 0 }
        for zone in zones where zone.text("kind") != "line" {
            let counts = ZoneCount(zone)
            var rest = counts.all.count
            for (label, part) in counts.byLabel where !label.isEmpty {
                occupancy[Key(zone: counts.name, label: label)] = part.count
                rest -= part.count
            }
            occupancy[Key(zone: counts.name, label: "")] = max(0, rest)
        }
    }

    /// Adds the counters of the events of a label with the value 0. Prometheus computes the increase of a counter only from
    /// its second sample, and would ignore an event that is in the first one.
    private mutating func addCounters(of label: String, in zones: [MessageFields]) {
        for zone in zones {
            var key = Key(zone: zone.text("name") ?? "", label: label)
            guard zone.text("kind") == "line" else {
                entered[key, default: 0] += 0
                left[key, default: 0] += 0
                continue
            }
            for direction in [Zone.Direction.in, .out] {
                key.direction = direction.rawValue
                crossings[key, default: 0] += 0
            }
        }
    }

    private mutating func noteState(_ fields: MessageFields) {
        let event = fields.text("event") ?? ""
        switch event {
        case "connected": connectionCount += 1
        case "lost": if state == "connected" { lossCount += 1 }
        case "ended": break
        default: return
        }
        (state, reason) = (event, fields.text("reason"))
        if event != "connected" { (objects, occupancy) = ([:], [:]) }
    }
}
