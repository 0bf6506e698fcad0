import Playback
import SwiftODT

/// Converts the messages of one camera to rows. Maps running times to the wall clock, and selects the results to store.
///
/// Each message of a live stream contains the wall-clock time of its frame (`utc-time`): the time of the sender from
/// RTCP if available, otherwise the time of arrival. Messages about a file contain no wall-clock time. For a file, the
/// running time of the first message is mapped to the time at which that message arrived.
struct StoredCamera {
    /// The minimum interval between stored results, in milliseconds.
    private static let resultInterval: Int64 = 1_000
    /// The maximum change, in milliseconds, of the difference between wall clock and monotonic clock from one message
    /// to the next. A larger change means that the wall clock was set. A new session then begins, so that the times
    /// within each session are in order.
    private static let largestStep: Int64 = 10_000

    let name: String
    /// The number of the connection, counted over all cameras; `nil` before the first message.
    private var session: Int?
    /// The number of the connection in the camera's messages.
    private var number: UInt64?
    private var clock = StreamClock()
    /// The wall-clock time of the latest frame minus the monotonic time, in milliseconds.
    private var lead: Int64?
    /// The time of the latest stored result in milliseconds since 1970.
    private var resultTime: Int64?
    /// The latest stored counts of each zone.
    private var figures: [String: ZoneCount] = [:]

    init(_ name: String) { self.name = name }

    /// - Parameter sessionCount: The number of connections of all cameras. It is incremented if the message begins a
    ///   new connection.
    mutating func rows(of message: WatchMessage, sessionCount: inout Int) -> [StoreRow] {
        let fields = message.fields
        let now = message.time / 1_000_000
        let number = fields.count("session")
        if session == nil || number != self.number { begin(number, &sessionCount) }
        guard fields.name != "swiftodt-camera" else {
            switch fields.text("event") {
            case "connected": return row(now, .began)
            case "lost", "ended":
                guard !clock.isEmpty else { return [] }
                // `ended` may follow `lost` without a connection in between. The clock is empty then, so that `ended`
                // does not end the session a second time.
                clock = StreamClock()
                return row(now, .ended(reason: fields.text("reason")))
            default: return []
            }
        }
        if fields.name == CameraAlarm.message {
            let time = milliseconds(fields, "running-time").flatMap { clock.wall(at: $0) } ?? now
            return row(time, .alarm(event: fields.text("event") ?? "", reason: fields.text("reason")))
        }
        guard let running = milliseconds(fields, "running-time") else { return [] }
        if let wall = milliseconds(fields, "utc-time") {
            let lead = wall - message.steady / 1_000_000
            if let before = self.lead, abs(lead - before) > Self.largestStep { begin(number, &sessionCount) }
            self.lead = lead
            clock.note(running: running, wall: wall)
        } else if clock.isEmpty {
            clock.note(running: running, wall: now)
        }
        let time = clock.wall(at: running) ?? now
        switch fields.name {
        case "swiftodt": return result(fields, at: time)
        case "swiftodt-track": return track(fields, at: time)
        case "swiftodt-zone": return zoneEvent(fields, at: time)
        default: return []
        }
    }

    /// - Returns: The row of a recorded segment; `nil` before the first message with a time. No track exists then, so
    ///   the segment is not needed.
    func row(of segment: FinishedSegment) -> StoreRow? {
        let (start, end) = (segment.start.clampedToRange / 1_000_000, segment.end.clampedToRange / 1_000_000)
        guard let session, let began = clock.wall(at: start), let ended = clock.wall(at: end) else { return nil }
        return StoreRow(
            camera: name, session: session, time: began,
            content: .segment(.init(ended: ended, length: end - start, file: segment.path)))
    }

    func row(of clip: SavedClip) -> StoreRow? {
        guard let session, let began = clock.wall(at: clip.start.clampedToRange / 1_000_000),
            let ended = clock.wall(at: clip.end.clampedToRange / 1_000_000)
        else { return nil }
        let picture = clip.picture.map { PartFile.parts(of: clip.path).folder + $0 }
        return StoreRow(
            camera: name, session: session, time: began,
            content: .clip(.init(ended: ended, file: clip.path, picture: picture)))
    }

