import CGStreamer
import Glibc
import Playback
import SwiftODT

/// Annotates one input: writes its annotated video, its messages and its tables.
final class Annotation: Sendable {
    /// The settings that all inputs of a command line share.
    struct Plan: Sendable {
        /// Properties of the element as NAME=VALUE.
        var settings: [String] = []
        var encoder = "auto"
        var quality = VideoEncoder.Quality(percent: VideoEncoder.Quality.usual)
        var mayReplace = false
        /// Whether the input is one of several, so that each message to the user has to name the input.
        var isOneOfMany = false
    }

    /// The result of annotating one input. `signal` is the number of the signal that ended the stream; `nil` if none
    /// did.
    struct Outcome {
        var code: Int32
        var signal: Int32?
    }

    private let source: MediaSource
    private let outputs: AnnotationOutputs
    /// The container format of the annotated video; `nil` if no video is written.
    private let container: Container?
    private let files: AnnotationFiles
    private let pipeline: Pipeline
    private let progress: Progress
    private let linker: StreamLinker
    /// The `videocrop` element that crops frames to an even width and height. The probe on its pad holds only a weak
    /// reference to the element, so this property keeps it alive.
    private let even: Element?
    private let player: Player
    private let pictures: TrackPictures?

    /// Builds the pipeline and creates the files, but does not start playing.
    ///
    /// - Throws: ``PlaybackError`` if the pipeline or the files cannot be created. In that case no existing file has
    ///   been changed.
    init(_ source: MediaSource, _ outputs: AnnotationOutputs, _ plan: Plan) throws {
        (self.source, self.outputs) = (source, outputs)
        let container = try outputs.video.map(Self.container)
        self.container = container
        try outputs.check(against: source, mayReplace: plan.mayReplace)
        let pipeline = try Pipeline(Self.description(source, container, plan))
        source.give(to: pipeline)
        try Self.set(plan.settings, in: pipeline)
        // The pictures are cut from the video without annotations.
        if outputs.pictures != nil, let redaction = RedactionRequest(of: pipeline["swiftodt"]) {
            throw PlaybackError(
                "--crops would show what '\(redaction.word)' redacts: leave out one of them", isUsage: true)
        }
        self.pipeline = pipeline
        even = container == nil ? nil : pipeline["even"]
        let progress = Progress(of: pipeline, name: PartFile.parts(of: source.name).stem)
        self.progress = progress
        let subject = plan.isOneOfMany ? "odt annotate: \(source.name): " : "odt annotate: "
        let notify: @Sendable (String) -> Void = { text in
            progress.clear()
            printError(subject + text)
        }
        for left in outputs.video.map(PartFile.interrupted) ?? [] {
            notify("an earlier recording was interrupted; its unfinished file is \(left)")
        }
        let files = try AnnotationFiles(outputs)
        self.files = files
        let linker = StreamLinker(
            pipeline, muxer: container == nil ? nil : pipeline["mux"], soundEncoder: container?.soundEncoder ?? "",
            notify: notify,
            refuse: { pipeline.refuse($0) })
        self.linker = linker
        var configuration = Player.Configuration()
        let (hasLogged, isAbandoned) = (hasLogged, Monitor(false))
        let hasBegun = { @Sendable in progress.frames > 0 || hasLogged.read { $0 } }
        configuration.hasBegun = { hasBegun() && !isAbandoned.read { $0 } }
        configuration.survives = { $0 != "file" }
        // If the stream ends before the first frame, there is no recording to complete. A muxer whose streams end
        // before any data either fails or writes a file without frames.
        configuration.end = { if hasBegun() { linker.endStreams() } else { isAbandoned.update { $0 = true } } }
        configuration.leave = { notify("stopped at once" + files.leftBehind) }
        configuration.tick = { progress.show() }
        player = Player(pipeline, configuration, notify: notify)
        self.notify = notify
        pictures = outputs.pictures.flatMap { folder in
            pipeline["swiftodt"].pad("sink").map { TrackPictures(into: folder, from: $0) }
        }
        prepare()
    }

