import Playback
import TestSupport
import Testing

@testable import odt

@Suite("Recording")
struct RecordingTests {
    /// All cameras share the size limit, so the size of a segment follows the number of cameras after a reload.
    @Test func largestSegmentFollowsNumberOfCameras() throws {
        try PluginSearch.startGStreamer()
        let folder = try TemporaryFolder()
        let line = try CommandLineOptions(
            ["--record", folder.path, "--record-size", "64M"], valued: ["--record", "--record-size"], flags: [])
        let options = try #require(try RecordOptions(WatchOptions(line, [])))
        let recording = try Recording(options, cameras: ["front"])
        #expect(recording.largestSegment == 8 << 20)
        try recording.use(["front", "yard"])
        #expect(recording.largestSegment == 4 << 20)
        try recording.use(["yard"])
        #expect(recording.largestSegment == 8 << 20)
    }
}
