import GstFrames
import SwiftODT

/// The content of a `swiftodt` message for one frame, as plain values.
struct Report: Sendable {
    /// Increased when the meaning of a field changes.
    static let version: UInt32 = 1

    var sequence: UInt64 = 0
    let epoch: UInt32
    let times: FrameTimes
    let width: Int
    let height: Int
    let orientation: Orientation
    let mode: SceneOptions.Mode
    /// The timestamp of the frame to which the latest detection result belongs, in nanoseconds; `UInt64.max` before the
    /// first result.
    let detectionTimestamp: UInt64
    /// The difference in running time between this frame and the frame of the latest detection result, in nanoseconds.
    let detectionLatency: UInt64
    /// The capture time in nanoseconds since 1970, see ``UTCTime``; `UInt64.max` if it is unknown.
    let utcTime: UInt64
    var objectList: ObjectList
    var zones: [ZoneCount]
    /// For a single image without objects: the rejected detection with the highest score. Otherwise `nil`.
    var bestRejected: Rejections.Candidate?
    let model: DetectorTraits.Model?
    /// The name of the stream (property `source`).
    let source: String?

    var objects: [ReportedObject] { objectList.objects }

    func withoutObjects(zones: [ZoneCount]) -> Report {
        var report = self
        (report.objectList, report.zones, report.bestRejected) = (ObjectList([]), zones, nil)
        return report
    }

    /// The fields of the message in their order, except the list of objects and the JSON text.
    var fields: [(name: String, value: FieldValue)] {
        var fields: [(name: String, value: FieldValue)] = [
            ("version", .uint(Self.version)),
            ("sequence", .uint64(sequence)),
            ("epoch", .uint(epoch)),
            ("timestamp", .time(times.timestamp)),
            ("stream-time", .time(times.streamTime)),
            ("running-time", .time(times.runningTime)),
            ("utc-time", .time(utcTime)),
            ("duration", .time(times.duration)),
            ("width", .uint(UInt32(width))),
            ("height", .uint(UInt32(height))),
            ("orientation", .text(orientation.nick)),
            ("mode", .text(mode == .stream ? "stream" : "single-image")),
            ("detection-timestamp", .time(detectionTimestamp)),
            ("detection-latency", .time(detectionLatency)),
            ("object-count", .uint(UInt32(objects.count))),
        ]
        if let bestRejected { fields += bestRejected.fields }
        if !zones.isEmpty { fields.append(("zones", .list(of: "zone", zones.map(\.fields)))) }
        if let model { fields += [("model", .text(model.name)), ("model-sum", .text(model.sum))] }
        if let source { fields.append(("source", .text(source))) }
        return fields
    }
}

extension Rejections.Candidate {
    var fields: [(name: String, value: FieldValue)] {
        [
            ("best-rejected-label", .text(label?.text ?? "")), ("best-rejected-score", .real(score)),
            ("best-rejected-reason", .text(reason.rawValue)),
        ]
    }
}

enum FieldValue: Sendable {
    case uint(UInt32)
    case int(Int32)
    case uint64(UInt64)
    /// A time in nanoseconds, written as `guint64`. `GST_CLOCK_TIME_NONE` is written as `null` in JSON.
    case time(UInt64)
    case real(Double)
    case text(String)
    case boolean(Bool)
    /// A list of structures with the given name. In JSON it is a list of objects.
    indirect case list(of: String, [[(name: String, value: FieldValue)]])
    /// A structure, which has the same name as its field.
    indirect case structure([(name: String, value: FieldValue)])

    /// A structure with one number for each reason, in the order of the cases.
    static func counts<Reason: CaseIterable & RawRepresentable & Hashable>(_ numbers: [Reason: UInt64]) -> FieldValue
    where Reason.RawValue == String {
        .structure(Reason.allCases.map { ($0.rawValue, .uint64(numbers[$0] ?? 0)) })
    }
}

/// A box in whole pixels of the buffer, clipped to the picture.
struct IntegerBox: Hashable, Sendable {
    let x: UInt32
    let y: UInt32
    let width: UInt32
    let height: UInt32

    init(_ box: Box, pictureWidth: Int, pictureHeight: Int) {
        let box = box.clipped(width: pictureWidth, height: pictureHeight)
        let (w, h) = (Double(pictureWidth), Double(pictureHeight))
        let left = min(max(0, box.minX.rounded()), w)
        let top = min(max(0, box.minY.rounded()), h)
        let right = min(max(left, box.maxX.rounded()), w)
        let bottom = min(max(top, box.maxY.rounded()), h)
        x = UInt32(left)
        y = UInt32(top)
        width = UInt32(right - left)
        height = UInt32(bottom - top)
    }
}

/// An object as messages and metadata describe it. Its box is clipped to the picture and is available in whole pixels
/// and normalised (0 to 1).
struct ReportedObject: Sendable {
    let object: SceneObject
    let pixels: IntegerBox
    let xMin: Double
    let yMin: Double
    let xMax: Double
    let yMax: Double