    private mutating func begin(_ number: UInt64?, _ sessionCount: inout Int) {
        sessionCount += 1
        (self.number, session) = (number, sessionCount)
        (clock, lead, resultTime, figures) = (StreamClock(), nil, nil, [:])
    }

    private func row(_ time: Int64, _ content: StoreRow.Content) -> [StoreRow] {
        session.map { [StoreRow(camera: name, session: $0, time: time, content: content)] } ?? []
    }

    private mutating func result(_ fields: MessageFields, at time: Int64) -> [StoreRow] {
        var rows: [StoreRow] = []
        for zone in fields.list("zones") {
            let now = ZoneCount(zone)
            if figures.updateValue(now, forKey: now.name) != now { rows += row(time, .zoneCounts(now)) }
        }
        if let resultTime, (0..<Self.resultInterval).contains(time - resultTime) { return rows }
        resultTime = time
        let boxes = fields.list("objects").filter { $0.text("state") != "lost" }.map(box)
        return rows
            + row(time, .result(.init(width: figure(fields, "width"), height: figure(fields, "height"), boxes: boxes)))
    }

    private func box(_ object: MessageFields) -> StoreRow.Box {
        StoreRow.Box(
            track: figure(object, "tracking-id"), label: object.text("label") ?? "",
            category: category(object), score: share(object.real("score"), 1_000),
            corners: ["x-min", "y-min", "x-max", "y-max"].map { share(object.real($0), 10_000) })
    }

    private func track(_ fields: MessageFields, at time: Int64) -> [StoreRow] {
        guard let id = figure(fields, "tracking-id") else { return [] }
        func moment(_ name: String) -> Int64? { milliseconds(fields, name).flatMap { clock.wall(at: $0) } }
        return row(
            time,
            .track(
                .init(
                    id: id, first: moment("first-seen") ?? time, last: moment("last-seen") ?? time,
                    label: fields.text("label") ?? "", category: category(fields),
                    pathLength: fields.real("path-length"), best: moment("best-running-time"),
                    bestScore: fields.real("best-score"),
                    bestBox: ["best-x", "best-y", "best-width", "best-height"].map { figure(fields, $0) },
                    reason: fields.text("event") == "end" ? fields.text("reason") ?? "" : nil)))
    }

    private func zoneEvent(_ fields: MessageFields, at time: Int64) -> [StoreRow] {
        guard let event = fields.text("event"), let zone = fields.text("zone") else { return [] }
        let isLine = event == "cross"
        let happened = milliseconds(fields, "event-running-time").flatMap { clock.wall(at: $0) } ?? time
        return row(
            happened,
            .zoneEvent(
                .init(
                    zone: zone, isLine: isLine, event: isLine ? fields.text("direction") ?? event : event,
                    track: figure(fields, "tracking-id"), label: fields.text("label") ?? "",
                    dwell: milliseconds(fields, "dwell"))))
    }

    private func figure(_ fields: MessageFields, _ name: String) -> Int64? {
        fields.count(name).map { Int64(clamping: $0) }
    }

    /// Returns a time field in milliseconds; `nil` if it is unknown. The value is clamped to avoid overflow.
    private func milliseconds(_ fields: MessageFields, _ name: String) -> Int64? {
        figure(fields, name).map { $0.clampedToRange / 1_000_000 }
    }

    private func category(_ fields: MessageFields) -> Int {
        let name = fields.text("category")
        return (Category.allCases.first { $0.name == name } ?? .unknown).rawValue
    }

    /// Converts a fraction to an integer number of parts. 1.0 is `whole` parts.
    private func share(_ part: Double?, _ whole: Double) -> Int64 {
        guard let part, part.isFinite else { return 0 }
        return Int64((min(max(part, -1), 2) * whole).rounded())
    }
}