    private let notify: @Sendable (String) -> Void
    /// Whether the element has posted a message, which means that the first frame has arrived.
    private let hasLogged = Monitor(false)
    /// Whether a frame has reached the muxer. A frame that has passed the element may still be lost, because an
    /// end-of-stream event can overtake it.
    private let hasRecorded = Monitor(false)

    // MARK: The pipeline

    private static func container(of video: String) throws -> Container {
        guard let container = Container.named(PartFile.parts(of: video).ending) else {
            throw PlaybackError(
                "\(video) needs one of the extensions \(Container.endings.joined(separator: ", "))",
                isUsage: true)
        }
        return container
    }

    private static func description(_ source: MediaSource, _ container: Container?, _ plan: Plan) throws -> String {
        let chain =
            "videoconvert name=video ! videoflip name=upright ! swiftodt name=swiftodt multiple-objects=true max-objects=100"
        guard let container else { return "\(source.description) \(chain) draw=false ! fakesink name=file sync=false" }
        let encoder = try VideoEncoder.choose(container.codec, wish: plan.encoder, quality: plan.quality)
        return "\(source.description) \(chain) ! queue ! videoconvert ! video/x-raw,format=\(encoder.format) "
            + "! videocrop name=even ! \(encoder.description(quality: plan.quality, isLive: source.isCamera)) "
            + "! queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! \(container.muxer) name=mux "
            + "! filesink name=file buffer-mode=unbuffered"
    }

    private static func set(_ settings: [String], in pipeline: Pipeline) throws {
        let (element, upright) = (pipeline["swiftodt"], pipeline["upright"])
        for word in settings { try PropertySetting.set(word, of: element) }
        RedactionRequest.allow(of: element, unless: settings.contains { $0.hasPrefix("draw=") })
        // Frames are rotated before inference, so that the recorded video and the reported coordinates agree.
        upright.set("video-direction", to: element.text(of: "orientation"))
        element.set("orientation", to: "identity")
    }

    private func prepare() {
        linker.listen(to: pipeline["decoded"])
        if let pad = pipeline["swiftodt"].pad("src") { progress.watch(pad) }
        guard let video = files.video else { return }
        pipeline["file"].setFile(video.path)
        EncoderStart.keep(of: pipeline["encoder"])
        let slot = pipeline["mux"].pad("video_0")
        let hasRecorded = hasRecorded
        slot?.watchBuffers { _ in
            hasRecorded.update { $0 = true }
            return .remove
        }
        even?.pad("sink")?.watchEvents { [weak even] event in
            guard event.pointee.type == GST_EVENT_CAPS else { return .ok }
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            var picture = GstVideoInfo()
            guard gst_video_info_from_caps(&picture, caps) != 0 else { return .ok }
            // H.264 with subsampled chroma needs an even width and height. An odd last row or column of pixels is
            // cropped.
            even?.set("right", to: String(picture.width % 2))
            even?.set("bottom", to: String(picture.height % 2))
            // The muxer uses a timescale of 90,000 units per second if the frame rate is variable or if the frame
            // duration is a whole number of these units. For other frame rates the muxer's default timescale is more
            // exact.
            if let slot, picture.fps_n == 0 || 90_000 * Int(picture.fps_d) % Int(picture.fps_n) == 0 {
                slot.set("trak-timescale", to: "90000")
            }
            return .ok
        }
    }

    // MARK: Playing

