import CODTGStreamer
import ODTPlayback
import SwiftODT
import Synchronization

/// One connection to a camera: its pipeline, from connecting to the end of the stream.
///
///     source ─ original ─┬─ analysis ─ gate ─ coded ─ video ─ swiftodt ─ seen ─┬─ end
///                        └─ recorder (original)                                ├─ pictures for the page
///                                                                              └─ recorder (annotated)
///
/// Parts that are not needed are omitted. The gate drops encoded frames before the decoder while the picture is calm.
final class CameraSession: Sendable {
    struct Ending {
        /// `nil` if the stream ended without an error.
        var failure: String?
        /// Whether the `swiftodt` element reported an error before the first frame. Reconnecting would fail in the same
        /// way.
        var isRefused = false
        /// Whether the source has a known duration, like a file. At its end, such a source is not connected again.
        var isWhole = false
        /// The time from the first frame to the last, in nanoseconds.
        var held: Nanoseconds = 0
        /// Whether all elements have stopped; `nil` if they stopped within the time limit of the player.
        var unfinished: Monitor<Bool>?
    }

    private let source: MediaSource
    private let pipeline: Pipeline
    private let player: Player
    private let watchdog: FrameWatchdog
    let recorder: CameraRecorder?
    let gate: CameraGate?
    /// The value of the property `orientation` by which `videoflip` rotates the frames; `nil` if the orientation tag of
    /// the video specifies the rotation.
    let appliedOrientation: String?
    private let hasLength: Monitor<Bool>
    private let beginIfNeeded: @Sendable () -> Void
    /// The counters at the end of the stream; `nil` while it plays.
    private let finalCounts = Mutex<[String: UInt64]?>(nil)

