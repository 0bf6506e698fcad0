import CGStreamer
import Playback
import SwiftODT
import TestSupport
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

    /// A sink that needs 20 ms for each frame follows a queue of two frames.
    @Test(arguments: [false, true]) func framesThatTheQueueDropsAreReported(_ keepsEveryFrame: Bool) throws {
        let problems = Monitor<[String]>([])
        let recorder = CameraRecorder(
            try recording(of: []), camera: "front", content: .original, clips: nil, finished: { _ in },
            notify: { text in problems.update { $0.append(text) } })
        let pipeline = try Pipeline(
            "fakesrc num-buffers=10 ! queue name=waiting leaky=downstream max-size-buffers=2 "
                + "! identity sleep-time=20000 ! fakesink name=recorded async=false")
        recorder.record(from: pipeline)
        if keepsEveryFrame { Recording.keepEveryFrame(of: pipeline) }
        gst_element_set_state(pipeline.top, GST_STATE_PLAYING)
        let bus = try #require(gst_element_get_bus(pipeline.top))
        defer { gst_object_unref(bus) }
        let end = try #require(gst_bus_timed_pop_filtered(bus, 60_000_000_000, GST_MESSAGE_EOS))
        gst_message_unref(end)
        gst_element_set_state(pipeline.top, GST_STATE_NULL)
        let texts = problems.read { $0 }
        #expect(texts.isEmpty == keepsEveryFrame)
        #expect(texts.allSatisfy { $0.hasPrefix("frames are missing in the recording") })
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