    /// Plays the input until its end and finishes the files.
    func run() -> Outcome {
        let begun = MonotonicClock.now
        let reportsTracks = reportsTracks
        var trackCount = 0
        var frames = FrameTable()
        var isRead = true
        write(TableRow.text(FrameTable.header), to: files.frameTable, &isRead)
        write(TableRow.text(TrackTable.header), to: files.trackTable, &isRead)
        let ending = player.play { message in
            hasLogged.update { $0 = true }
            write(MessageText.line(message), to: files.messages, &isRead)
            let fields = MessageFields(message)
            switch fields.name {
            case "swiftodt":
                pictures?.see(fields)
                if files.frameTable != nil { write(frames.rows(of: fields), to: files.frameTable, &isRead) }
            case "swiftodt-track":
                if fields.text("event") == "begin" { trackCount += 1 }
                writePicture(fields)
                if let row = TrackTable.row(of: fields) { write(row, to: files.trackTable, &isRead) }
            default: break
            }
        }
        if let statistics = pipeline["swiftodt"].structure(of: "stats") {
            write(MessageText.line(statistics.pointer, name: "stats"), to: files.messages, &isRead)
        }
        progress.clear()
        // The files are finished before the elements stop, because stopping a stalled source may take long.
        let outcome = close(ending, isRead: isRead)
        if outcome.code == ExitCode.success, let written = outputs.written {
            let objects = reportsTracks ? ", " + CountText.text(trackCount, "object") : ""
            let seconds = DecimalText.text(Double(MonotonicClock.now - begun) / 1e9, decimals: 1)
            inform("wrote \(written): \(CountText.text(progress.frames, "frame"))\(objects), \(seconds) s")
        }
        // If an element is still blocked, its callbacks may use this object, so it is leaked deliberately.
        if !player.stop() { _ = Unmanaged.passRetained(self) }
        return outcome
    }

    /// Whether the element posts a message at the begin of each track.
    private var reportsTracks: Bool {
        let element = pipeline["swiftodt"]
        return element.text(of: "tracking") == "true" && element.text(of: "track-events") == "true"
            && element.text(of: "mode") == "stream"
    }

    private func writePicture(_ track: MessageFields) {
        do { try pictures?.end(track) } catch { player.fail("cannot write a picture: \(error)") }
    }

    private func write(_ text: String, to output: TextOutput?, _ isRead: inout Bool) {
        guard let output, isRead else { return }
        do {
            try output.write(text)
        } catch is BrokenPipe {
            // A closed pipe is not a failure. The recording ends properly.
            isRead = false
            player.askToEnd()
        } catch {
            let what =
                output === files.messages
                ? "the messages" : output === files.frameTable ? "the frame table" : "the track table"
            player.fail("cannot write \(what): \(error)")
        }
    }

    /// Renames the files to their final names after success. After a failure the files keep their temporary names, or
    /// are deleted if they contain nothing usable.
    private func close(_ ending: Player.Ending, isRead: Bool) -> Outcome {
        var isUsable = files.video.map { $0.size != 0 && hasRecorded.read { $0 } } ?? (progress.frames > 0)
        // The player does not wait for the end of a stream that is interrupted before its first frame. Even if a frame
        // has arrived in the meantime, the file is incomplete.
        if ending.failure == nil, !ending.isWhole { isUsable = false }
        // A frame that reached the muxer during the interrupt may be missing from the file.
        if isUsable, ending.failure == nil, ending.signal != nil, let container, let video = files.video {
            isUsable = container.holdsPicture(video.path)
        }
        guard isUsable else {
            // If a signal interrupted the stream, a failure is only a consequence of the interrupt.
            let failure = ending.signal == nil ? ending.failure : nil
            notify(failure ?? "nothing was recorded from \(source.name)")
            files.discard()
            return Outcome(code: ending.signal.map { 128 + $0 } ?? ExitCode.failure, signal: ending.signal)
        }
        var failure = ending.failure
        if failure == nil {
            do { try files.finish() } catch { failure = "\(error)" }
        }
        if let failure {
            notify(failure + files.leftBehind)
            return Outcome(code: ExitCode.failure, signal: ending.signal)
        }
        return Outcome(code: isRead ? ExitCode.success : 128 + SIGPIPE, signal: ending.signal)
    }
}
