import SwiftODT

/// Reads the rows of a period from a database of `odt watch` and converts them to messages in the order of time. The
/// running time and stream time of a message are its wall-clock time. A track becomes a single message with all its
/// data.
struct StoredMessages {
    /// The requested cameras and period. If `cameras` is empty, all cameras are requested. `from` and `to` are in
    /// milliseconds since 1970 (UTC).
    struct Choice {
        var cameras: [String] = []
        var from: Int64 = .min
        var to: Int64 = .max
    }

    private struct Session {
        let camera: String
        let width: Int64
        let height: Int64
    }

    /// The rows of one table in the order of time. `rows` is at the current row, and `time` is the time of that row.
    /// After the last row, `time` is `nil`.
    private struct Feed {
        let kind: ParsedMessage.Kind
        let rows: SQLiteStatement
        var time: Int64?

        mutating func step() throws { time = try rows.next() ? rows.integer(0) : nil }
    }

    private let path: String
    private let choice: Choice
    private let database: SQLiteDatabase
    private let boxes: SQLiteStatement
    private var sessions: [Int64: Session] = [:]
    private var labels: [Int64: String] = [:]
    /// The zones of each camera whose first result message has not been created yet. This message lists the zones, so
    /// that the report also shows zones without events.
    private var zones: [String: [JSONValue]] = [:]

    /// The redaction filter of each camera, which selects the files that may be shown. A database of an earlier version
    /// of `odt` has no filters.
    private(set) var filters: [String: RedactionFilter] = [:]
    /// The names of the cameras that have a session in the period.
    private(set) var cameras: [String] = []

    /// - Throws: ``PlaybackError`` if the file cannot be read; ``ReportError`` if a camera is unknown or no session
    ///   matches the choice.
    init(_ path: String, _ choice: Choice) throws {
        (self.path, self.choice) = (path, choice)
        let database = try StoreFile.open(toRead: path, SQLiteLibrary())
        // A box after the last detection of an ended track is a prediction (`coasting`).
        boxes = try StoreFile.reportingErrors(path) {
            try database.prepare(
                """
                SELECT box.*, track.first FROM box LEFT JOIN track ON track.session = box.session AND track.id = box.track
                WHERE box.time = ? AND box.session = ? AND (track.reason IS NULL OR box.time <= track.last)
                ORDER BY number
                """)
        }
        self.database = database
        try StoreFile.reportingErrors(path) {
            try readNames()
            try readFilters()
        }
    }

    func segments() throws -> [StoredSegment] {
        try entries(of: "segment", "file, length") { rows, camera in
            StoredSegment(
                camera: camera, session: rows.integer(0), began: Double(rows.integer(1)) / 1_000,
                ended: Double(rows.integer(2)) / 1_000, length: Double(rows.integer(4)) / 1_000, file: rows.text(3))
        }
    }

    func clips() throws -> [StoredClip] {
        try entries(of: "clip", "file, picture") { rows, camera in
            StoredClip(
                camera: camera, session: rows.integer(0), began: Double(rows.integer(1)) / 1_000,
                ended: Double(rows.integer(2)) / 1_000, file: rows.text(3),
                picture: rows.isNull(4) ? nil : rows.text(4))
        }
    }

    /// Returns the files that a table lists for the period and the requested cameras, in the order of time.
    ///
    /// - Parameter entry: Converts a row and the camera's name to an entry. The columns of the row are session, begin,
    ///   end and `columns`.
    private func entries<Entry>(
        of table: String, _ columns: String, _ entry: (SQLiteStatement, String) -> Entry
    ) throws -> [Entry] {
        try StoreFile.reportingErrors(path) {
            guard try has(table) else { return [] }
            let rows = try database.prepare(
                "SELECT session, time, ended, \(columns) FROM \(table) WHERE ended >= ? AND time <= ? ORDER BY time")
            try rows.begin([.integer(choice.from), .integer(choice.to)])
            var entries: [Entry] = []
            while try rows.next() {
                if let session = sessions[rows.integer(0)] { entries.append(entry(rows, session.camera)) }
            }
            return entries
        }
    }

    /// Returns whether the database has a table. A database of an earlier version of `odt` lacks newer tables.
    private func has(_ table: String) throws -> Bool {
        try database.figure("SELECT count(*) FROM sqlite_master WHERE name = '\(table)'") > 0
    }

