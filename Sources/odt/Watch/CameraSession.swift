import CGStreamer
import Playback
import SwiftODT
import Synchronization

/// One connection to a camera: its pipeline, from the first picture to the last.
///
///     source ─ original ─┬─ eyes ─ video ─ swiftodt ─ seen ─┬─ end
///                        └─ recorder                        ├─ pictures for a page
///                                                           └─ recorder, of what is drawn in
///
/// What is not asked for is not there.
final class CameraSession: Sendable {
    /// How a connection ended.
    struct Ending {
        /// What went wrong; `nil` where the stream simply ended.
        var failure: String?
        /// Whether the element itself refused, for which another attempt is of no use.
        var isRefused = false
        /// Whether it was known how long the video is: then it has been watched to its end.
        var isWhole = false
        /// How long pictures came.
        var held: Nanoseconds = 0
    }

    private let pipeline: Pipeline
    private let player: Player
    private let watchdog: FrameWatchdog
    private let recorder: CameraRecorder?
    private let hasLength: Monitor<Bool>
    private let beginIfNeeded: @Sendable () -> Void

    /// - Parameters:
    ///   - frameTimeout: a camera that sends no picture for so long is lost.
    ///   - viewer: wants to see pictures.
    ///   - recorded: takes each segment that is whole.
    ///   - begin: is called once, when the first picture has come, by the thread that plays.
    /// - Throws: ``PlaybackError`` where there is nothing to play.
    init(
        _ plan: CameraPlan, frameTimeout: Nanoseconds, viewer: (any PictureSink)?, recording: Recording?,
        recorded: @escaping @Sendable (FinishedSegment) -> Void, begin: @escaping @Sendable () -> Void,
        notify: @escaping @Sendable (String) -> Void
    ) throws {
        let source = try MediaSource(plan.source)
        let shape = Shape(
            isFile: source.path != nil && !source.isCamera, isShown: viewer != nil,
            recordsOriginal: recording?.options.isAnnotated == false, annotated: recording?.annotatedChain)
        let pipeline = try Pipeline(shape.description(of: source))
        source.give(to: pipeline)
        try Self.set(plan, in: pipeline)
        let (watchdog, hasLength) = (FrameWatchdog(), Monitor(shape.isFile))
        if let pad = pipeline["video"].pad("sink") { watchdog.attach(at: pad) }
        if !shape.isFile, let pad = pipeline[shape.entry].pad("sink") { ArrivalTimestamps.complete(at: pad) }
        if let viewer { CameraPictures.begin(of: plan.name, in: pipeline, for: viewer) }
        let recorder = recording.map { CameraRecorder($0, camera: plan.name, finished: recorded, notify: notify) }
        if shape.annotated != nil { recorder?.record(from: pipeline) }
        (self.pipeline, self.watchdog, self.hasLength, self.recorder) = (pipeline, watchdog, hasLength, recorder)
        let isStream = source.path == nil && plan.source.lowercased().hasPrefix("rtsp")
        let isChosen = plan.settings.contains { $0.word.hasPrefix("strategy=") }
        let refuse: @Sendable (String) -> Void = { [weak pipeline] in pipeline?.refuse($0) }
        CameraSource.listen(
            to: pipeline["decoded"], keepsCoded: shape.recordsOriginal,
            linkPad: { [weak pipeline] pad, stream, isKnown in
                guard let pipeline else { return }
                if shape.isFile || (isKnown && !isStream) {
                    hasLength.update { $0 = true }
                    shape.playWhole(pipeline, choosesStrategy: !isChosen)
                }
                if shape.recordsOriginal, let recording, let recorder {
                    Self.branch(
                        recording.chain(for: stream.name), in: pipeline, recorder, isWhole: hasLength.read { $0 },
                        notify: notify)
                }
                Self.link(pad, stream, to: shape.entry, in: pipeline)
            }, refuse: refuse)
        if shape.recordsOriginal {
            CameraSource.listen(
                to: pipeline["eyes"], keepsCoded: false,
                linkPad: { [weak pipeline] pad, stream, _ in
                    if let pipeline { Self.link(pad, stream, to: "video", in: pipeline) }
                }, refuse: refuse)
        }
        let hasBegun = Monitor(false)
        let first: @Sendable () -> Void = {
            let isFirst =
                watchdog.isThere
                && !hasBegun.update { was in
                    defer { was = true }
                    return was
                }
            if isFirst { begin() }
        }
        beginIfNeeded = first
        var configuration = Player.Configuration()
        configuration.hasBegun = { watchdog.isThere }
        // Tracks that are under way end, and say so; the source itself may stall and hear nothing.
        configuration.end = { [weak pipeline] in pipeline?[shape.entry].pad("sink")?.endStream() }
        configuration.survives = { !["swiftodt", "video"].contains($0) }
        configuration.tick = first
        configuration.trouble = {
            guard !hasLength.read({ $0 }), watchdog.silence > frameTimeout else { return nil }
            return "no picture for \(frameTimeout / 1_000_000_000) seconds"
        }
        player = Player(pipeline, configuration, notify: notify)
    }

