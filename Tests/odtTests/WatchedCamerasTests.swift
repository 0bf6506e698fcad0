import Glibc
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

    /// A changed option is used after a restart.
    @Test func clipsDependOnOptionsInUse() throws {
        let line = try CommandLineOptions(
            ["--config", folder.path + "/watch.conf"], valued: ["--config"], flags: [])
        func plan(_ options: String, using current: WatchOptions? = nil) throws -> WatchPlan {
            _ = try folder.write("watch.conf", "[watch]\nrecord=video\n\(options)\n[camera cam]\nsource=none.mp4\n")
            return try WatchPlan(line, using: current)
        }
        let (with, without) = (try plan("clips=clips"), try plan(""))
        #expect(with.cameras.map(\.savesClips) == [true] && without.cameras.map(\.savesClips) == [false])
        let removed = try plan("", using: with.options)
        #expect(removed.cameras.map(\.savesClips) == [true] && removed.rules.map(\.name) == ["--clips"])
        let added = try plan("clips=clips", using: without.options)
        #expect(added.cameras.map(\.savesClips) == [false] && added.rules.isEmpty)
    }

    @Test func cameraWithoutThreadCanBeStartedLater() throws {
        let line = try CommandLineOptions(["--quiet", "cam=none.mp4"], valued: [], flags: ["--quiet"])
        let plan = try WatchPlan(line)
        let camera = Camera(plan.cameras[0], plan, sinks: try WatchSinks(plan) { _ in }, recording: nil, clips: nil)
        #expect(camera.use(plan.cameras[0]))
        #expect(!camera.use(plan.cameras[0]))
        camera.noteStartFailure()
        #expect(camera.lacksThread)
        #expect(camera.use(plan.cameras[0]) && !camera.lacksThread)
    }

    /// The size limit also holds for a camera that is no longer recorded, while no camera delivers a frame.
    @Test(.timeLimit(.minutes(1))) func oldRecordingsAreDeletedWithoutFrames() throws {
        try PartFile.makeFolder(folder.path + "/video/old/")
        let name = SegmentName(camera: "old", time: 1_000_000_000_000_000_000).text
        let old = try folder.write("video/old/" + name, SegmentRetention.mark + String(repeating: " ", count: 2 << 20))
        let line = try CommandLineOptions(
            ["--quiet", "--record", folder.path + "/video", "--record-size", "1M", "cam=\(folder.path)/none.mp4"],
            valued: ["--record", "--record-size"], flags: ["--quiet"])
        let code = try WatchedCameras(WatchPlan(line)).watch(rereading: line)
        #expect(code == ExitCode.failure)
        // Another thread deletes recordings.
        while PathText.exists(old) { usleep(10_000) }
    }
}
