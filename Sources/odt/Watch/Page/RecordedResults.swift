import ODTPlayback
import SwiftODT

/// Reads the results about recorded segments from the database, for the page. Each request opens the database anew, so
/// that no lock is held between requests. All times are in milliseconds since 1970.
struct RecordedResults {
    /// The maximum numbers of rows in a response.
    private static let (mostBoxes, mostEvents): (Int64, Int64) = (20_000, 5_000)
    /// The maximum period of a request for boxes.
    static let longest: Int64 = 120_000
    private static let day: Int64 = 86_400_000

    private let database: SQLiteDatabase

    init(_ path: String) throws { database = try StoreFile.open(toRead: path, SQLiteLibrary()) }

    /// Returns the times of a finished segment; `nil` if the database has none, as after a crash.
    func times(of name: SegmentName) throws -> (session: Int64, began: Int64, ended: Int64, length: Int64)? {
        let rows = try database.prepare(
            """
            SELECT segment.session, segment.time, segment.ended, segment.length FROM segment
            JOIN session ON session.id = segment.session JOIN camera ON camera.id = session.camera
            WHERE camera.name = ?1 AND segment.time BETWEEN ?2 AND ?3 AND substr(file, -length(?4)) = ?4
            """)
        let time = Int64(name.time / 1_000_000)
        try rows.begin([
            .text(name.camera), .integer(time - Self.day), .integer(time + Self.day),
            .text("/\(name.camera)/\(name.text)"),
        ])
        guard try rows.next() else { return nil }
        return (rows.integer(0), rows.integer(1), rows.integer(2), rows.integer(3))
    }

    /// Returns the events of a period, sorted by time. If there are more than ``mostEvents``, returns the newest of
    /// them.
    ///
    /// Earlier zone events are included if their tracks overlap the period, because they show which objects are in a
    /// zone when the period begins. A track without an end counts as overlapping: its row is updated rarely, so its
    /// last time is outdated.
    ///
    /// - Parameter session: The session; `nil` for all sessions of the camera.
    func events(of camera: String, session: Int64?, from: Int64, to: Int64) throws -> [JSONValue] {
        let values: [SQLiteValue] = [
            .text(camera), SQLiteValue(session), .integer(from), .integer(to), .integer(Self.mostEvents),
        ]
        let sessions = """
            (SELECT session.id FROM session JOIN camera ON camera.id = session.camera
            WHERE camera.name = ?1 AND (?2 IS NULL OR session.id = ?2))
            """
        let rows = try database.prepare(
            """
            SELECT first AS moment, 'track', 'begin', NULL, NULL, track.id, label.name, NULL, track.session FROM track
            JOIN label ON label.id = label WHERE first BETWEEN ?3 AND ?4 AND session IN \(sessions)
            UNION ALL
            SELECT last, 'track', 'end', NULL, NULL, track.id, label.name, reason, track.session FROM track
            JOIN label ON label.id = label WHERE last BETWEEN ?3 AND ?4 AND reason IS NOT NULL AND session IN \(sessions)
            UNION ALL
            SELECT zone_event.time, 'zone', event, zone.name, zone.kind, track, label.name, NULL, zone_event.session
            FROM zone_event JOIN zone ON zone.id = zone_event.zone JOIN label ON label.id = zone_event.label
            WHERE zone_event.time BETWEEN
            (SELECT min(ifnull(min(first), ?3), ?3) FROM track
            WHERE (last >= ?3 OR reason IS NULL) AND first <= ?4 AND session IN \(sessions))
            AND ?4 AND session IN \(sessions)
            UNION ALL
            SELECT time, 'alarm', event, NULL, NULL, NULL, NULL, reason, session FROM alarm
            WHERE time BETWEEN ?3 AND ?4 AND session IN \(sessions)
            ORDER BY moment DESC LIMIT ?5
            """)
        try rows.begin(values)
        var events: [JSONValue] = []
        while try rows.next() {
            var members: [String: JSONValue] = [
                "time": .number(rows.real(0)), "kind": .string(rows.text(1)), "event": .string(rows.text(2)),
                "session": .number(rows.real(8)),
            ]
            for (column, key) in [(3, "zone"), (6, "label"), (7, "reason")] where !rows.isNull(Int32(column)) {
                members[key] = .string(rows.text(Int32(column)))
            }
            if !rows.isNull(5) { members["id"] = .number(rows.real(5)) }
            if rows.text(4) == "line" {
                (members["direction"], members["event"]) = (.string(rows.text(2)), .string("cross"))
            }
            events.append(.object(members))
        }
        return events.reversed()
    }

    /// Returns the times of the results of a period, and their boxes as arrays: time, session, tracking id, label,
    /// score, and the corners as fractions of the frame.
    ///
    /// - Parameter orientation: The transformation that turns the recorded frames upright. The boxes in the database
    ///   refer to upright frames, and the returned boxes to recorded frames.
    func boxes(
        of camera: String, session: Int64?, from: Int64, to: Int64, in orientation: Orientation
    ) throws -> JSONValue {
        let values: [SQLiteValue] = [
            .text(camera), SQLiteValue(session), .integer(from), .integer(to), .integer(Self.mostBoxes),
        ]
        let condition = """
            JOIN session ON session.id = session JOIN camera ON camera.id = session.camera
            WHERE time BETWEEN ?3 AND ?4 AND camera.name = ?1 AND (?2 IS NULL OR session = ?2) ORDER BY time LIMIT ?5
            """
        let results = try database.prepare("SELECT time FROM result \(condition)")
        try results.begin(values)
        var times: [JSONValue] = []
        while try results.next() { times.append(.number(results.real(0))) }
        let rows = try database.prepare(
            """
            SELECT time, session, track, label.name, score, x_min, y_min, x_max, y_max FROM box
            JOIN label ON label.id = label \(condition)
            """)
        try rows.begin(values)
        var boxes: [JSONValue] = []
        while try rows.next() {
            var box = Box(minX: rows.real(5), minY: rows.real(6), maxX: rows.real(7), maxY: rows.real(8))
            box = orientation.buffer(box, bufferWidth: 10_000, bufferHeight: 10_000)
            let corners = [box.minX, box.minY, box.maxX, box.maxY].map { JSONValue.number($0 / 10_000) }
            boxes.append(
                .array(
                    [
                        .number(rows.real(0)), .number(rows.real(1)), rows.isNull(2) ? .null : .number(rows.real(2)),
                        .string(rows.text(3)), .number(rows.real(4) / 1_000),
                    ] + corners))
        }
        return .object(["times": .array(times), "boxes": .array(boxes)])
    }
}
