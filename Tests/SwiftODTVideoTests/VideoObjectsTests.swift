import CODTGStreamer
import Foundation
import ODTPlayback
import ODTTestSupport
import SwiftODT
import Testing

@testable import SwiftODTVideo

/// Tests loops over videos, with the element that is linked into the test and the motion detector.
@Suite struct VideoObjectsTests {
    /// A ball that moves over a black background.
    private static func ball(frames: Int, isLive: Bool = false) -> VideoSource {
        .pipeline(
            "videotestsrc num-buffers=\(frames) pattern=ball is-live=\(isLive) "
                + "! video/x-raw,format=I420,width=320,height=240,framerate=30/1")
    }

    private static let options: VideoOptions = {
        var options = VideoOptions(multipleObjects: true, detector: .motion)
        options.trackMinimumHits = 1
        return options
    }()

    @Test func everyFrameHasAResult() async throws {
        var options = Self.options
        options.zones = [
            Zone(
                name: "all", kind: .area,
                points: [Zone.Point(0, 0), Zone.Point(1, 0), Zone.Point(1, 1), Zone.Point(0, 1)])
        ]
        options.includesFrames = true
        var results: [VideoResult] = []
        for try await result in VideoObjects(of: Self.ball(frames: 45), options: options) { results.append(result) }
        let frames = results.filter { $0.frame != nil }
        #expect(frames.count == 45)
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.time < $1.time })
        #expect(frames.allSatisfy { $0.frame?.timestamp == $0.time && $0.frame?.format == .i420 && $0.width == 320 })
        let object = try #require(frames.compactMap(\.objects.first).last)
        #expect(
            object.trackingID != nil && object.box.area > 100 && object.isProminent
                && object.firstSeen < object.lastSeen)
        let events = results.flatMap(\.trackEvents)
        #expect(events.contains { $0.kind == .begin } && events.contains { $0.kind == .end(.endOfStream) })
        #expect(
            results.flatMap(\.zoneEvents).first?.kind == .enter && results.last?.zoneCounts.first?.all.entered ?? 0 > 0)
        // The events after the last frame are counted.
        let left = results.flatMap(\.zoneEvents).filter { $0.kind == .leave }.count
        #expect(left > 0 && results.last?.zoneCounts.first?.all.left == left)
        #expect(results.last?.zoneCounts.first?.all.count == 0)
        #expect(results.allSatisfy { $0.droppedResults == 0 && $0.warnings.isEmpty })
    }

    @Test func breakEndsEndlessVideo() async throws {
        var count = 0
        for try await _ in VideoObjects(of: Self.ball(frames: -1), options: Self.options) {
            count += 1
            if count == 20 { break }
        }
        #expect(count == 20)
    }

    @Test func cancelledTaskEndsTheLoop() async throws {
        let (started, begun) = AsyncStream<Void>.makeStream()
        let task = Task {
            var count = 0
            for try await _ in VideoObjects(of: Self.ball(frames: -1), options: Self.options) {
                count += 1
                begun.yield()
            }
            return count
        }
        for await _ in started { break }
        task.cancel()
        #expect(try await task.value > 0)
    }

    @Test func folderOfPicturesYieldsOneFrameEach() async throws {
        let folder = try TemporaryFolder()
        try PluginSearch.startGStreamer()
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=3 ! video/x-raw,width=64,height=48 ! pngenc ! multifilesink name=out")
        pipeline["out"].set("location", to: folder.path + "/%03d.png")
        var configuration = Player.Configuration()
        configuration.endsAtSignals = false
        let player = Player(pipeline, configuration) { Issue.record("\($0)") }
        #expect(player.play { _ in }.isWhole)
        player.stop()
        var options = Self.options
        options.singleImages = true
        options.detector = .upstream
        options.includesFrames = true
        var times: [Double] = []
        for try await result in VideoObjects(of: .pictures(folder: folder.path, framesPerSecond: 4), options: options) {
            times.append(result.time.seconds)
            #expect(result.frame?.format == .bgrx && result.width == 64)
        }
        #expect(times == [0, 0.25, 0.5])
        withExtendedLifetime(folder) {}
    }

    @Test func annotatedVideoIsWrittenAndReadAgain() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/out.mkv"
        let annotator = VideoAnnotator(options: Self.options)
        var count = 0
        for try await result in annotator.results(of: Self.ball(frames: 30), to: path) where !result.isAfterLastFrame {
            count += 1
        }
        #expect(count == 30)
        var options = Self.options
        options.includesFrames = true
        var frames = 0
        for try await result in VideoObjects(of: path, options: options) { frames += result.frame == nil ? 0 : 1 }
        #expect(frames == 30)
        await #expect(throws: ODTError.self) { try await annotator.annotate(path, to: path) }
        var loud = Self.options
        loud.allowedLabels = ["person"]
        let summary = try await VideoAnnotator(options: loud).annotate(path, to: folder.path + "/again.mkv")
        #expect(summary.frames == 30 && summary.warnings.contains { $0.contains("label-allowlist") }, "\(summary)")
        withExtendedLifetime(folder) {}
    }

    @Test func fileThatAppearsDuringAnnotationIsKept() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/out.mkv"
        await #expect {
            // The pipeline waits for the loop before it has written all frames.
            let annotator = VideoAnnotator(options: Self.options)
            for try await _ in annotator.results(of: Self.ball(frames: 60), to: path)
            where !FileManager.default.fileExists(atPath: path) { _ = try folder.write("out.mkv", "other") }
        } throws: {
            ($0 as? ODTError)?.reason == .invalidOption
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out.mkv"])
        #expect(FileManager.default.contents(atPath: path) == Data("other".utf8))
    }

    /// The header of an MP4 or Matroska file has only one size.
    @Test(arguments: [".mp4", ".mov", ".mkv", ".webm"]) func changeOfSizeIsWrittenOrRefused(ending: String) async throws
    {
        let folder = try TemporaryFolder()
        let format = "video/x-raw,format=I420,framerate=30/1"
        let source = VideoSource.pipeline(
            "videotestsrc num-buffers=9 ! \(format),width=64,height=48 ! both. "
                + "videotestsrc num-buffers=9 ! \(format),width=48,height=64 ! both. concat name=both")
        let annotator = VideoAnnotator(options: Self.options)
        let path = folder.path + "/out" + ending
        do {
            for try await _ in annotator.results(of: source, to: path) {}
            #expect(ending == ".webm")
            var frames = 0
            for try await result in VideoObjects(of: path, options: Self.options) where !result.isAfterLastFrame {
                frames += 1
            }
            #expect(frames == 18)
        } catch {
            #expect(ending != ".webm" && "\(error)".contains("changes from 64x48 to 48x64"), "\(error)")
            #expect(error.reason == .unsupported)
        }
        withExtendedLifetime(folder) {}
    }

    @Test func noFileRemainsAfterCancelledAnnotation() async throws {
        let folder = try TemporaryFolder()
        let (started, begun) = AsyncStream<Void>.makeStream()
        let task = Task {
            let annotator = VideoAnnotator(options: Self.options)
            for try await _ in annotator.results(of: Self.ball(frames: -1), to: folder.path + "/out.mkv") {
                begun.yield()
            }
        }
        for await _ in started { break }
        task.cancel()
        try await task.value
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func messagesOfOtherElementsAreNotResults() async throws {
        guard case .pipeline(let ball) = Self.ball(frames: 10) else { return }
        var options = Self.options
        options.detector = .upstream
        let source = VideoSource.pipeline("\(ball) ! swiftodt detector=motion draw=false updates=every-frame")
        var times: [MediaTime] = []
        for try await result in VideoObjects(of: source, options: options) where !result.isAfterLastFrame {
            times.append(result.time)
        }
        #expect(times.count == 10 && times == times.sorted())
    }

    @Test func errorsHaveReasons() async throws {
        func reason(_ source: VideoSource, _ options: VideoOptions = Self.options) async -> ODTError.Reason? {
            do {
                for try await _ in VideoObjects(of: source, options: options) {}
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(await reason(.media("/nowhere.mp4")) == .fileNotFound)
        #expect(await reason(.pictures(folder: "/nowhere")) == .fileNotFound)
        let folder = try TemporaryFolder()
        #expect(await reason(.pictures(folder: folder.path)) == .invalidFile)
        _ = try folder.write("a.png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00])
        #expect(await reason(.pictures(folder: folder.path)) == .invalidFile)
        #expect(await reason(.media(try folder.write("a.txt", "no video"))) == .invalidFile)
        withExtendedLifetime(folder) {}
        var options = Self.options
        options.maximumObjects = 0
        #expect(await reason(Self.ball(frames: 1), options) == .invalidOption)
        options = Self.options
        (options.minimumArea, options.maximumArea) = (0.5, 0.1)
        #expect(await reason(Self.ball(frames: 1), options) == .invalidOption)
        options = Self.options
        (options.detector, options.model) = (.neural, "nosuch")
        #expect(await reason(Self.ball(frames: 1), options) == .fileNotFound)
    }

    @Test(arguments: [
        VideoSource("/nowhere.mp4"), .pipeline("nosuchelement"), .pictures(folder: "/nowhere"), .media("nowhere://a"),
    ])
    func unusableSourceIsAnError(_ source: VideoSource) async {
        await #expect(throws: ODTError.self) {
            for try await _ in VideoObjects(of: source, options: Self.options) {}
        }
    }

    @Test(arguments: ["", "videotestsrc ! fakesink", "audiotestsrc", "videotestsrc foo=1"])
    func invalidPipelineIsAnInvalidOption(_ description: String) async {
        await #expect {
            for try await _ in VideoObjects(of: .pipeline(description), options: Self.options) {}
        } throws: {
            ($0 as? ODTError)?.reason == .invalidOption
        }
    }

    @Test(arguments: ["videotestsrc name=swiftodt", "videotestsrc\n  name=swiftodt\n! identity"])
    func reservedNameOfAnElementIsAnError(_ description: String) async {
        await #expect {
            for try await _ in VideoObjects(of: .pipeline(description), options: Self.options) {}
        } throws: { error in
            "\(error)".hasPrefix(
                "the pipeline has an element with the reserved name 'swiftodt'; use another name than video,")
        }
    }

    @Test func optionsOutOfRangeAreErrorsThatNameTheOption() async {
        let changes: [(String, (inout VideoOptions) -> Void)] = [
            ("maximumObjects", { $0.maximumObjects = 0 }), ("scoreThreshold", { $0.scoreThreshold = -0.5 }),
            ("classificationThreshold", { $0.classificationThreshold = -1 }),
            ("trackMaximumAge", { $0.trackMaximumAge = .seconds(-1) }),
            ("reidentifyFor", { $0.reidentifyFor = .seconds(-1) }),
            ("resultInterval", { $0.resultInterval = .nanoseconds(-1) }),
            ("traceDuration", { $0.traceDuration = .seconds(-1) }),
        ]
        for (name, change) in changes {
            var options = Self.options
            change(&options)
            do {
                for try await _ in VideoObjects(of: Self.ball(frames: 1), options: options) {}
                Issue.record("\(name) is accepted")
            } catch {
                #expect(error.reason == .invalidOption && error.description.hasPrefix("\(name) is "), "\(error)")
            }
        }
    }

    @Test func unusableOptionIsAnError() async {
        var options = Self.options
        options.zones = [Zone(name: "a", kind: .line, points: [])]
        await #expect(throws: ODTError.self) {
            for try await _ in VideoObjects(of: Self.ball(frames: 1), options: options) {}
        }
    }
}
