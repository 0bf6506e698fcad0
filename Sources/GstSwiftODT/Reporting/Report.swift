import SwiftODT

/// The content of a `swiftodt` message for one frame, as plain values from which structures, JSON and metadata are
/// written.
struct Report: Sendable {
    /// The version of the message format. It increases when the meaning of a field changes.
    static let version: UInt32 = 1

    var sequence: UInt64 = 0
    let epoch: UInt32
    let times: FrameTimes
    let width: Int
    let height: Int
    let orientation: Orientation
    let mode: SceneOptions.Mode
    /// The timestamp of the frame of the latest detection; `UInt64.max` before the first one.
    let detectionTimestamp: UInt64
    /// The running time from that frame to this one.
    let detectionLatency: UInt64
    /// The capture time; see ``UTCTime``.
    let utcTime: UInt64
    let objects: [ReportedObject]
    let objectList: ObjectList
    let zones: [ZoneCount]
    /// The rejected detection with the highest score, if it is reported.
    let bestRejected: Rejections.Candidate?
    let source: String?

    init(
        epoch: UInt32, times: FrameTimes, width: Int, height: Int, orientation: Orientation, mode: SceneOptions.Mode,
        detectionTimestamp: UInt64, detectionLatency: UInt64, utcTime: UInt64, objects: [ReportedObject],
        zones: [ZoneCount], bestRejected: Rejections.Candidate? = nil, source: String?
    ) {
        (self.epoch, self.times, self.width, self.height) = (epoch, times, width, height)
        (self.orientation, self.mode, self.source) = (orientation, mode, source)
        (self.detectionTimestamp, self.detectionLatency) = (detectionTimestamp, detectionLatency)
        (self.utcTime, self.zones) = (utcTime, zones)
        self.objects = objects
        self.bestRejected = bestRejected
        objectList = ObjectList(objects)
    }

    /// Returns a report of the same frame after all objects have ended.
    func withoutObjects(zones: [ZoneCount]) -> Report {
        Report(
            epoch: epoch, times: times, width: width, height: height, orientation: orientation, mode: mode,
            detectionTimestamp: detectionTimestamp, detectionLatency: detectionLatency, utcTime: utcTime, objects: [],
            zones: zones, source: source)
    }

    /// The fields in their order, except the list of objects and the JSON text.
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
        if let source { fields.append(("source", .text(source))) }
        return fields
    }
}

extension Rejections.Candidate {
    /// The fields in messages and in `stats`.
    var fields: [(name: String, value: FieldValue)] {
        [
            ("best-rejected-label", .text(label?.text ?? "")), ("best-rejected-score", .real(score)),
            ("best-rejected-reason", .text(reason.rawValue)),
        ]
    }
}

/// The value of a message field.
enum FieldValue: Sendable {
    case uint(UInt32)
    case int(Int32)
    case uint64(UInt64)
    /// A `guint64` in nanoseconds; `GST_CLOCK_TIME_NONE` is `null` in JSON.
    case time(UInt64)
    case real(Double)
    case text(String)
    case boolean(Bool)
    /// A list of structures with the given name; a list of objects in JSON.
    indirect case list(of: String, [[(name: String, value: FieldValue)]])
}

/// A box in whole pixels, clipped to the picture.
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

/// An object in messages and metadata: clipped, in whole pixels and normalised.
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

    /// A description for the log.
    var summary: String {
        let track = object.track
        return "\(track.id.map { "track \($0)" } ?? "object"): \(name) \(track.state.rawValue), score \(track.score), "
            + "\(width)x\(height) at \(x), \(y)" + (object.isProminent ? ", the most prominent" : "")
    }

    var label: String { object.track.label?.text ?? "" }

    /// The label, or else the category, or else `object`.
    var name: String {
        if !label.isEmpty { return label }
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
            ("label", .text(label)), ("label-index", .int(Int32(clamping: track.label?.index ?? -1))),
        ]
        if let confidence = object.confidence { fields.append(("confidence", .real(confidence))) }
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
