import Glibc
import ODTPlayback
import ODTTestSupport
import SwiftODT
import Testing

@Suite("Segment retention")
struct SegmentRetentionTests {
    private let temporary: TemporaryFolder
    private var folder: String { temporary.path }
    private let day: Int64 = 86_400_000_000_000
    private let noon: Int64 = 1_795_348_800_000_000_000  // 2026-11-22T12:00:00Z

    init() throws { temporary = try TemporaryFolder() }

    @discardableResult
    private func write(_ camera: String, _ time: Int64, size: Int = 8192, mark: String = SegmentRetention.mark)
        -> String
    {
        let name = SegmentName(camera: camera, time: time).text
        return write("\(camera)/\(name)", size: size, mark: mark)
    }

    @discardableResult
    private func write(_ name: String, size: Int = 8192, mark: String = SegmentRetention.mark) -> String {
        let path = "\(folder)/\(name)"
        try? PartFile.makeFolder(PartFile.parts(of: path).folder)
        guard let file = fopen(path, "w") else { return path }
        defer { fclose(file) }
        let text = Array(mark.utf8) + [UInt8](repeating: 1, count: max(0, size - mark.utf8.count))
        fwrite(text, 1, text.count, file)
        return path
    }

    /// Cleans up an hour after the first check, so that ages count.
    private func clean(_ retention: SegmentRetention, now: Int64) {
        retention.clean(now: now - WallClockCheck.length, steady: 0)
        retention.clean(now: now, steady: WallClockCheck.length)
    }

