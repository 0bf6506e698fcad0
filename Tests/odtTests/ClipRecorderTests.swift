import CODTGStreamer
import Glibc
import ODTPlayback
import ODTTestSupport
import SwiftODT
import Testing

@testable import odt

@Suite("ClipRecorder")
struct ClipRecorderTests {
    private static let second: Nanoseconds = 1_000_000_000
    private let folder: TemporaryFolder

    init() throws {
        try PluginSearch.startGStreamer()
        folder = try TemporaryFolder()
    }

    private func options() throws -> ClipOptions {
        let values = ["record": "/video", "clips": "/clips"].mapValues { folder.path + $0 }
            .merging(["clips-before": "1", "clips-after": "1"]) { $1 }
        let words = values.flatMap { ["--\($0.key)", $0.value] }
        let line = try CommandLineOptions(words, valued: Set(values.keys.map { "--" + $0 }), flags: [])
        return try #require(try ClipOptions(WatchOptions(line, [])))
    }

    private func take(_ count: Range<Int>, _ recorder: ClipRecorder, keys: Int = 1, size: Int = 100) throws {
        for number in count {
            let buffer = try #require(gst_buffer_new_allocate(nil, gsize(size), nil))
            defer { gst_mini_object_unref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self)) }
            let time = Nanoseconds(number) * Self.second
            buffer.pointee.pts = GstClockTime(time)
            recorder.take(buffer, isKey: number.isMultiple(of: keys), time: time, running: time)
        }
    }

    /// Returns a recorder of JPEG frames, and the clips and the problems that it reports.
    private func recorder(isFile: Bool, problem: @escaping @Sendable () -> Void = {}) throws -> (
        ClipRecorder, saved: Monitor<[SavedClip]>, problems: Monitor<[String]>
    ) {
        let (saved, problems) = (Monitor<[SavedClip]>([]), Monitor<[String]>([]))
        let recorder = ClipRecorder(
            try Clips(options(), cameras: []), camera: "cam", content: .original(.identity), isFile: isFile, crops: nil,
            saved: { clip in saved.update { $0.append(clip) } }, pictured: { _ in },
            notify: { text in
                problems.update { $0.append(text) }
                problem()
            })
        try setFormat(of: recorder)
        return (recorder, saved, problems)
    }

    private func setFormat(of recorder: ClipRecorder, _ content: RecordedContent = .original(.identity)) throws {
        let caps = try #require(gst_caps_from_string("image/jpeg,width=16,height=16,framerate=1/1"))
        defer { gst_caps_unref(caps) }
        recorder.use(caps, content)
    }

    private func save(eventAt time: Int, _ recorder: ClipRecorder) {
        let time = Nanoseconds(time) * Self.second
        recorder.save(WatchEvent(camera: "cam", kind: "track", event: "begin", time: time), at: time)
    }

    /// The first clip fails while a file has the name of the camera's folder. The clip after it has also ended when the
    /// recorder notices this.
    @Test func failedClipIsTriedAgain() throws {
        let obstacle = folder.path + "/clips/cam"
        let (recorder, saved, problems) = try recorder(isFile: false) { unlink(obstacle) }
        try PartFile(obstacle).finish()
        try take(0..<20, recorder)
        save(eventAt: 13, recorder)
        save(eventAt: 17, recorder)
        try take(20..<21, recorder)
        var texts = problems.read { $0 }
        #expect(texts.count == 1 && texts[0].hasPrefix("cannot save a clip: ") && texts[0].contains("writable"))
        var clips = saved.read { $0 }
        #expect(clips.isEmpty && recorder.isFailing)
        try take(21..<22, recorder)
        clips = saved.read { $0 }
        texts = problems.read { $0 }
        #expect(texts.dropFirst() == ["clips are saved again"])
        #expect(!recorder.isFailing)
        #expect(clips.map(\.video) == ["cam-1970-01-01T00-00-12Z.mkv", "cam-1970-01-01T00-00-16Z.mkv"])
        #expect(clips.allSatisfy { PathText.exists($0.path) })
    }

    /// Begins a clip. While the clip is being written, a folder with its name appears. Returns the camera's folder.
    private func beginClipThatCannotBeFinished(_ recorder: ClipRecorder) throws -> String {
        let cam = folder.path + "/clips/cam/"
        try take(0..<13, recorder)
        save(eventAt: 12, recorder)
        try take(13..<14, recorder)
        try PartFile.makeFolder(cam + "cam-1970-01-01T00-00-11Z.mkv/")
        return cam
    }

    @Test func clipThatCannotBeFinishedIsWrittenAgain() throws {
        let (recorder, saved, problems) = try recorder(isFile: false)
        let cam = try beginClipThatCannotBeFinished(recorder)
        try take(14..<15, recorder)
        let texts = problems.read { $0 }
        #expect(texts.count == 1)
        try take(15..<16, recorder)
        let videos = saved.read { $0.map(\.video) }
        #expect(videos == ["cam-1970-01-01T00-00-11Z_2.mkv"])
        let names = PartFile.names(in: cam)
        #expect(!names.contains { $0.contains(".part") }, "\(names)")
    }

    @Test func clipIsLostIfFailureLastsLongerThanItsFramesAreKept() throws {
        let obstacle = folder.path + "/clips/cam"
        let (recorder, saved, problems) = try recorder(isFile: false)
        try PartFile(obstacle).finish()
        try take(0..<20, recorder)
        save(eventAt: 13, recorder)
        try take(20..<40, recorder)
        let texts = problems.read { $0 }
        #expect(texts.count == 2 && texts[1].hasPrefix("a clip is lost"))
        unlink(obstacle)
        save(eventAt: 38, recorder)
        try take(40..<41, recorder)
        let names = saved.read { $0.map(\.video) }
        #expect(names == ["cam-1970-01-01T00-00-37Z.mkv"])
    }

    /// The recorder of a lost connection may still write.
    @Test func clipsOfTwoConnectionsThatBeginInOneSecondAreKept() throws {
        let (first, second) = (try recorder(isFile: false), try recorder(isFile: false))
        for recorder in [first.0, second.0] {
            try take(0..<13, recorder)
            save(eventAt: 12, recorder)
            try take(13..<14, recorder)
        }
        for recorder in [first.0, second.0] { try take(14..<16, recorder) }
        let videos = first.saved.read { $0.map(\.video) } + second.saved.read { $0.map(\.video) }
        #expect(videos == ["cam-1970-01-01T00-00-11Z.mkv", "cam-1970-01-01T00-00-11Z_2.mkv"])
    }

    /// A large frame displaces the frames of the clip from the recorder's memory, so the clip cannot be written again.
    @Test func unfinishedFileOfLostClipIsDeleted() throws {
        let (recorder, saved, problems) = try recorder(isFile: false)
        let cam = try beginClipThatCannotBeFinished(recorder)
        try take(14..<15, recorder, size: 65 << 20)
        #expect(PartFile.names(in: cam).contains { $0.contains(".part") })
        try take(15..<16, recorder)
        let (clips, texts) = (saved.read { $0 }, problems.read { $0 })
        #expect(clips.isEmpty)
        #expect(texts.count == 2 && texts[1].hasPrefix("a clip is lost"))
        let names = PartFile.names(in: cam)
        #expect(!names.contains { $0.contains(".part") }, "\(names)")
    }

    /// Recording waits for the disk, so an event can arrive before its frames.
    @Test func clipOfEventBeforeItsFramesBeginsAtEvent() throws {
        let (recorder, saved, problems) = try recorder(isFile: false)
        save(eventAt: 8, recorder)
        try setFormat(of: recorder)
        try take(0..<20, recorder)
        let (clips, texts) = (saved.read { $0 }, problems.read { $0 })
        let clip = try #require(clips.first)
        // The key frame at 7 s is the latest one at or before the beginning of the clip.
        #expect((clip.start, clip.video) == (7 * Self.second, "cam-1970-01-01T00-00-07Z.mkv"))
        #expect(texts.isEmpty)
    }

    /// Events that the video shows before the beginning of the clip belong to the clip.
    @Test func timesOfClipBeginWithItsVideo() throws {
        let (recorder, saved, _) = try recorder(isFile: false)
        save(eventAt: 8, recorder)
        try take(0..<20, recorder, keys: 5)
        let clip = try #require(saved.read { $0.first })
        #expect(clip.video == "cam-1970-01-01T00-00-05Z.mkv")
        #expect((clip.start, clip.end) == (5 * Self.second, 9 * Self.second))
        #expect((clip.from, clip.to) == (clip.start, clip.end))
    }

    @Test func clipOfInterruptedConnectionEndsAtItsLastFrame() throws {
        let (recorder, saved, _) = try recorder(isFile: false)
        try take(0..<9, recorder)
        save(eventAt: 8, recorder)
        recorder.finish()
        let clip = try #require(saved.read { $0.first })
        #expect((clip.start, clip.end) == (7 * Self.second, 8 * Self.second))
        #expect((clip.from, clip.to) == (clip.start, clip.end))
    }

    @Test(arguments: [RecordedContent.redacted("box-style=blur"), .annotated])
    func openClipIsDeletedIfItsRedactionMayHaveFailed(_ content: RecordedContent) throws {
        let (recorder, saved, _) = try recorder(isFile: false)
        try setFormat(of: recorder, content)
        try take(0..<13, recorder)
        save(eventAt: 12, recorder)
        try take(13..<14, recorder)
        let videos = { PartFile.names(in: folder.path + "/clips/cam/").count { $0.hasSuffix(".mkv") } }
        #expect(videos() == 1)
        recorder.finish(discardsRedacted: true)
        let count = content == .annotated ? 1 : 0
        #expect(videos() == count)
        #expect(saved.read { $0.count } == count)
    }

    @Test func clipStatesOrientation() throws {
        let (recorder, saved, _) = try recorder(isFile: false)
        try setFormat(of: recorder, .original(.rotate90))
        save(eventAt: 8, recorder)
        try take(0..<20, recorder)
        let orientations = saved.read { $0.map { RecordedContent.orientation(of: $0.path) } }
        #expect(orientations == [.rotate90])
    }

    @Test func eventsOfFileMayArriveLate() throws {
        let (recorder, saved, _) = try recorder(isFile: true)
        try take(0..<100, recorder)
        save(eventAt: 5, recorder)
        recorder.noteEvents(until: 50 * Self.second)
        try take(100..<101, recorder)
        var names = saved.read { $0.map(\.video) }
        #expect(names == ["cam-1970-01-01T00-00-04Z.mkv"])
        // Frames before 39 s are no longer needed, so a clip cannot show them.
        save(eventAt: 20, recorder)
        save(eventAt: 60, recorder)
        try take(101..<102, recorder)
        names = saved.read { $0.map(\.video) }
        #expect(names == ["cam-1970-01-01T00-00-04Z.mkv", "cam-1970-01-01T00-00-59Z.mkv"])
    }

    @Test func changeOfFormatEndsClip() throws {
        let (recorder, saved, _) = try recorder(isFile: false)
        save(eventAt: 8, recorder)
        try take(0..<9, recorder)
        try setFormat(of: recorder, .original(.rotate90))
        try take(9..<25, recorder)
        let ends = saved.read { $0.map(\.end) }
        #expect(ends == [8 * Self.second])
    }

    /// A camera may send key frames rarely.
    @Test func framesOfLargeGroupAreDropped() throws {
        let (recorder, saved, _) = try recorder(isFile: false)
        try take(0..<1, recorder)
        try take(1..<2, recorder, keys: 9, size: 65 << 20)
        try take(2..<3, recorder, keys: 9)
        save(eventAt: 2, recorder)
        recorder.finish()
        let count = saved.read { $0.count }
        #expect(count == 0)
    }
}
