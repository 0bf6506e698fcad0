import Playback
import SwiftODT
import TestSupport
import Testing

@testable import odt

@Suite("StoreWriter")
struct StoreWriterTests {
    private static let day: Int64 = 86_400_000
    private static let hasLibrary = (try? SQLiteLibrary()) != nil
    private let start: Int64 = 1_795_348_800_000

    private func track(_ id: Int64, of camera: String, session: Int, at time: Int64) -> StoreRow {
        let columns: StoreRow.Columns = [
            ("id", .integer(id)), ("first", .integer(time)), ("last", .integer(time)), ("label", .text("person")),
            ("category", .integer(-1)),
        ]
        return StoreRow(camera: camera, session: session, time: time, content: .row(table: "track", columns))
    }

    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"))
    func cameraWithDeletedSessionGetsNewOne() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s.sqlite"
        let line = try CommandLineOptions(
            ["--store", path, "--store-days", "1"], valued: ["--store", "--store-days"], flags: [])
        let options = try #require(try StoreOptions(WatchOptions(line, [])))
        let database = try StoreFile.open(toWrite: path, SQLiteLibrary())
        let writer = try StoreWriter(database)
        var retention = try StoreRetention(options, database)

        try writer.write([track(1, of: "calm", session: 1, at: start)])
        try writer.write([track(1, of: "busy", session: 2, at: start + 2 * Self.day)])
        // Ages count an hour after the start, because the clock may be wrong.
        let wall = (start + 2 * Self.day) * 1_000_000
        #expect(try !retention.keep(database, now: 0, wall: wall))
        #expect(
            try retention.keep(database, now: WallClockCheck.length, wall: wall + WallClockCheck.length))
        try writer.forgetDeletedSessions()
        #expect(try database.figure("SELECT count(*) FROM session") == 1)
        try writer.write([track(2, of: "calm", session: 1, at: start + 2 * Self.day)])
        #expect(
            try database.figure(
                """
                SELECT count(*) FROM track JOIN session ON session.id = session JOIN camera ON camera.id = camera
                WHERE camera.name = 'calm' AND track.id = 2
                """) == 1)
    }
}