    private func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    @Test func segmentNamesRoundTrip() {
        let name = SegmentName(camera: "front-1", time: noon + 61_500_000_000)
        #expect(name.text == "front-1-2026-11-22T12-01-01Z.mkv")
        #expect(SegmentName(name.text, camera: "front-1") == name)
        let second = SegmentName(camera: "a", time: noon, number: 2)
        #expect(second.text == "a-2026-11-22T12-00-00Z_2.mkv")
        for text in [second.text, "a-2026-11-22T12-00-00Z_2.part.mkv", "a-2026-11-22T12-00-00Z_2.part3.mkv"] {
            #expect(SegmentName(text, camera: "a") == second)
        }
        for text in [
            "a-2026-13-22T12-00-00Z.mkv", "a-2026-11-22T12-00-00.mkv", "b-2026-11-22T12-00-00Z.mkv",
            "a-2026-11-22T12-00-00Z.mp4", "a-2026-11-22T12-00-00Z_.mkv", "a-2026-11-22T12-00-00Z_x.mkv", "a-.mkv",
            "a-2026-11-22T12-00-00Z.partx.mkv", "a-2026-11-22T12-00-00Z copy.mkv", "a-Z.mkv", "",
        ] { #expect(SegmentName(text, camera: "a") == nil, "\(text)") }
    }

    @Test func oldestSegmentsAreDeletedFirst() {
        let old = write("a", noon)
        let older = write("b", noon - day)
        let young = write("a", noon + day)
        SegmentRetention(folder, longest: nil, largest: 2 * 8192).clean(now: noon + day)
        #expect([older, old, young].map(isThere) == [false, true, true])
        clean(SegmentRetention(folder, longest: day, largest: nil), now: noon + day + 1)
        #expect([old, young].map(isThere) == [false, true])
    }

    @Test func picturesAreDeletedWithTheirSegments() {
        let old = write("a", noon)
        let picture = write("a/\(SegmentName(camera: "a", time: noon).text.dropLast(4)).jpg")
        SegmentRetention(folder, longest: nil, largest: 4096).clean(now: noon)
        #expect([old, picture].map(isThere) == [false, true])
        write("a", noon)
        // The size of the picture counts.
        SegmentRetention(folder, longest: nil, largest: 2 * 8192, hasPictures: true).clean(now: noon)
        #expect([old, picture].map(isThere) == [true, true])
        SegmentRetention(folder, longest: nil, largest: 8192, hasPictures: true).clean(now: noon)
        #expect([old, picture].map(isThere) == [false, false])
    }

    /// Files in the folder that were not recorded by `odt watch` are kept, whatever their names are.
    @Test func foreignFilesAreKept() throws {
        let foreign = write("a", noon - 9 * day, mark: "OBS Studio")
        let other = write("a/holiday.mkv")
        let elsewhere = write("a-2026-11-01T12-00-00Z.mkv")
        let victim = write("victim.mkv")
        let link = "\(folder)/a/\(SegmentName(camera: "a", time: noon - 8 * day).text)"
        symlink(victim, link)
        let written = try PartFile("\(folder)/a/\(SegmentName(camera: "a", time: noon - 7 * day).text)")
        try written.write(SegmentRetention.mark)
        let own = write("a", noon - 6 * day)
        clean(SegmentRetention(folder, longest: day, largest: 1), now: noon)
        #expect([foreign, other, elsewhere, victim, link, written.path].allSatisfy(isThere))
        #expect(!isThere(own))
        written.discard()
    }

    /// A clock can jump by years after an empty battery or a wrong time server, which would make all segments
    /// appear too old.
    @Test func clockJumpDeletesNothing() {
        let second: Int64 = 1_000_000_000
        let segment = write("a", noon)
        let retention = SegmentRetention(folder, longest: day, largest: nil)
        retention.clean(now: noon, steady: 0)
        retention.clean(now: noon + 3650 * day, steady: 10 * second)
        retention.clean(now: noon + 3650 * day + 60 * second, steady: 70 * second)
        #expect(isThere(segment))
        // The clock is corrected, then jumps back: segments from the future are not old.
        retention.clean(now: noon + 130 * second, steady: 130 * second)
        retention.clean(now: noon - 3650 * day, steady: 190 * second)
        retention.clean(now: noon - 3649 * day, steady: 190 * second + day)
        #expect(isThere(segment))
        // A clock that keeps its new time is trusted after an hour.
        retention.clean(now: noon + 2 * day, steady: 2 * day)
        #expect(isThere(segment))
        retention.clean(now: noon + 2 * day + WallClockCheck.length, steady: 2 * day + WallClockCheck.length)
        #expect(!isThere(segment))
    }

    /// A clock without a battery may be wrong when the program starts.
    @Test func wrongClockAtStartDeletesNothing() {
        let second: Int64 = 1_000_000_000
        let segment = write("a", noon)
        let retention = SegmentRetention(folder, longest: day, largest: nil)
        retention.clean(now: noon + 3650 * day, steady: 0)
        retention.clean(now: noon + 3650 * day + 600 * second, steady: 600 * second)
        // The clock is corrected.
        for time in [660 * second, WallClockCheck.length, 2 * WallClockCheck.length] {
            retention.clean(now: noon + time, steady: time)
        }
        #expect(isThere(segment))
    }

    /// They were recorded while the clock was wrong.
    @Test func segmentsFromFutureAreDeletedFirst() {
        func clean(steady: Nanoseconds) {
            SegmentRetention(folder, longest: nil, largest: 2 * 8192).clean(now: noon + day, steady: steady)
        }
        let (old, young) = (write("a", noon), write("a", noon + day))
        let future = write("b", noon + 3650 * day)
        clean(steady: WallClockCheck.length)
        #expect([old, young, future].map(isThere) == [true, true, false])
        // For an hour after the start of the machine, the clock may be wrong, so the names decide.
        write("b", noon + 3650 * day)
        clean(steady: 0)
        #expect([old, young, future].map(isThere) == [false, true, true])
    }

    @Test func agesAreCheckedLessOftenThanSizes() {
        let start = WallClockCheck.length
        for (largest, isKept) in [(nil, true), (1 << 30, false)] as [(Int?, Bool)] {
            let retention = SegmentRetention(folder, longest: day, largest: largest)
            retention.cleanIfDue(steady: start)
            let old = write("a", WallClock.now - 2 * day)
            retention.cleanIfDue(steady: start + 11_000_000_000)
            #expect(isThere(old) == isKept)
            retention.cleanIfDue(steady: start + 31_000_000_000)
            #expect(!isThere(old))
        }
    }

    @Test func movedFilesReserveLittleSpace() {
        let retention = SegmentRetention(folder, longest: nil, largest: 16 * 8192)
        let first = write("a", noon)
        retention.clean(now: noon + day)
        let moved = (1..<14).map { write("b", noon - Int64($0) * 60_000_000_000) }
        retention.clean(now: noon + day)
        #expect(([first] + moved).allSatisfy(isThere))
    }

    /// The size limit also holds between two clean-ups, because each clean-up reserves space for what follows.
    @Test func retentionReservesSpaceForNextSegment() {
        let retention = SegmentRetention(folder, longest: nil, largest: 10 * 8192)
        let paths = (0..<12).map { number in
            let path = write("a", noon + Int64(number) * 60_000_000_000)
            retention.clean(now: noon)
            return path
        }
        let left = paths.filter(isThere)
        #expect(left == Array(paths.suffix(left.count)))
        #expect((7...9).contains(left.count))
    }
}