    /// Passes each message to `body`, in the order of time.
    mutating func forEach(_ body: (ParsedMessage) throws -> Void) throws {
        try StoreFile.reportingErrors(path) {
            // A transaction gives a consistent snapshot while `odt watch` writes to the file.
            try database.execute("BEGIN")
            var feeds = try feeds()
            for place in feeds.indices { try feeds[place].step() }
            while let next = feeds.indices.filter({ feeds[$0].time != nil }).min(by: {
                feeds[$0].time! < feeds[$1].time!
            }) {
                if let message = try message(feeds[next]) { try body(message) }
                try feeds[next].step()
            }
        }
    }

    /// Ends the transaction that ``forEach(_:)`` has begun. While it lasts, `odt watch` cannot shorten its
    /// write-ahead log.
    func end() throws { try StoreFile.reportingErrors(path) { try database.execute("COMMIT") } }

    private mutating func readNames() throws {
        let names = try database.prepare("SELECT name FROM camera ORDER BY name")
        var known: [String] = []
        while try names.next() { known.append(names.text(0)) }
        for name in choice.cameras where !known.contains(name) {
            throw ReportError("\(path) has no camera '\(name)'; it has \(known.joined(separator: ", "))")
        }
        let found = try database.prepare(
            """
            SELECT session.id, camera.name, width, height FROM session JOIN camera ON camera.id = camera
            WHERE ended >= ? AND began <= ?
            """)
        try found.begin([.integer(choice.from), .integer(choice.to)])
        while try found.next() {
            guard choice.cameras.isEmpty || choice.cameras.contains(found.text(1)) else { continue }
            sessions[found.integer(0)] = Session(
                camera: found.text(1), width: found.integer(2), height: found.integer(3))
        }
        guard !sessions.isEmpty else { throw try nothing() }
        cameras = Set(sessions.values.map(\.camera)).sorted()
        let words = try database.prepare("SELECT id, name FROM label")
        while try words.next() { labels[words.integer(0)] = words.text(1) }
        let places = try database.prepare(
            "SELECT camera.name, zone.name, kind FROM zone JOIN camera ON camera.id = camera ORDER BY zone.id")
        while try places.next() {
            zones[places.text(0), default: []].append(
                .object(["name": .string(places.text(1)), "kind": .string(places.text(2))]))
        }
    }

    private mutating func readFilters() throws {
        guard try has("redaction") else { return }
        let rows = try database.prepare("SELECT name, word FROM redaction JOIN camera ON camera.id = camera")
        while try rows.next() {
            filters[rows.text(0)] = RedactionFilter(properties: rows.isNull(1) ? nil : rows.text(1))
        }
    }

    private func nothing() throws -> ReportError {
        let span = try database.prepare("SELECT min(began), max(ended) FROM session")
        guard try span.next(), !span.isNull(0) else { return ReportError("\(path) contains no recorded session yet") }
        let (first, last) = (WallTime.text(of: span.integer(0)), WallTime.text(of: span.integer(1)))
        return ReportError("\(path) has no data for this selection; it covers \(first) to \(last)")
    }

    private func feeds() throws -> [Feed] {
        let queries: [(ParsedMessage.Kind, String)] = [
            (.result, "SELECT time, session FROM result WHERE time BETWEEN ?1 AND ?2 ORDER BY time"),
            // A track that overlaps the period is reported at the time of its row or, if this time is outside the
            // period, at the nearer end of the period.
            (
                .track,
                "SELECT min(max(time, ?1), ?2) AS reportTime, * FROM track WHERE last >= ?1 AND first <= ?2 ORDER BY reportTime"
            ),
            (
                .zone,
                """
                SELECT time, session, zone.name, event, track, label, dwell FROM zone_event JOIN zone ON zone.id = zone
                WHERE time BETWEEN ?1 AND ?2 ORDER BY time, zone_event.id
                """
            ),
        ]
        return try queries.map { kind, query in
            let rows = try database.prepare(query)
            try rows.begin([.integer(choice.from), .integer(choice.to)])
            return Feed(kind: kind, rows: rows)
        }
    }

    /// - Returns: The message of the feed's current row; `nil` if its camera was not requested.
    private mutating func message(_ feed: Feed) throws -> ParsedMessage? {
        let rows = feed.rows
        let number = rows.integer(1)
        guard let time = feed.time, let session = sessions[number] else { return nil }
        var fields: [String: JSONValue] = [
            "source": .string(session.camera), "running-time": Self.moment(time), "stream-time": Self.moment(time),
            "utc-time": Self.moment(time), "width": .number(Double(session.width)),
            "height": .number(Double(session.height)),
        ]
        switch feed.kind {
        case .result:
            fields["objects"] = .array(try objects(at: time, of: number))
            if let zones = zones.removeValue(forKey: session.camera) { fields["zones"] = .array(zones) }
        case .track: addTrack(rows, to: &fields)
        case .zone: addZoneEvent(rows, to: &fields)
        case .statistics: break
        }
        return ParsedMessage(feed.kind, fields, recording: number)
    }

