import ODTPlayback
import SwiftODT

/// Converts the messages of one camera to rows. Maps running times to the wall clock, and selects the results to store.
///
/// Each message of a live stream contains the wall-clock time of its frame (`utc-time`): the time of the sender from
/// RTCP if available, otherwise the time of arrival. Messages about a file contain no wall-clock time. For a file, the
/// running time of the first message is mapped to the time at which that message arrived.
struct StoredCamera {
    /// The minimum interval between stored results, in milliseconds.
    private static let resultInterval: Int64 = 1_000
    /// If the difference between wall clock and monotonic clock changes by more than this, in milliseconds, from one
    /// message to the next, the wall clock was set. A new session then begins, so that the times within each session
    /// are in order.
    private static let largestStep: Int64 = 10_000
    /// The maximum time in milliseconds from a frame to its message. With the gate, it can change from one message to
    /// the next.
    private static let longestDelay: Int64 = CameraGate.longestCalm / 1_000_000
    /// Only this number of ``clipTimes`` is kept, so that memory stays bounded.
    private static let maximumClipTimes = 256

    let name: String
    /// The number of the connection, counted over all cameras; `nil` before the first message.
    private var session: Int?
    /// The number of the connection in the camera's messages.
    private var number: UInt64?
    private var clock = StreamClock()
    /// Whether the camera is connected, according to its messages.
    private var isConnected = false
    /// The wall-clock time of this machine, and the time of the latest frame by its sender's clock. Both are in
    /// milliseconds, minus the monotonic time at which the latest message arrived.
    private var leads: (own: Int64, sender: Int64)?
    /// The time of the latest stored result in milliseconds since 1970.
    private var resultTime: Int64?
    /// The latest stored counts of each zone.
    private var figures: [String: ZoneCount] = [:]
    /// The stored times of the latest clips of the session.
    private var clipTimes: [Int64] = []

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
            case "connected":
                isConnected = true
                return row(now, .began)
            case "lost", "ended":
                // `ended` may follow `lost` without a connection in between. It does not end the session a second time.
                guard isConnected || !clock.isEmpty else { return [] }
                (clock, isConnected) = (StreamClock(), false)
                return row(now, .ended(reason: fields.text("reason")))
            default: return []
            }
        }
        if fields.name == CameraAlarm.message {
            let time = milliseconds(fields, "running-time").flatMap { clock.wall(at: $0) } ?? now
            let event = fields.text("event") ?? ""
            return row(
                time, .row(table: "alarm", [("event", .text(event)), ("reason", SQLiteValue(fields.text("reason")))]))
        }
        guard let running = milliseconds(fields, "running-time") else { return [] }
        if let wall = milliseconds(fields, "utc-time") {
            let steady = message.steady / 1_000_000
            let (own, sender) = (now - steady, wall - steady)
            if let leads,
                abs(own - leads.own) > Self.largestStep
                    || abs(sender - leads.sender) > Self.largestStep + Self.longestDelay
            {
                begin(number, &sessionCount)
            }
            leads = (own, sender)
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

    /// Returns the row of a recorded segment. Before the first message with a time, the times are those of the file
    /// name.
    func row(of segment: FinishedSegment) -> StoreRow? {
        let (start, end) = (segment.start.clampedToRange / 1_000_000, segment.end.clampedToRange / 1_000_000)
        let file = PartFile.parts(of: segment.path)
        let named = SegmentName(file.stem + file.ending, camera: name).map { Int64($0.time / 1_000_000) }
        return row(
            of: segment.path, in: "segment", from: start, to: end, ("length", .integer(end - start)), fallback: named)
    }

    /// Returns the row of a clip. Several clips can begin at the same key frame, but the time is a part of the primary
    /// key. Each further clip is therefore stored with a beginning 1 ms later.
    mutating func row(of clip: SavedClip) -> StoreRow? {
        let (start, end) = (clip.start.clampedToRange / 1_000_000, clip.end.clampedToRange / 1_000_000)
        let picture = clip.picture.map { PartFile.parts(of: clip.path).folder + $0 }
        let row = row(
            of: clip.path, in: "clip", from: start, to: end, ("picture", SQLiteValue(picture)), avoiding: clipTimes)
        if let row { clipTimes.append(row.time) }
        if clipTimes.count > Self.maximumClipTimes { clipTimes.removeFirst() }
        return row
    }

    /// - Parameters:
    ///   - fallback: The time of the beginning if no message had a time yet.
    ///   - used: Times that other rows of the table have.
    private func row(
        of file: String, in table: String, from start: Int64, to end: Int64, _ column: StoreRow.Columns.Element,
        fallback: Int64? = nil, avoiding used: [Int64] = []
    ) -> StoreRow? {
        guard let session, var began = clock.wall(at: start) ?? fallback else { return nil }
        while used.contains(began) { began += 1 }
        let ended = max(began, clock.wall(at: end) ?? began + end - start)
        let columns: StoreRow.Columns = [("ended", .integer(ended)), ("file", .text(file)), column]
        return StoreRow(camera: name, session: session, time: began, content: .row(table: table, columns))
    }

    private mutating func begin(_ number: UInt64?, _ sessionCount: inout Int) {
        sessionCount += 1
        (self.number, session) = (number, sessionCount)
        (clock, leads, resultTime, figures, isConnected) = (StreamClock(), nil, nil, [:], false)
        clipTimes = []
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
        return rows + row(time, .result(width: figure(fields, "width"), height: figure(fields, "height"), boxes: boxes))
    }

    /// The score is stored in 1/1,000, and the corners in 1/10,000 of the frame's width and height.
    private func box(_ object: MessageFields) -> StoreRow.Columns {
        [
            ("track", SQLiteValue(figure(object, "tracking-id"))), ("label", .text(object.text("label") ?? "")),
            ("category", SQLiteValue(category(object))), ("score", .integer(share(object.real("score"), 1_000))),
            ("x_min", .integer(share(object.real("x-min"), 10_000))),
            ("y_min", .integer(share(object.real("y-min"), 10_000))),
            ("x_max", .integer(share(object.real("x-max"), 10_000))),
            ("y_max", .integer(share(object.real("y-max"), 10_000))),
        ]
    }

    private func track(_ fields: MessageFields, at time: Int64) -> [StoreRow] {
        guard let id = figure(fields, "tracking-id") else { return [] }
        func moment(_ name: String) -> Int64? { milliseconds(fields, name).flatMap { clock.wall(at: $0) } }
        // While the track is active, there is no reason why it ended.
        let reason = fields.text("event") == "end" ? fields.text("reason") ?? "" : nil
        let (first, last) = (moment("first-seen") ?? time, moment("last-seen") ?? time)
        var columns: StoreRow.Columns = [
            ("id", .integer(id)), ("first", .integer(first)), ("last", .integer(last)),
            ("label", .text(fields.text("label") ?? "")), ("category", SQLiteValue(category(fields))),
            ("path_length", SQLiteValue(fields.real("path-length"))), ("reason", SQLiteValue(reason)),
            ("best", SQLiteValue(moment("best-running-time"))), ("best_score", SQLiteValue(fields.real("best-score"))),
        ]
        for name in ["best_x", "best_y", "best_width", "best_height"] {
            columns.append((name, SQLiteValue(figure(fields, name.replacing("_", with: "-")))))
        }
        return row(time, .row(table: "track", columns))
    }

    private func zoneEvent(_ fields: MessageFields, at time: Int64) -> [StoreRow] {
        guard let event = fields.text("event"), let zone = fields.text("zone") else { return [] }
        let isLine = event == "cross"
        let happened = milliseconds(fields, "event-running-time").flatMap { clock.wall(at: $0) } ?? time
        let columns: StoreRow.Columns = [
            ("event", .text(isLine ? fields.text("direction") ?? event : event)),
            ("track", SQLiteValue(figure(fields, "tracking-id"))), ("label", .text(fields.text("label") ?? "")),
            ("dwell", SQLiteValue(milliseconds(fields, "dwell"))),
        ]
        return row(happened, .zoneEvent(zone: zone, isLine: isLine, columns))
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

    /// Converts a fraction to an integer: 1.0 becomes `whole`.
    private func share(_ part: Double?, _ whole: Double) -> Int64 {
        guard let part, part.isFinite else { return 0 }
        return Int64((min(max(part, -1), 2) * whole).rounded())
    }
}
