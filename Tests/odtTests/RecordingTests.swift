import CODTGStreamer
import Glibc
import ODTPlayback
import ODTTestSupport
import SwiftODT
import Testing

@testable import odt

@Suite("Recording")
struct RecordingTests {
    private let folder: TemporaryFolder

    init() throws {
        try PluginSearch.startGStreamer()
        folder = try TemporaryFolder()
    }

    private func recording(of cameras: [String]) throws -> Recording {
        let line = try CommandLineOptions(
            ["--record", folder.path, "--record-size", "64M"], valued: ["--record", "--record-size"], flags: [])
        let options = try #require(try RecordOptions(WatchOptions(line, [])))
        return try Recording(options, cameras: cameras)
    }

    private func play(_ pipeline: Pipeline) throws {
        gst_element_set_state(pipeline.top, GST_STATE_PLAYING)
        let bus = try #require(gst_element_get_bus(pipeline.top))
        defer { gst_object_unref(bus) }
        let end = try #require(gst_bus_timed_pop_filtered(bus, 60_000_000_000, GST_MESSAGE_EOS))
        gst_message_unref(end)
        gst_element_set_state(pipeline.top, GST_STATE_NULL)
    }

    /// A sink that needs 20 ms for each frame follows a queue of two frames.
    @Test(arguments: [false, true]) func framesThatTheQueueDropsAreReported(_ keepsEveryFrame: Bool) throws {
        let problems = Monitor<[String]>([])
        let recorder = CameraRecorder(
            try recording(of: []), camera: "front", content: .original(.identity), followsTag: true, clips: nil,
            finished: { _ in },
            notify: { text in problems.update { $0.append(text) } })
        let pipeline = try Pipeline(
            "fakesrc num-buffers=10 ! queue name=waiting leaky=downstream max-size-buffers=2 "
                + "! identity sleep-time=20000 ! fakesink name=recorded async=false")
        recorder.record(from: pipeline)
        if keepsEveryFrame { Recording.keepEveryFrame(of: pipeline) }
        try play(pipeline)
        let texts = problems.read { $0 }
        #expect(texts.isEmpty == keepsEveryFrame)
        #expect(texts.allSatisfy { $0.hasPrefix("frames are missing in the recording") })
    }

    /// The header of a segment states the orientation of its frames: that of the stream's tag, or that which the user
    /// has chosen.
    @Test(arguments: [nil, Orientation.flipVertical]) func segmentStatesOrientation(_ chosen: Orientation?) throws {
        let paths = Monitor<[String]>([])
        let recorder = CameraRecorder(
            try recording(of: ["front"]), camera: "front", content: .original(chosen ?? .identity),
            followsTag: chosen == nil, clips: nil, finished: { segment in paths.update { $0.append(segment.path) } },
            notify: { _ in })
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=3 ! taginject tags=image-orientation=rotate-180 ! jpegenc ! queue name=waiting "
                + "! fakesink name=recorded async=false")
        recorder.record(from: pipeline)
        try play(pipeline)
        recorder.finish()
        let orientations = paths.read { $0.map(RecordedContent.orientation) }
        #expect(orientations == [chosen ?? .rotate180])
    }

    /// An element behind the recorder can block after the end of the stream, so the recorder states this end.
    @Test(arguments: [false, true])
    func redactedSegmentIsReportedOrDeletedAfterEndOfStream(discardsRedacted: Bool) throws {
        let paths = Monitor<[String]>([])
        let recorder = CameraRecorder(
            try recording(of: ["front"]), camera: "front", content: .redacted("box-style=blur"), followsTag: false,
            clips: nil, finished: { segment in paths.update { $0.append(segment.path) } }, notify: { _ in })
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=3 ! jpegenc ! queue name=waiting ! fakesink name=recorded async=false")
        recorder.record(from: pipeline)
        try play(pipeline)
        let hasEnded = recorder.hasEnded.read { $0 }
        #expect(hasEnded)
        recorder.finish(discardsRedacted: discardsRedacted)
        let count = paths.read { $0.count }
        #expect(count == (discardsRedacted ? 0 : 1))
    }

    /// The timestamps go back by about 5 s after three frames, or the frames have about 3 MB each and the limit of a
    /// segment is 8 MiB.
    @Test(
        arguments: [
            ("videotestsrc num-buffers=6", 5_000_000_000),
            ("videotestsrc num-buffers=8 pattern=snow ! video/x-raw,width=1920,height=1080", 0),
        ] as [(String, GstClockTime)])
    func restartOfTimestampsOrSizeBeginsSegment(_ source: String, _ step: GstClockTime) throws {
        let count = Monitor(0)
        let recorder = CameraRecorder(
            try recording(of: ["front"]), camera: "front", content: .original(.identity), followsTag: false, clips: nil,
            finished: { _ in count.update { $0 += 1 } }, notify: { _ in })
        let pipeline = try Pipeline(
            "\(source) ! jpegenc name=encoder quality=100 ! queue name=waiting ! fakesink name=recorded async=false")
        pipeline["encoder"].pad("src")?.observeBuffers { buffer in
            if buffer.pointee.pts < 100_000_000 { buffer.pointee.pts += step }
        }
        recorder.record(from: pipeline)
        try play(pipeline)
        recorder.finish()
        let segments = count.read { $0 }
        #expect(segments > 1)
    }

    /// An earlier connection could not finish a segment.
    @Test(.timeLimit(.minutes(1))) func recorderNamesUnfinishedSegmentOfEarlierConnection() throws {
        let recording = try recording(of: ["front"])
        let name = recording.options.folder.path + "front/front-2026-11-22T15-45-01Z"
        try #require(creat(name + ".part.mkv", 0o644) >= 0)
        let recorder = CameraRecorder(
            recording, camera: "front", content: .original(.identity), followsTag: false, clips: nil,
            finished: { _ in }, notify: { _ in })
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=3 ! jpegenc ! queue name=waiting ! fakesink name=recorded async=false")
        recorder.record(from: pipeline)
        try play(pipeline)
        recorder.finish()
        while !PathText.exists(name + ".mkv") { usleep(10_000) }
    }

    /// All cameras share the size limit, so the size of a segment follows the number of cameras after a reload.
    @Test func largestSegmentFollowsNumberOfCameras() throws {
        let recording = try recording(of: ["front"])
        #expect(recording.largestSegment == 8 << 20)
        try recording.use(["front", "yard"])
        #expect(recording.largestSegment == 4 << 20)
        try recording.use(["yard"])
        #expect(recording.largestSegment == 8 << 20)
    }
}