    private func objects(at time: Int64, of session: Int64) throws -> [JSONValue] {
        try boxes.begin([.integer(time), .integer(session)])
        var objects: [JSONValue] = []
        while try boxes.next() {
            var fields: [String: JSONValue] = [
                "label": .string(labels[boxes.integer(4)] ?? ""), "category-index": .number(boxes.real(5)),
                "score": .number(boxes.real(6) / 1_000), "x-min": .number(boxes.real(7) / 10_000),
                "y-min": .number(boxes.real(8) / 10_000), "x-max": .number(boxes.real(9) / 10_000),
                "y-max": .number(boxes.real(10) / 10_000),
            ]
            if !boxes.isNull(3) { fields["tracking-id"] = .number(boxes.real(3)) }
            if !boxes.isNull(11) { fields["first-seen"] = Self.moment(max(boxes.integer(11), choice.from)) }
            objects.append(.object(fields))
        }
        return objects
    }

    /// Adds the fields of a row of the table `track`. The columns of the row are: message time, session, id, time,
    /// first, last, label, category, path_length, best, best_score, best_x, best_y, best_width, best_height, reason. Of a
    /// track that is only partly in the period, the path length and the reason of a later end are omitted, and so is a
    /// best detection outside the period.
    private func addTrack(_ row: SQLiteStatement, to fields: inout [String: JSONValue]) {
        let (first, last) = (row.integer(4), row.integer(5))
        fields["event"] = .string(row.isNull(15) ? "update" : "end")
        fields["tracking-id"] = .number(row.real(2))
        fields["first-seen"] = Self.moment(max(first, choice.from))
        fields["last-seen"] = Self.moment(min(last, choice.to))
        fields["label"] = .string(labels[row.integer(6)] ?? "")
        fields["category"] = .string((Category(rawValue: Int(row.integer(7))) ?? .unknown).name)
        let reason = row.text(15)
        // An object that continues with an earlier id is not listed in any period.
        if last <= choice.to || reason == TrackEvent.Reason.reidentified.rawValue {
            fields["reason"] = .string(reason)
        }
        if first >= choice.from, last <= choice.to, !row.isNull(8) {
            fields["path-length"] = .number(row.real(8))
        }
        guard !row.isNull(9), (choice.from...choice.to).contains(row.integer(9)) else { return }
        fields["best-running-time"] = Self.moment(row.integer(9))
        let figures = [10: "best-score", 11: "best-x", 12: "best-y", 13: "best-width", 14: "best-height"]
        for (column, name) in figures where !row.isNull(Int32(column)) {
            fields[name] = .number(row.real(Int32(column)))
        }
    }

    private func addZoneEvent(_ row: SQLiteStatement, to fields: inout [String: JSONValue]) {
        let event = row.text(3)
        let isCrossing = event == "in" || event == "out"
        fields["zone"] = .string(row.text(2))
        fields["event"] = .string(isCrossing ? "cross" : event)
        if isCrossing { fields["direction"] = .string(event) }
        if !row.isNull(4) { fields["tracking-id"] = .number(row.real(4)) }
        fields["label"] = .string(labels[row.integer(5)] ?? "")
        if !row.isNull(6) { fields["dwell"] = Self.moment(row.integer(6)) }
    }

    /// Converts milliseconds to nanoseconds, the unit of message fields.
    private static func moment(_ milliseconds: Int64) -> JSONValue { .number(Double(milliseconds) * 1e6) }
}

/// A clip of an event, as listed in the database. `began` and `ended` are in seconds since 1970 (UTC).
struct StoredClip {
    let camera: String
    let session: Int64
    let began: Double
    let ended: Double
    var file: String
    var picture: String?
}

/// A recorded segment of a camera's video, as listed in the database. `began` and `ended` are in seconds since 1970
/// (UTC).
struct StoredSegment {
    let camera: String
    let session: Int64
    let began: Double
    let ended: Double
    /// The duration of the segment in stream time, in seconds. It may differ from the wall-clock duration if the
    /// camera's clock runs at another rate.
    let length: Double
    var file: String

    /// Returns the stream time within the segment at a wall-clock time, both in seconds; `nil` if the segment does not
    /// cover this wall-clock time.
    func place(of moment: Double) -> Double? {
        guard moment >= began, moment <= ended, ended > began else { return nil }
        return (moment - began) * length / (ended - began)
    }
}
