import ODTPlayback
import ODTTestSupport
import SwiftODT
import Testing

@testable import odt

@Suite("WatchedCameras")
struct WatchedCamerasTests {
    private let folder: TemporaryFolder

    init() throws {
        try PluginSearch.startGStreamer()
        folder = try TemporaryFolder()
    }

    /// The size limit also holds for a camera that is no longer recorded, while no camera delivers a frame.
    @Test func oldRecordingsAreDeletedWithoutFrames() throws {
        try PartFile.makeFolder(folder.path + "/video/old/")
        let name = SegmentName(camera: "old", time: 1_000_000_000_000_000_000).text
        let old = try folder.write("video/old/" + name, SegmentRetention.mark + String(repeating: " ", count: 2 << 20))
        let line = try CommandLineOptions(
            ["--quiet", "--record", folder.path + "/video", "--record-size", "1M", "cam=\(folder.path)/none.mp4"],
            valued: ["--record", "--record-size"], flags: ["--quiet"])
        let code = try WatchedCameras(WatchPlan(line)).watch(rereading: line)
        #expect(code == ExitCode.failure)
        #expect(!PathText.isThere(old))
    }
}