    /// - Parameters:
    ///   - frameTimeout: If no frame arrives for this time in nanoseconds, the camera counts as lost.
    ///   - recorded: Called for each finished segment of the recording.
    ///   - begin: Called once, after the first frame, on the thread that called ``play(onMessage:)``.
    ///   - tick: Called several times per second after the first frame, on the same thread.
    init(
        _ plan: CameraPlan, frameTimeout: Nanoseconds, page: LivePage?, crops: BestCrops?,
        times: FrameLatencies?, alarms: AlarmOptions,
        recording: Recording?, clips: ClipRecorder?,
        recorded: @escaping @Sendable (FinishedSegment) -> Void, begin: @escaping @Sendable () -> Void,
        tick: @escaping @Sendable () -> Void,
        notify: @escaping @Sendable (String) -> Void
    ) throws {
        let source = try MediaSource(plan.source)
        let isStream = source.path == nil && plan.source.lowercased().hasPrefix("rtsp")
        let shape = Shape(
            // Streams of cameras have no orientation tag.
            rotates: !isStream || plan.settings.contains { $0.word.hasPrefix("orientation=") },
            isFile: source.path != nil && !source.isCamera, isShown: page != nil, sendsPictures: crops != nil,
            recordsOriginal: recording?.options.isAnnotated == false,
            usesGate: plan.usesGate && recording?.options.isAnnotated != true, annotated: recording?.annotatedChain)
        let pipeline = try Pipeline(shape.description(of: source))
        source.setAddress(in: pipeline)
        let direction = try Self.set(plan, in: pipeline)
        // videoflip rotates the frames before inference. The pictures on the page and the reported coordinates then
        // have the same orientation.
        if shape.rotates { pipeline["upright"].set("video-direction", to: direction) }
        let orientation = shape.rotates ? Orientation(nick: direction) : .identity
        appliedOrientation = shape.rotates && orientation != nil ? direction : nil
        let watchdog = FrameWatchdog(longestCalm: shape.usesGate ? CameraGate.longestCalm : 0)
        let hasLength = Monitor(shape.isFile)
        if let pad = pipeline["video"].pad("sink") { watchdog.attach(at: pad) }
        if shape.usesGate, let pad = pipeline[shape.entry].pad("sink") { watchdog.attach(at: pad, isEncoded: true) }
        times?.attach(to: pipeline, encodedAt: shape.usesGate ? shape.entry : nil)
        crops?.attach(to: pipeline)
        if let time = alarms.picturePatience { PictureProbe.attach(to: pipeline, of: plan.name, patience: time) }
        if !shape.isFile, let pad = pipeline[shape.entry].pad("sink") { ArrivalTimestamps.complete(at: pad) }
        if let page { CameraPictures.begin(of: plan.name, in: pipeline, for: page) }
        let recorder = try recording.map {
            CameraRecorder(
                $0, camera: plan.name,
                content: try RecordedContent(
                    of: plan, isAnnotated: $0.options.isAnnotated, orientation: orientation),
                followsTag: orientation == nil, clips: clips, finished: recorded, notify: notify)
        }
        if shape.annotated != nil { recorder?.record(from: pipeline) }
        (self.pipeline, self.watchdog, self.hasLength, self.recorder) = (pipeline, watchdog, hasLength, recorder)
        self.source = source
        let isChosen = plan.settings.contains { $0.word.hasPrefix("strategy=") }
        let gate = shape.usesGate ? CameraGate(setsStrategy: !isChosen) : nil
        self.gate = gate
        let refuse: @Sendable (String) -> Void = { [weak pipeline] in pipeline?.refuse($0) }
        CameraSource.listen(
            to: pipeline["decoded"], keepsCoded: shape.recordsOriginal || shape.usesGate, frameTimeout: frameTimeout,
            linkPad: { [weak pipeline] pad, stream, isKnown in
                guard let pipeline else { return }
                if shape.isFile || (isKnown && !isStream) {
                    hasLength.update { $0 = true }
                    shape.playWhole(pipeline, choosesStrategy: !isChosen)
                    if shape.isShown { notify("the file plays at its own speed because of --page") }
                }
                if shape.recordsOriginal, let recording, let recorder {
                    Self.branch(
                        recording.chain(for: stream.name), in: pipeline, recorder, isWhole: hasLength.read { $0 },
                        notify: notify)
                }
                if let gate {
                    let kind: CameraGate.Source = shape.isFile ? .file : hasLength.read { $0 } ? .video : .camera
                    do {
                        let reason = try gate.insert(into: pipeline, for: stream.name, from: kind)
                        if let reason { notify("all frames are decoded: \(reason)") }
                    } catch { pipeline.refuse("\(error)") }
                }
                Self.link(pad, stream, to: shape.entry, in: pipeline)
            }, refuse: refuse)
        if shape.splitsCoded {
            CameraSource.listen(
                to: pipeline["coded"], keepsCoded: false, frameTimeout: frameTimeout, skipsParsers: shape.usesGate,
                linkPad: { [weak pipeline] pad, stream, _ in
                    if let pipeline { Self.link(pad, stream, to: "video", in: pipeline) }
                }, refuse: refuse)
        }
        let first: @Sendable () -> Void = {
            if watchdog.hasFirstFrame, !watchdog.isReported.exchange(true, ordering: .relaxed) { begin() }
        }
        beginIfNeeded = first
        var configuration = Player.Configuration()
        configuration.hasBegun = { watchdog.hasFirstFrame }
        // The end-of-stream event makes the element report the end of active tracks. It is sent to the first element
        // behind the source, because a stalled source does not react to events.
        configuration.end = { [weak pipeline] in pipeline?[shape.entry].pad("sink")?.endStream() }
        configuration.survives = { !["swiftodt", "video"].contains($0) }
        let camera = plan.name
        configuration.tickInterval = 250_000_000
        configuration.tick = {
            if let gate, let page { gate.set(isWatched: page.wantsPictures(of: camera)) }
            first()
            if watchdog.hasFirstFrame { tick() }
        }
        configuration.trouble = {
            guard !hasLength.read({ $0 }), watchdog.silence > frameTimeout else { return nil }
            let seconds = (Double(frameTimeout) / 1e7).rounded() / 100
            return "no frame for \(JSONValue.number(seconds).text) s"
        }
        player = Player(pipeline, configuration, notify: notify)
    }

    // MARK: The pipeline

    private struct Shape: Sendable {
        /// Whether frames may need rotation. Even without rotation, `videoflip` copies every frame.
        let rotates: Bool
        let isFile: Bool
        let isShown: Bool
        let sendsPictures: Bool
        let recordsOriginal: Bool
        let usesGate: Bool
        /// The description of the branch that records annotated frames; `nil` if annotated frames are not recorded.
        let annotated: String?

        /// The name of the element to which the source is linked.
        var entry: String { splitsCoded ? "original" : "video" }

        /// Whether the encoded stream is used before it is decoded.
        var splitsCoded: Bool { recordsOriginal || usesGate }

        func description(of source: MediaSource) -> String {
            // A camera is live, so frames that arrive while the element is busy are dropped. A file can wait, so no
            // frame is dropped.
            let (leaky, strategy) = isFile ? ("no", "auto") : ("downstream", "keep-only-latest")
            var text = source.description
            if usesGate {
                // The queue and the decoder are linked by ``CameraGate/insert(into:for:from:)`` when the codec is
                // known.
                text += " tee name=original ! \(CameraGate.queue) decodebin name=coded"
            } else if recordsOriginal {
                text += " tee name=original ! queue max-size-buffers=0 max-size-time=2000000000 ! decodebin name=coded"
            }
            // A file is read faster than it is analysed. With a queue, the gate would receive further frames before the
            // element reports the activity in a key frame (`swiftodt-activity`).
            let queue =
                isFile && usesGate
                ? "identity name=video"
                : "queue name=video leaky=\(leaky) max-size-buffers=3 max-size-bytes=0 max-size-time=0"
            text +=
                " \(queue) ! videoconvert ! \(rotates ? "videoflip name=upright ! " : "")"
                + "swiftodt name=swiftodt multiple-objects=true max-objects=100 strategy=\(strategy) "
                + "draw=\(isShown || annotated != nil) ! tee name=seen ! fakesink name=end sync=false"
            if isShown { text += CameraPictures.description }
            if sendsPictures { text += BestCrops.description }
            if let annotated { text += " seen. ! " + annotated }
            return text
        }