    // MARK: The pipeline

    private struct Shape: Sendable {
        let isFile: Bool
        let isShown: Bool
        let recordsOriginal: Bool
        /// The branch that records what is drawn in.
        let annotated: String?

        /// The element that takes what the source gives.
        var entry: String { recordsOriginal ? "original" : "video" }

        func description(of source: MediaSource) -> String {
            // A camera does not wait: what it sends while the element is at work on something else is left out.
            let (leaky, strategy) = isFile ? ("no", "auto") : ("downstream", "keep-only-latest")
            var text = source.description
            if recordsOriginal {
                text += " tee name=original ! queue max-size-buffers=0 max-size-time=2000000000 ! decodebin name=eyes"
            }
            text +=
                " queue name=video leaky=\(leaky) max-size-buffers=3 max-size-bytes=0 max-size-time=0 ! videoconvert "
                + "! videoflip name=upright ! swiftodt name=swiftodt multiple-objects=true max-objects=100 strategy=\(strategy) "
                + "draw=\(isShown || annotated != nil) ! tee name=seen ! fakesink name=end sync=false"
            if isShown { text += CameraPictures.description }
            if let annotated { text += " seen. ! " + annotated }
            return text
        }

        /// What has an end waits for whoever looks at it: nothing is left out. Who is to be shown it sees it at its own speed.
        func playWhole(_ pipeline: Pipeline, choosesStrategy: Bool) {
            pipeline["video"].set("leaky", to: "no")
            if choosesStrategy { pipeline["swiftodt"].set("strategy", to: "auto") }
            if annotated != nil { Recording.keepEveryFrame(of: pipeline) }
            if isShown { pipeline["end"].set("sync", to: "true") }
        }
    }

    private static func set(_ plan: CameraPlan, in pipeline: Pipeline) throws {
        let element = pipeline["swiftodt"]
        element.set("source", to: plan.name)
        for setting in plan.settings { try setting.set(of: element) }
        RedactionRequest.allow(of: element, unless: plan.settings.contains { $0.word.hasPrefix("draw=") })
        // The picture is turned before it is looked at, so that what is shown and what is said of it agree.
        pipeline["upright"].set("video-direction", to: element.text(of: "orientation"))
        element.set("orientation", to: "identity")
    }

    private static func link(_ pad: Pad, _ stream: StreamKind, to entry: String, in pipeline: Pipeline) {
        guard let sink = pipeline[entry].pad("sink"), pad.link(to: sink) else {
            return pipeline.refuse("its pictures cannot be had: GStreamer decodes them to \(stream.text)")
        }
    }

    /// Adds what records the stream as it comes.
    private static func branch(
        _ chain: String, in pipeline: Pipeline, _ recorder: CameraRecorder, isWhole: Bool,
        notify: @Sendable (String) -> Void
    ) {
        do {
            let branch = try pipeline.add(chain)
            recorder.record(from: pipeline)
            if isWhole { Recording.keepEveryFrame(of: pipeline) }
            branch.followState()
            guard let entry = branch.pad("sink"), pipeline["original"].requestPad("src_%u")?.link(to: entry) == true
            else { throw PlaybackError("GStreamer does not link \(chain)") }
        } catch {
            notify("is not recorded: \(error)")
        }
    }

    // MARK: Playing

    /// Plays until the stream ends, breaks, stalls, or all is to end.
    ///
    /// - Parameter onMessage: takes the messages, each good until it returns.
    func play(onMessage: (UnsafePointer<GstStructure>) -> Void) -> Ending {
        let ending = player.play { message in
            beginIfNeeded()
            onMessage(message)
        }
        // What hangs may be at work on the segment, and holds on to it.
        if player.stop() { recorder?.finish() }
        return Ending(
            failure: ending.failure,
            isRefused: !watchdog.isThere && ending.failure?.hasPrefix("swiftodt: ") == true,
            isWhole: hasLength.read { $0 }, held: watchdog.held)
    }
}
