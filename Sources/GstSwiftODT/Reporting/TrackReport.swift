import SwiftODT

/// The content of a `swiftodt-track` message: the beginning, change or end of a track.
struct TrackReport: EventReport {
    static let message = "swiftodt-track"

    let event: SceneEvent
    /// The report of the frame at which the event is posted.
    let report: Report
    /// The timestamp of the frame with the best detection of the object.
    let bestTimestamp: UInt64

    var summary: String {
        let track = event.event.track
        return "track \(track.id ?? 0) \(event.event.kind.rawValue)"
            + (event.event.reason.map { " (\($0.rawValue))" } ?? "") + ": \(track.label?.text ?? "no label"), "
            + "\(event.category.name), seen best with \(event.event.best.score) at \(event.event.best.time) ns"
    }

    var fields: [(name: String, value: FieldValue)] {
        let (track, best) = (event.event.track, event.event.best)
        let box = IntegerBox(best.box, pictureWidth: report.width, pictureHeight: report.height)
        var fields: [(name: String, value: FieldValue)] = [
            ("event", .text(event.event.kind.rawValue)),
            ("tracking-id", .uint64(UInt64(clamping: track.id ?? 0))),
            ("category", .text(event.category.name)),
            ("label", .text(track.label?.text ?? "")),
            ("timestamp", .time(report.times.timestamp)),
            ("stream-time", .time(report.times.streamTime)),
            ("running-time", .time(report.times.runningTime)),
            ("utc-time", .time(report.utcTime)),
            ("duration", .time(UInt64(clamping: track.lastSeen - track.firstSeen))),
            ("first-seen", .time(UInt64(clamping: track.firstSeen))),
            ("last-seen", .time(UInt64(clamping: track.lastSeen))),
            ("best-score", .real(best.score)),
            ("best-x", .uint(box.x)), ("best-y", .uint(box.y)),
            ("best-width", .uint(box.width)), ("best-height", .uint(box.height)),
            ("best-timestamp", .time(bestTimestamp)), ("best-running-time", .time(UInt64(clamping: best.time))),
            ("path-length", .real(event.event.pathLength)),
            ("epoch", .uint(report.epoch)),
        ]
        if let reason = event.event.reason { fields.append(("reason", .text(reason.rawValue))) }
        if let source = report.source { fields.append(("source", .text(source))) }
        return fields
    }
}
