import SwiftODT

/// Inserts rows into the tables of a database. Use it from only one thread at a time.
final class StoreWriter {
    /// The cached ids of names and sessions in this database.
    private struct Numbers {
        var cameras: [String: Int64] = [:]
        var labels: [String: Int64] = [:]
        var zones: [Zone: Int64] = [:]
        var sessions: [Int: Int64] = [:]
    }

    private struct Zone: Hashable {
        let camera: String
        let name: String
        let isLine: Bool
    }

    /// The maximum number of cached ids of labels and of sessions. A label that was dropped from the cache is queried
    /// again. If a session was dropped and further data of it arrives, a new session is inserted.
    private static let maximumNumbers = 10_000

    private let database: SQLiteDatabase
    private var numbers = Numbers()
    private let addSession, touchSession, endSession, sizeSession: SQLiteStatement
    private let setRedaction, removeRedaction: SQLiteStatement
    /// The statements that insert rows, by table. They are prepared when they are first needed.
    private var insertions: [String: SQLiteStatement] = [:]

    init(_ database: SQLiteDatabase) throws {
        self.database = database
        addSession = try database.prepare("INSERT INTO session (camera, began, ended) VALUES (?1, ?2, ?2)")
        touchSession = try database.prepare("UPDATE session SET ended = max(ended, ?2) WHERE id = ?1")
        endSession = try database.prepare("UPDATE session SET ended = max(ended, ?2), reason = ?3 WHERE id = ?1")
        sizeSession = try database.prepare("UPDATE session SET width = ?2, height = ?3 WHERE id = ?1 AND width IS NULL")
        setRedaction = try database.prepare("INSERT OR REPLACE INTO redaction VALUES (?, ?)")
        removeRedaction = try database.prepare("DELETE FROM redaction WHERE camera = ?")
    }

    /// Stores all rows in one transaction. If this fails, no row is stored.
    func write(_ rows: ArraySlice<StoreRow>) throws {
        let before = numbers
        do {
            try database.execute("BEGIN IMMEDIATE")
            var latest: [Int64: Int64] = [:]
            for row in rows {
                if case .redaction(let filter) = row.content {
                    try write(filter, of: row.camera)
                    continue
                }
                let session = try session(of: row)
                latest[session] = max(latest[session] ?? row.time, row.time)
                try write(row, session)
            }
            for (session, time) in latest { try touchSession.run([.integer(session), .integer(time)]) }
            try database.execute("COMMIT")
        } catch {
            numbers = before
            try? database.execute("ROLLBACK")
            throw error
        }
        if numbers.labels.count > Self.maximumNumbers { numbers.labels = [:] }
        if numbers.sessions.count > Self.maximumNumbers, let last = rows.last?.session {
            // Old sessions are dropped from the cache. A session without a reason for its end is kept, because its
            // camera is still connected.
            numbers.sessions = try numbers.sessions.filter { number, id in
                try number > last - Self.maximumNumbers / 2
                    || database.figure("SELECT count(*) FROM session WHERE id = \(id) AND reason IS NULL") > 0
            }
        }
    }

    /// Removes ids from the cache if their sessions have been deleted. Has to be called after rows were deleted. If the
    /// session of an inactive camera was deleted, the camera's next row gets a new session.
    func forgetDeletedSessions() throws {
        numbers.sessions = try numbers.sessions.filter { _, id in
            try database.figure("SELECT count(*) FROM session WHERE id = \(id)") > 0
        }
    }

    private func write(_ row: StoreRow, _ session: Int64) throws {
        switch row.content {
        case .began, .redaction: break
        case .ended(let reason):
            try endSession.run([.integer(session), .integer(row.time), SQLiteValue(reason)])
        case .row(let table, let columns): try insert(columns, into: table, at: row.time, session)
        case .result(let width, let height, let boxes):
            if width != nil { try sizeSession.run([.integer(session), SQLiteValue(width), SQLiteValue(height)]) }
            try insert([("objects", SQLiteValue(boxes.count))], into: "result", at: row.time, session)
            for (number, columns) in boxes.enumerated() {
                try insert([(name: "number", value: SQLiteValue(number))] + columns, into: "box", at: row.time, session)
            }
        case .zoneEvent(let name, let isLine, let columns):
            let zone = try zone(Zone(camera: row.camera, name: name, isLine: isLine))
            let column = (name: "zone", value: SQLiteValue.integer(zone))
            try insert([column] + columns, into: "zone_event", at: row.time, session)
        case .zoneCounts(let figures):
            let zone = try zone(Zone(camera: row.camera, name: figures.name, isLine: figures.isLine))
            try write(figures.all, ofLabel: .integer(0), zone, at: row.time, session)
            for (name, counts) in figures.byLabel {
                try write(counts, ofLabel: .text(name), zone, at: row.time, session)
            }
        }
    }

