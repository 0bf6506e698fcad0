import CODTGStreamer
import ODTPlayback
import SwiftODT
import Testing

@testable import odt

@Suite("StoredCamera")
struct StoredCameraTests {
    private let start: Int64 = 1_795_348_800_000

    init() throws { try PluginSearch.startGStreamer() }

    private var camera = StoredCamera("yard")
    private var sessionCount = 0

    /// Returns the rows of a message about one frame. Times are in milliseconds.
    private mutating func rows(
        _ name: String, running: Int64, utc: Int64?, at wall: Int64, steady: Int64, _ more: [String: Int64] = [:],
        event: String? = nil
    ) -> [StoreRow] {
        let fields = OwnedStructure(named: name)
        fields.set("session", to: UInt32(1))
        fields.set("running-time", to: UInt64(running) * 1_000_000)
        fields.set("utc-time", to: utc.map { UInt64($0) * 1_000_000 } ?? .max)
        for (field, time) in more { fields.set(field, to: UInt64(time) * 1_000_000) }
        fields.set("tracking-id", to: UInt64(7))
        if let event { fields.set("event", to: event) }
        let message = WatchMessage(
            camera: "yard", time: wall * 1_000_000, steady: steady * 1_000_000, fields: MessageFields(fields.pointer),
            line: "", mayWait: false)
        return camera.rows(of: message, sessionCount: &sessionCount)
    }

    private func integer(_ column: String, of row: StoreRow, in table: String) throws -> Int64 {
        guard case .row(table, let columns) = row.content,
            case .integer(let value)? = columns.first(where: { $0.name == column })?.value
        else { throw PlaybackError("no integer \(column) is stored in \(table)") }
        return value
    }

    @Test mutating func timesFollowArrivalOfCameraWithWrongFrameRateForTenHours() throws {
        let (frames, perSecond): (Int64, Int64) = (10 * 3_600 * 21, 21)
        func incoming(_ number: Int64) -> Int64 { start + number * 1_000 / perSecond }
        var worst: Int64 = 0
        for number in stride(from: 0, to: frames, by: Int(perSecond)) {
            let wall = incoming(number)
            let rows = rows("swiftodt", running: number * 40, utc: wall, at: wall + 30, steady: wall - start + 30)
            for row in rows { worst = max(worst, abs(row.time - wall)) }
        }
        #expect(worst <= 2)
        #expect(sessionCount == 1)
        // A track that lasts from the first to the last minute.
        let wall = incoming(frames)
        let seen: [String: Int64] = [
            "first-seen": 1_260 * 40, "last-seen": (frames - 1_260) * 40, "best-running-time": frames / 2 * 40,
        ]
        let rows = rows(
            "swiftodt-track", running: frames * 40, utc: wall, at: wall, steady: wall - start, seen, event: "end")
        let track = try #require(rows.first)
        for (column, frame) in [("first", 1_260), ("last", frames - 1_260), ("best", frames / 2)] {
            let time = try integer(column, of: track, in: "track")
            #expect(abs(time - incoming(frame)) <= 2, "\(column)")
        }
    }

    @Test mutating func momentIsFoundInVideoOfCameraWithWrongFrameRate() throws {
        let (frames, perSecond): (Int64, Int64) = (10 * 60 * 21, 21)
        func incoming(_ number: Int64) -> Int64 { start + number * 1_000 / perSecond }
        for number in stride(from: 0, through: frames, by: Int(perSecond)) {
            let wall = incoming(number)
            _ = rows("swiftodt", running: number * 40, utc: wall, at: wall, steady: wall - start)
        }
        let finished = FinishedSegment(path: "/srv/a.mkv", start: 0, end: frames * 40_000_000)
        let row = try #require(camera.row(of: finished))
        let (ended, length) = try (integer("ended", of: row, in: "segment"), integer("length", of: row, in: "segment"))
        let stored = StoredSegment(
            camera: "yard", session: 1, began: Double(row.time) / 1_000, ended: Double(ended) / 1_000,
            length: Double(length) / 1_000, file: finished.path)
        let place = try #require(stored.place(of: Double(incoming(frames / 3)) / 1_000))
        #expect(abs(place - Double(frames / 3) * 0.04) < 0.01)
        #expect(stored.place(of: stored.began - 1) == nil)
        #expect(stored.place(of: stored.ended + 1) == nil)
    }

