import SwiftODT

/// The content of a `swiftodt-zone` message: an object entered or left a zone, stayed in it, or crossed a line.
struct ZoneReport: EventReport {
    static let message = "swiftodt-zone"

    let event: ZoneEvent
    /// The report of the frame at which the event is posted.
    let report: Report

    var summary: String {
        "zone \(event.zone): \(event.label?.text ?? "an object") \(event.id ?? 0) \(event.kind.rawValue)"
            + (event.direction.map { " \($0.rawValue)" } ?? "")
    }

    var fields: [(name: String, value: FieldValue)] {
        var fields: [(name: String, value: FieldValue)] = [
            ("event", .text(event.kind.rawValue)),
            ("zone", .text(event.zone)),
        ]
        if let direction = event.direction { fields.append(("direction", .text(direction.rawValue))) }
        fields += [
            ("tracking-id", .uint64(UInt64(clamping: event.id ?? 0))),
            ("label", .text(event.label?.text ?? "")),
        ]
        if let dwell = event.dwell { fields.append(("dwell", .time(UInt64(clamping: dwell)))) }
        fields += [
            ("event-running-time", .time(UInt64(clamping: event.time))),
            ("timestamp", .time(report.times.timestamp)),
            ("stream-time", .time(report.times.streamTime)),
            ("running-time", .time(report.times.runningTime)),
            ("utc-time", .time(report.utcTime)),
            ("epoch", .uint(report.epoch)),
        ]
        if let source = report.source { fields.append(("source", .text(source))) }
        return fields
    }
}

extension ZoneCount {
    var fields: [(name: String, value: FieldValue)] {
        let labels = byLabel.sorted { $0.key < $1.key }
        return [("name", .text(name)), ("kind", .text(kind.rawValue))] + fields(of: all) + [
            (
                "by-label",
                .list(of: "label", labels.map { [("label", .text($0.key))] + fields(of: $0.value) })
            )
        ]
    }

    private func fields(of figures: Counts) -> [(name: String, value: FieldValue)] {
        func uint(_ number: Int) -> FieldValue { .uint(UInt32(clamping: number)) }
        return kind == .line
            ? [("in", uint(figures.in)), ("out", uint(figures.out))]
            : [("count", uint(figures.count)), ("entered", uint(figures.entered)), ("left", uint(figures.left))]
    }
}