    init(_ object: SceneObject, pictureWidth: Int, pictureHeight: Int) {
        self.object = object
        let box = object.track.box.clipped(width: pictureWidth, height: pictureHeight)
        pixels = IntegerBox(box, pictureWidth: pictureWidth, pictureHeight: pictureHeight)
        let (w, h) = (Double(pictureWidth), Double(pictureHeight))
        xMin = min(max(0, box.minX / w), 1)
        yMin = min(max(0, box.minY / h), 1)
        xMax = min(max(xMin, box.maxX / w), 1)
        yMax = min(max(yMin, box.maxY / h), 1)
    }

    var x: UInt32 { pixels.x }
    var y: UInt32 { pixels.y }
    var width: UInt32 { pixels.width }
    var height: UInt32 { pixels.height }

    /// Whether the box is extrapolated, because the object was not detected in this frame.
    var isCarried: Bool { object.track.state == .coasting || object.track.timeSinceUpdate > 0 }

    var summary: String {
        let track = object.track
        return "\(track.id.map { "track \($0)" } ?? "object"): \(name) \(track.state.rawValue), score \(track.score), "
            + "\(width)x\(height) at \(x), \(y)" + (object.isProminent ? ", the most prominent" : "")
    }

    var label: String { object.track.label?.text ?? "" }

    /// The class index of the label; -1 if the object has no label or only the label's name is known.
    var labelIndex: Int32 { Int32(clamping: max(-1, object.track.label?.index ?? -1)) }

    /// The object's label, else the classifier's label, else the name of its category. If the category is unknown, too,
    /// the value is `object`.
    var name: String {
        if !label.isEmpty { return label }
        if let found = object.classifierLabel { return found.label.text }
        return object.category == .unknown ? "object" : object.category.name
    }

    var fields: [(name: String, value: FieldValue)] {
        let track = object.track
        var fields: [(name: String, value: FieldValue)] = []
        if let id = track.id { fields.append(("tracking-id", .uint64(UInt64(id)))) }
        fields += [
            ("x", .uint(x)), ("y", .uint(y)), ("width", .uint(width)), ("height", .uint(height)),
            ("x-min", .real(xMin)), ("y-min", .real(yMin)), ("x-max", .real(xMax)), ("y-max", .real(yMax)),
            ("score", .real(track.score)),
            ("category", .text(object.category.name)), ("category-index", .int(Int32(object.category.rawValue))),
            ("label", .text(label)), ("label-index", .int(labelIndex)),
        ]
        if let confidence = object.confidence { fields.append(("confidence", .real(confidence))) }
        if let found = object.classifierLabel {
            fields += [
                ("classifier-label", .text(found.label.text)),
                ("classifier-label-index", .int(Int32(clamping: found.label.index))),
                ("classifier-score", .real(found.score)),
            ]
        }
        fields += [
            ("state", .text(track.state.rawValue)),
            ("first-seen", .time(UInt64(clamping: track.firstSeen))),
            ("last-seen", .time(UInt64(clamping: track.lastSeen))),
            ("time-since-update", .time(UInt64(clamping: track.timeSinceUpdate))),
            ("velocity-x", .real(track.velocityX)), ("velocity-y", .real(track.velocityY)),
            ("prominent", .boolean(object.isProminent)), ("rank", .uint(UInt32(object.rank))),
        ]
        return fields
    }
}

/// The content of a message for an event.
struct EventReport: Sendable {
    let message: String
    let fields: [(name: String, value: FieldValue)]

    /// Describes the start, a change or the end of a track.
    ///
    /// - Parameters:
    ///   - report: The report of the frame at which the event is posted.
    ///   - bestTimestamp: The timestamp of the frame with the best detection of the object, in nanoseconds.
    init(_ event: SceneEvent, report: Report, bestTimestamp: UInt64) {
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
        if let label = event.classifierLabel { fields.append(("classifier-label", .text(label.text))) }
        if let reason = event.event.reason { fields.append(("reason", .text(reason.rawValue))) }
        if let source = report.source { fields.append(("source", .text(source))) }
        (message, self.fields) = ("swiftodt-track", fields)
    }

    /// Describes that an object entered a zone, left it, stayed in it for the dwell time, or crossed a line.
    ///
    /// - Parameter report: The report of the frame at which the event is posted.
    init(_ event: ZoneEvent, report: Report) {
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
        (message, self.fields) = ("swiftodt-zone", fields)
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

    private func fields(of counts: Counts) -> [(name: String, value: FieldValue)] {
        func uint(_ number: Int) -> FieldValue { .uint(UInt32(clamping: number)) }
        return kind == .line
            ? [("in", uint(counts.in)), ("out", uint(counts.out))]
            : [("count", uint(counts.count)), ("entered", uint(counts.entered)), ("left", uint(counts.left))]
    }
}