        /// Configures the pipeline for a source of known duration, such as a file. No frame is dropped. With a live
        /// page, the source is played at normal speed.
        func playWhole(_ pipeline: Pipeline, choosesStrategy: Bool) {
            if pipeline["video"].has("leaky") { pipeline["video"].set("leaky", to: "no") }
            if choosesStrategy { pipeline["swiftodt"].set("strategy", to: "auto") }
            if annotated != nil { Recording.keepEveryFrame(of: pipeline) }
            if isShown { pipeline["end"].set("sync", to: "true") }
            if sendsPictures { pipeline["cropped"].set("leaky", to: "no") }
        }
    }

    /// Sets the properties of the element, except `orientation`, whose value it returns.
    private static func set(_ plan: CameraPlan, in pipeline: Pipeline) throws -> String {
        let element = pipeline["swiftodt"]
        element.set("source", to: plan.name)
        for setting in plan.settings { try setting.set(of: element) }
        RedactionRequest.enableDrawing(of: element, unless: plan.settings.contains { $0.word.hasPrefix("draw=") })
        // The element attaches its result to each frame as metadata. Pictures of objects are cropped at the boxes in
        // this metadata.
        let metadata = element.text(of: "attach-meta")
        if plan.takesPictures, !metadata.contains("custom") {
            element.set("attach-meta", to: metadata.isEmpty || metadata == "0x0" ? "custom" : metadata + "+custom")
        }
        defer { element.set("orientation", to: "identity") }
        return element.text(of: "orientation")
    }

    private static func link(_ pad: Pad, _ stream: StreamKind, to entry: String, in pipeline: Pipeline) {
        guard let sink = pipeline[entry].pad("sink"), pad.link(to: sink) else {
            return pipeline.refuse("cannot use the video stream: GStreamer decodes it to \(stream.text)")
        }
    }

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
            else { throw PlaybackError("GStreamer cannot link \(chain)") }
        } catch {
            notify("cannot record: \(error)")
        }
    }

    /// The counters of the element's property `stats`. The names of nested counters contain a dot.
    var elementCounts: [String: UInt64] {
        if let counts = finalCounts.withLock({ $0 }) { return counts }
        return pipeline["swiftodt"].read("stats") { stats in
            var counts: [String: UInt64] = [:]
            for name in ["frames", "detections", "skipped", "redacted", "coalesced-messages"] {
                counts[name] = stats.count(name)
            }
            for group in ["inferences", "rejected", "turns"] {
                guard let fields = stats.structure(group) else { continue }
                for name in fields.names { counts["\(group).\(name)"] = fields.count(name) }
            }
            return counts.merging(gate?.counts ?? [:]) { own, _ in own }
        } ?? [:]
    }

    // MARK: Playing

    /// Ends the stream. May be called on any thread, also before ``play(onMessage:)``.
    func askToEnd() { player.askToEnd() }

    /// Plays the stream until it ends, fails or stalls, or until `odt watch` ends.
    ///
    /// - Parameter onMessage: Receives the messages of the element. Each message is valid only during the call.
    func play(onMessage: (UnsafePointer<GstStructure>) -> Void) -> Ending {
        let ending = player.play { message in
            beginIfNeeded()
            onMessage(message)
        }
        let counts = elementCounts
        finalCounts.withLock { $0 = counts }
        // A blocked element may still write to the recorded segment. The segment is therefore finished only if all
        // elements have stopped, or after the end of the stream has arrived, when no element writes any more.
        let isStopped = player.stop()
        if isStopped || ending.isWhole || recorder?.hasEnded.read({ $0 }) == true {
            recorder?.finish(discardsRedacted: ending.hasRedactionFault)
        } else if let recorder {
            DetachedThread.run { [hasStopped = player.hasStopped] in
                hasStopped.wait { $0 ? () : nil }
                recorder.finish(discardsRedacted: ending.hasRedactionFault)
            }
        }
        // After the first frame, the address is known to be right.
        let explained = watchdog.hasFirstFrame ? nil : ending.failure.flatMap(source.explained)
        return Ending(
            failure: explained ?? ending.failure,
            isRefused: !watchdog.hasFirstFrame && ending.isRaisedBySwiftODT,
            isWhole: hasLength.read { $0 }, held: watchdog.held, unfinished: isStopped ? nil : player.hasStopped)
    }
}
