import Glibc
import ODTPlayback
import ODTTestSupport
import SwiftODT
import Testing

@testable import odt

@Suite("StoreWriter")
struct StoreWriterTests {
    private static let day: Int64 = 86_400_000
    private static let hasLibrary = (try? SQLiteLibrary()) != nil
    private let start: Int64 = 1_795_348_800_000
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/s.sqlite" }

    init() throws {
        try PluginSearch.startGStreamer()
        folder = try TemporaryFolder()
    }

    private func options(_ words: String...) throws -> StoreOptions {
        let line = try CommandLineOptions(
            ["--store", path] + words, valued: ["--store", "--store-days"], flags: [])
        return try #require(try StoreOptions(WatchOptions(line, [])))
    }

    private func cameras(in path: String) throws -> Int64 {
        try StoreFile.open(toRead: path, SQLiteLibrary()).figure("SELECT count(*) FROM camera")
    }

    private func track(_ id: Int64, of camera: String, session: Int, at time: Int64) -> StoreRow {
        let columns: StoreRow.Columns = [
            ("id", .integer(id)), ("first", .integer(time)), ("last", .integer(time)), ("label", .text("person")),
            ("category", .integer(-1)),
        ]
        return StoreRow(camera: camera, session: session, time: time, content: .row(table: "track", columns))
    }

    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"))
    func cameraWithDeletedSessionGetsNewOne() throws {
        let database = try StoreFile.open(toWrite: path, SQLiteLibrary())
        let writer = try StoreWriter(database)
        var retention = try StoreRetention(options("--store-days", "1"), database)

        try writer.write([track(1, of: "calm", session: 1, at: start)])
        try writer.write([track(1, of: "busy", session: 2, at: start + 2 * Self.day)])
        // Two hours younger than the limit.
        try writer.write([track(3, of: "busy", session: 2, at: start + Self.day + 2 * Self.day / 24)])
        let alarm: StoreRow.Columns = [("event", .text("covered")), ("reason", .null)]
        try writer.write([StoreRow(camera: "calm", session: 1, time: start, content: .row(table: "alarm", alarm))])
        // Ages count an hour after the start, because the clock may be wrong.
        let wall = (start + 2 * Self.day) * 1_000_000
        #expect(try !retention.keep(database, now: 0, wall: wall))
        #expect(
            try retention.keep(database, now: WallClockCheck.length, wall: wall + WallClockCheck.length))
        try writer.forgetDeletedSessions()
        #expect(try database.figure("SELECT count(*) FROM session") == 1)
        #expect(try database.figure("SELECT count(*) FROM track") == 2)
        #expect(try database.figure("SELECT count(*) FROM alarm") == 0)
        try writer.write([track(2, of: "calm", session: 1, at: start + 2 * Self.day)])
        #expect(
            try database.figure(
                """
                SELECT count(*) FROM track JOIN session ON session.id = session JOIN camera ON camera.id = camera
                WHERE camera.name = 'calm' AND track.id = 2
                """) == 1)
    }

    /// Otherwise the write-ahead log of `odt watch` grows while a report reads recordings.
    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"))
    func readMessagesDoNotBlockCheckpoints() throws {
        let database = try StoreFile.open(toWrite: path, SQLiteLibrary())
        let writer = try StoreWriter(database)
        try writer.write([track(1, of: "cam", session: 1, at: start)])
        try database.execute("PRAGMA busy_timeout = 0")
        var messages = try StoredMessages(path, .init())
        var count = 0
        try messages.forEach { _ in count += 1 }
        try writer.write([track(2, of: "cam", session: 1, at: start)])
        #expect(try database.figure("PRAGMA wal_checkpoint(TRUNCATE)") == 1)
        #expect(try count == 1 && messages.segments().isEmpty)
        try messages.end()
        #expect(try database.figure("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
    }

    /// The boxes after the last detection of an ended track are predictions. The second track has not ended.
    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"))
    func resultsOmitPredictedBoxesOfEndedTracks() throws {
        let writer = try StoreWriter(StoreFile.open(toWrite: path, SQLiteLibrary()))
        let columns = ["track", "label", "category", "score", "x_min", "y_min", "x_max", "y_max"]
        let box: StoreRow.Columns = columns.map { ($0, $0 == "label" ? .text("dog") : .integer(1)) }
        for (session, reason) in [(1, "lost"), (2, nil)] as [(Int, String?)] {
            let track: StoreRow.Columns = [
                ("id", .integer(1)), ("first", .integer(start)), ("last", .integer(start + 10)),
                ("label", .text("dog")), ("category", .integer(-1)), ("reason", SQLiteValue(reason)),
            ]
            let result = StoreRow.Content.result(width: 9, height: 9, boxes: [box])
            for (time, content) in [(10, .row(table: "track", track)), (10, result), (20, result)]
                as [(Int64, StoreRow.Content)]
            {
                try writer.write([StoreRow(camera: "cam", session: session, time: start + time, content: content)])
            }
        }
        func counts(from time: Int64) throws -> [Int64: Int] {
            var counts: [Int64: Int] = [:]
            var messages = try StoredMessages(path, .init(from: start + time))
            try messages.forEach { message in
                guard message.kind == .result, let session = message.recording else { return }
                counts[session, default: 0] += try message.list("objects").count
            }
            return counts
        }
        #expect(try counts(from: 0) == [1: 1, 2: 2])
        #expect(try counts(from: 15) == [1: 0, 2: 1])
    }

    /// The path length and the end reason describe the whole track. The second track was replaced by an earlier id.
    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"))
    func trackPartlyInPeriodOmitsValuesFromOutsidePeriod() throws {
        let writer = try StoreWriter(StoreFile.open(toWrite: path, SQLiteLibrary()))
        let result = StoreRow.Content.result(width: 9, height: 9, boxes: [])
        try writer.write([StoreRow(camera: "cam", session: 1, time: start, content: result)])
        for (id, reason) in [(1, "lost"), (2, "reidentified")] as [(Int64, String)] {
            let columns: StoreRow.Columns = [
                ("id", .integer(id)), ("first", .integer(start)), ("last", .integer(start + 100)),
                ("label", .text("person")), ("category", .integer(-1)), ("path_length", SQLiteValue(50.0)),
                ("best", .integer(start + 10)), ("best_score", SQLiteValue(0.9)), ("reason", .text(reason)),
            ]
            let content = StoreRow.Content.row(table: "track", columns)
            try writer.write([StoreRow(camera: "cam", session: 1, time: start + 100, content: content)])
        }
        func figures(_ from: Int64, _ to: Int64) throws -> [[String]] {
            var figures: [[String]] = []
            var messages = try StoredMessages(path, .init(from: start + from, to: start + to))
            try messages.forEach { message in
                guard message.kind == .track else { return }
                let names = ["path-length", "best-score", "best-running-time"].filter { message.number($0) != nil }
                figures.append(names + [message.text("reason")])
            }
            return figures.sorted { $0.joined() < $1.joined() }
        }
        let best = ["best-score", "best-running-time"]
        let whole = ["path-length"] + best
        #expect(try figures(0, 100) == [whole + ["lost"], whole + ["reidentified"]])
        #expect(try figures(20, 100) == [["lost"], ["reidentified"]])
        #expect(try figures(0, 50) == [best + [""], best + ["reidentified"]])
    }

    /// With re-identification, an object returns with its id.
    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"))
    func returnedObjectKeepsItsEarlierVisit() throws {
        let database = try StoreFile.open(toWrite: path, SQLiteLibrary())
        let writer = try StoreWriter(database)
        for (first, path, score, best) in [(0, 100, 0.9, 7), (60, 5, 0.5, 61), (60, 50, 0.8, 62)]
            as [(Int64, Double, Double, Int64)]
        {
            let columns: StoreRow.Columns = [
                ("id", .integer(1)), ("first", .integer(start + first)), ("last", .integer(start + first + 10)),
                ("label", .text("person")), ("category", .integer(-1)), ("path_length", SQLiteValue(path)),
                ("best", .integer(best)), ("best_score", SQLiteValue(score)), ("best_x", .integer(best)),
            ]
            let content = StoreRow.Content.row(table: "track", columns)
            try writer.write([StoreRow(camera: "cam", session: 1, time: start + first, content: content)])
        }
        let kept = "first = \(start) AND last = \(start + 70) AND path_length = 100"
        #expect(try database.figure("SELECT count(*) FROM track") == 1)
        #expect(
            try database.figure(
                "SELECT count(*) FROM track WHERE \(kept) AND best = 7 AND best_x = 7 AND best_score = 0.9") == 1)
    }

    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"), .timeLimit(.minutes(1)))
    func sinkStoresInNewFileAfterFileWasMoved() throws {
        let notes = Monitor([String]())
        let sink = try StoreSink(options(), fileCheckInterval: 0) { text in notes.update { $0.append(text) } }
        sink.use([("yard", RedactionFilter(properties: nil))])
        while try cameras(in: path) == 0 { usleep(10_000) }
        let moved = folder.path + "/moved.sqlite"
        #expect(rename(path, moved) == 0)
        let fields = OwnedStructure(named: "swiftodt-alarm")
        fields.set("event", to: "covered")
        sink.take(
            WatchMessage(
                camera: "gate", time: WallClock.now, steady: 0, fields: MessageFields(fields.pointer), line: "",
                mayWait: false))
        sink.close()
        // The new file needs the redaction of the camera that has sent no message, too.
        #expect(try cameras(in: path) == 2)
        // The moved file is complete without its write-ahead log.
        #expect(try cameras(in: moved) == 1)
        #expect(notes.read { $0.count } == 1 && notes.read { $0[0].contains("was moved") })
        #expect(sink.problem == nil)
    }

    /// The interval between two checks of the file has not passed.
    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"), .timeLimit(.minutes(1)))
    func closingCompletesFileThatWasJustMoved() throws {
        let sink = try StoreSink(options()) { _ in }
        sink.use([("yard", RedactionFilter(properties: nil))])
        while try cameras(in: path) == 0 { usleep(10_000) }
        let moved = folder.path + "/moved.sqlite"
        #expect(rename(path, moved) == 0)
        sink.close()
        #expect(try cameras(in: moved) == 1)
    }

    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"))
    func damagedFileStopsOnlyStoring() throws {
        _ = try folder.write("s.sqlite", String(repeating: "no database", count: 1_000))
        let notes = Monitor([String]())
        let sink = try StoreSink(options()) { text in notes.update { $0.append(text) } }
        #expect(sink.problem?.contains("is damaged") == true)
        sink.use([("yard", RedactionFilter(properties: nil))])
        sink.close()
        #expect(notes.read { $0.count } == 2)
        #expect(notes.read { $0[0].contains("continues without storing") && $0[1].hasSuffix("1 row") })
    }

    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"), .timeLimit(.minutes(1)))
    func everyOverflowOfQueueIsReported() throws {
        let notes = Monitor([String]())
        let sink = try StoreSink(options(), maximumWaiting: 0) { text in notes.update { $0.append(text) } }
        for count in [2, 4] {
            sink.use([("yard", RedactionFilter(properties: nil))])
            notes.wait { $0.count == count ? () : nil }
            // The two threads can report in any order.
            let last = notes.read { $0.suffix(2) }
            #expect(last.contains("the queue of \(path) is full: rows are dropped"))
            #expect(last.contains("storing in \(path) resumed; dropped: 1 row"))
        }
        sink.close()
        #expect(notes.read { $0.count } == 4)
    }

    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"))
    func folderOfDatabaseIsCreated() throws {
        let path = folder.path + "/a/b/s.sqlite"
        do { _ = try StoreFile.open(toWrite: path, SQLiteLibrary()) }
        #expect(try cameras(in: path) == 0)
    }

    @Test func errorOfReadOnlyDatabaseNamesRemedy() {
        let error = SQLiteError(code: 8, description: "attempt to write a readonly database")
        #expect(StoreFile.problem(error, path).description.contains("check that it exists and its permissions"))
    }

    /// A folder that is not writable has no files for locks and the write-ahead log.
    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"))
    func immutableFileIsReadWithoutFurtherFiles() throws {
        let name = "a?b#c%20 \u{E4}.sqlite"
        let path = folder.path + "/" + name
        do { _ = try StoreFile.open(toWrite: path, SQLiteLibrary()) }
        let database = try SQLiteDatabase(path, for: .readImmutable, SQLiteLibrary())
        #expect(try database.figure("SELECT count(*) FROM sqlite_master WHERE name = 'camera'") == 1)
        #expect(PartFile.names(in: folder.path).filter { !$0.hasPrefix(".") } == [name])
    }

    @Test func specialNamesOfSQLiteAreFiles() {
        for name in [":memory:", "file:x?mode=memory"] {
            #expect(SQLiteDatabase.name(of: name, for: .write) == "./" + name)
        }
        #expect(SQLiteDatabase.name(of: "/srv/s.sqlite", for: .write) == "/srv/s.sqlite")
        #expect(SQLiteDatabase.name(of: "a b/s.sqlite", for: .readImmutable) == "file:a%20b/s.sqlite?immutable=1")
    }

    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"))
    func failedTransactionLeavesNoIDs() throws {
        let database = try StoreFile.open(toWrite: path, SQLiteLibrary())
        let writer = try StoreWriter(database)
        let (row, unknown) = (track(1, of: "cam", session: 1, at: start), StoreRow.Content.row(table: "unknown", []))
        let invalid = StoreRow(camera: "cam", session: 1, time: start, content: unknown)
        #expect(throws: SQLiteError.self) { try writer.write([row, invalid]) }
        try writer.write([row])
        let joins =
            "track JOIN session ON session.id = session JOIN camera ON camera.id = camera JOIN label ON label.id = label"
        #expect(try database.figure("SELECT count(*) FROM \(joins)") == 1)
    }

    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"))
    func unknownRedactionReplacesKnownOne() throws {
        let database = try StoreFile.open(toWrite: path, SQLiteLibrary())
        let writer = try StoreWriter(database)
        for (filter, count) in [(RedactionFilter(properties: nil), 1), (nil, 0)] as [(RedactionFilter?, Int64)] {
            try writer.write([StoreRow(camera: "cam", session: 0, time: start, content: .redaction(filter))])
            #expect(try database.figure("SELECT count(*) FROM redaction") == count)
        }
    }
}