    /// In a long group of pictures, several clips begin at the same key frame.
    @Test mutating func clipsWithSameKeyFrameHaveDifferentTimes() throws {
        _ = rows("swiftodt", running: 0, utc: start, at: start, steady: 0)
        for (number, end) in [Int64(9_000), 20_000, 0].enumerated() {
            let clip = SavedClip(
                path: "/srv/\(number).mkv", isH265: false, picture: nil, from: 0, to: 0, start: 0, end: end * 1_000_000)
            let stored = camera.row(of: clip)
            let row = try #require(stored)
            let ended = try integer("ended", of: row, in: "clip")
            #expect(row.time == start + Int64(number))
            #expect(ended == max(row.time, start + end))
        }
        let later = SavedClip(
            path: "/srv/4.mkv", isH265: false, picture: nil, from: 0, to: 0, start: 5_000_000_000, end: 9_000_000_000)
        let time = camera.row(of: later)?.time
        #expect(time == start + 5_000)
    }

    @Test mutating func timesFollowSenderClock() {
        // RTCP times of a camera whose oscillator is 200 ppm fast and whose clock is 60 s behind.
        for second in Int64(0)..<36_000 {
            let (wall, utc) = (start + second * 1_000, start - 60_000 + second * 1_000 + second / 5)
            for row in rows("swiftodt", running: second * 1_000, utc: utc, at: wall, steady: second * 1_000) {
                #expect(row.time == utc)
            }
        }
        #expect(sessionCount == 1)
    }

    @Test(arguments: [20_000, 3_600_000] as [Int64]) mutating func settingWallClockStartsSession(_ step: Int64) {
        for second in Int64(0)..<20 {
            let wall = start + second * 1_000 - (second < 10 ? 0 : step)
            for row in rows("swiftodt", running: second * 1_000, utc: wall, at: wall, steady: second * 1_000) {
                #expect(row.time == wall)
                #expect(row.session == (second < 10 ? 1 : 2))
            }
        }
        #expect(sessionCount == 2)
    }

    /// The gate releases frames up to 15 s after their arrival.
    @Test mutating func lateFramesStayInTheirSession() {
        for second in Int64(0)..<60 {
            let (wall, delay): (Int64, Int64) = (start + second * 1_000, (20..<40).contains(second) ? 14_500 : 0)
            _ = rows(
                "swiftodt", running: second * 1_000 - delay + 20_000, utc: wall - delay, at: wall,
                steady: second * 1_000)
        }
        #expect(sessionCount == 1)
    }

    @Test mutating func settingClockOfSenderStartsSession() {
        for second in Int64(0)..<20 {
            let wall = start + second * 1_000
            let utc = second < 10 ? wall - 3_600_000 : wall
            _ = rows("swiftodt", running: second * 1_000, utc: utc, at: wall, steady: second * 1_000)
        }
        #expect(sessionCount == 2)
    }

    @Test mutating func timesOfFileStartAtWallTimeOfFirstMessage() {
        for frame in Int64(0)..<100 {
            for row in rows("swiftodt", running: frame * 1_000, utc: nil, at: start + frame, steady: frame) {
                #expect(row.time == start + frame * 1_000)
            }
        }
        #expect(sessionCount == 1)
    }

    @Test mutating func cameraThatWasNeverConnectedHasNoSession() {
        #expect(rows("swiftodt-camera", running: 0, utc: nil, at: start, steady: 0, event: "lost").isEmpty)
    }
}
