import ODTPlayback
import SwiftODT

/// Parses the element's messages, see docs/messages.md.
extension VideoResult {
    /// Adds the content of a message. Returns whether the message describes a frame. Other messages describe events.
    mutating func add(_ fields: MessageFields) -> Bool {
        switch fields.name {
        case "swiftodt-track":
            if let event = TrackedObjectEvent(fields) { trackEvents.append(event) }
            return false
        case "swiftodt-zone":
            if let event = ZoneEvent(fields) { zoneEvents.append(event) }
            return false
        case "swiftodt":
            time = fields.time("running-time") ?? .zero
            captureTime = fields.count("utc-time")
            (width, height) = (fields.integer("width"), fields.integer("height"))
            objects = fields.list("objects").map { TrackedObject($0) }
            zoneCounts = fields.list("zones").map { ZoneCount($0) }
            return true
        default: return false
        }
    }
}

extension MessageFields {
    fileprivate func time(_ field: String) -> MediaTime? {
        count(field).map { MediaTime(nanoseconds: Int64(clamping: $0)) }
    }

    fileprivate func integer(_ field: String) -> Int { count(field).map { Int(clamping: $0) } ?? 0 }

    fileprivate func box(_ prefix: String = "") -> Box {
        Box(
            x: Double(integer(prefix + "x")), y: Double(integer(prefix + "y")),
            width: Double(integer(prefix + "width")), height: Double(integer(prefix + "height")))
    }

    fileprivate func name(_ field: String) -> String? { text(field).flatMap { $0.isEmpty ? nil : $0 } }

    fileprivate var category: TrackedObject.Category {
        let name = text("category")
        return TrackedObject.Category.allCases.first { $0.name == name } ?? .unknown
    }
}

extension TrackedObject {
    fileprivate init(_ fields: MessageFields) {
        self.init(
            trackingID: fields.count("tracking-id").map { Int(clamping: $0) }, box: fields.box(),
            score: fields.real("score") ?? 0,
            label: fields.name("label").map {
                Detection.Label(index: Int(fields.signed("label-index") ?? -1), text: $0)
            },
            state: fields.text("state").flatMap(State.init(rawValue:)) ?? .tracked,
            firstSeen: fields.time("first-seen") ?? .zero, lastSeen: fields.time("last-seen") ?? .zero,
            velocityX: fields.real("velocity-x") ?? 0, velocityY: fields.real("velocity-y") ?? 0)
        category = fields.category
        categoryConfidence = fields.real("confidence")
        classifierLabel = fields.name("classifier-label").map {
            ClassifierLabel(
                label: Detection.Label(index: Int(fields.signed("classifier-label-index") ?? -1), text: $0),
                score: fields.real("classifier-score") ?? 0)
        }
        isProminent = fields.flag("prominent") ?? false
    }
}

extension TrackedObjectEvent {
    fileprivate init?(_ fields: MessageFields) {
        guard let id = fields.count("tracking-id") else { return nil }
        let kind: Kind
        switch fields.text("event") {
        case "begin": kind = .begin
        case "re-entered": kind = .reentered
        case "update": kind = .update
        case "end": kind = .end(fields.text("reason").flatMap(EndReason.init(rawValue:)) ?? .lost)
        default: return nil
        }
        self.init(
            kind: kind, trackingID: Int(clamping: id), name: fields.name("label"), category: fields.category,
            firstSeen: fields.time("first-seen") ?? .zero, lastSeen: fields.time("last-seen") ?? .zero,
            best: (
                score: fields.real("best-score") ?? 0, box: fields.box("best-"),
                time: fields.time("best-running-time")?.nanoseconds ?? 0
            ),
            pathLength: fields.real("path-length") ?? 0)
    }
}

extension ZoneEvent {
    fileprivate init?(_ fields: MessageFields) {
        guard let kind = fields.text("event").flatMap(Kind.init(rawValue:)), let zone = fields.text("zone") else {
            return nil
        }
        self.init(
            kind: kind, zone: zone, id: fields.count("tracking-id").map { Int(clamping: $0) },
            label: fields.name("label").map { Detection.Label(index: -1, text: $0) },
            direction: fields.text("direction").flatMap(Zone.Direction.init(rawValue:)),
            dwell: fields.time("dwell")?.nanoseconds, time: fields.time("event-running-time")?.nanoseconds ?? 0)
    }
}