    /// Inserts a row. It replaces an existing row of the same primary key, or updates it (``continuation(_:)``).
    private func insert(_ columns: StoreRow.Columns, into table: String, at time: Int64, _ session: Int64) throws {
        var values: [SQLiteValue] = [.integer(time), .integer(session)]
        for column in columns {
            if column.name == "label", case .text(let name) = column.value {
                values.append(.integer(try label(name)))
            } else {
                values.append(column.value)
            }
        }
        if insertions[table] == nil {
            let names = ["time", "session"] + columns.map { $0.name }
            insertions[table] = try database.prepare(
                table == "track"
                    ? "INSERT" + Self.insertion(names, table) + Self.continuation(names)
                    : "INSERT OR REPLACE" + Self.insertion(names, table))
        }
        try insertions[table]?.run(values)
    }

    /// Returns the SQL that updates the row of a track. An object that has returned (re-identification) keeps the time of
    /// its first visit and its best detection.
    private static func continuation(_ columns: [String]) -> String {
        let changes = columns.filter { $0 != "session" && $0 != "id" }.map { name in
            switch name {
            case "first": "first = min(first, excluded.first)"
            case "path_length": "path_length = ifnull(max(path_length, excluded.path_length), excluded.path_length)"
            case let name where name.hasPrefix("best"):
                "\(name) = iif(ifnull(excluded.best_score, 0) < ifnull(best_score, 0), \(name), excluded.\(name))"
            default: "\(name) = excluded.\(name)"
            }
        }
        return " ON CONFLICT (session, id) DO UPDATE SET " + changes.joined(separator: ", ")
    }

    private static func insertion(_ columns: [String], _ table: String) -> String {
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        return " INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
    }

    private func write(_ filter: RedactionFilter?, of camera: String) throws {
        let camera = SQLiteValue.integer(try self.camera(camera))
        guard let filter else { return try removeRedaction.run([camera]) }
        try setRedaction.run([camera, SQLiteValue(filter.properties)])
    }

    /// - Parameter label: The text of the label; 0 for the total over all labels.
    private func write(
        _ counts: ZoneCount.Counts, ofLabel label: SQLiteValue, _ zone: Int64, at time: Int64, _ session: Int64
    ) throws {
        let columns: StoreRow.Columns = [
            ("zone", .integer(zone)), ("label", label), ("count", SQLiteValue(counts.count)),
            ("entered", SQLiteValue(counts.entered)), ("gone", SQLiteValue(counts.left)),
            ("inward", SQLiteValue(counts.in)), ("outward", SQLiteValue(counts.out)),
        ]
        try insert(columns, into: "zone_count", at: time, session)
    }

    // MARK: Ids

    private func session(of row: StoreRow) throws -> Int64 {
        if let number = numbers.sessions[row.session] { return number }
        let camera = try camera(row.camera)
        try addSession.run([.integer(camera), .integer(row.time)])
        numbers.sessions[row.session] = database.lastRow
        return database.lastRow
    }

    private func camera(_ name: String) throws -> Int64 { try number(of: name, in: "camera", &numbers.cameras) }

    private func label(_ name: String) throws -> Int64 { try number(of: name, in: "label", &numbers.labels) }

    private func number(of name: String, in table: String, _ known: inout [String: Int64]) throws -> Int64 {
        if let number = known[name] { return number }
        let number = try number(in: table, ["name"], [.text(name)])
        known[name] = number
        return number
    }

    private func zone(_ zone: Zone) throws -> Int64 {
        if let number = numbers.zones[zone] { return number }
        let camera = try camera(zone.camera)
        let number = try number(
            in: "zone", ["camera", "name", "kind"],
            [.integer(camera), .text(zone.name), .text(zone.isLine ? "line" : "zone")])
        numbers.zones[zone] = number
        return number
    }

    /// Returns the id of the row with these values. If there is no such row, inserts it.
    private func number(in table: String, _ columns: [String], _ values: [SQLiteValue]) throws -> Int64 {
        let question = columns.map { "\($0) = ?" }.joined(separator: " AND ")
        let found = try database.prepare("SELECT id FROM \(table) WHERE \(question)")
        try found.begin(values)
        if try found.next() { return found.integer(0) }
        try database.prepare("INSERT" + Self.insertion(columns, table)).run(values)
        return database.lastRow
    }
}
