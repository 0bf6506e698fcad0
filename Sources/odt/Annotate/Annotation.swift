import CODTGStreamer
import Glibc
import ODTPlayback
import SwiftODT

/// Annotates one input: writes its annotated video, its messages and its tables.
final class Annotation: Sendable {
    struct Plan: Sendable {
        /// Properties of the element as NAME=VALUE.
        var settings: [String] = []
        var encoder = "auto"
        var quality = VideoEncoder.Quality(percent: VideoEncoder.Quality.usual)
        var mayReplace = false
        /// Whether the input is one of several, so that each message to the user has to name the input.
        var isOneOfMany = false
    }

    /// `signal` is the number of the signal that ended the stream; `nil` if no signal ended it.
    struct Outcome {
        var code: Int32
        var signal: Int32?
    }

    private let source: MediaSource
    private let outputs: AnnotationOutputs

    private let files: AnnotationFiles
    private let annotation: AnnotationPipeline
    private let progress: Progress

    private let player: Player
    private let pictures: TrackPictures?

    /// Builds the pipeline and creates the files, but does not start playing. If this fails, no existing file has been
    /// changed.
    init(_ source: MediaSource, _ outputs: AnnotationOutputs, _ plan: Plan) throws {
        (self.source, self.outputs) = (source, outputs)
        let output = try outputs.video.map {
            AnnotationPipeline.Output(
                try AnnotationPipeline.container(of: $0), encoder: plan.encoder, quality: plan.quality)
        }
        try outputs.check(against: source, plan.settings, mayReplace: plan.mayReplace)
        // `notify` clears the progress line before it prints, but the pipeline needs `notify` before the progress line
        // exists. `shown` is therefore `nil` at first and holds the progress line later.
        let shown = Monitor<Progress?>(nil)
        let subject = plan.isOneOfMany ? "odt annotate: \(source.addressWithoutPassword): " : "odt annotate: "
        let notify: @Sendable (String) -> Void = { text in
            shown.read { $0 }?.clear()
            printError(subject + text)
        }
        let annotation = try AnnotationPipeline(
            .media(source), output: output, properties: ["multiple-objects=true", "max-objects=100"] + plan.settings,
            notify: notify)
        let pipeline = annotation.pipeline
        RedactionRequest.enableDrawing(
            of: pipeline["swiftodt"], unless: plan.settings.contains { $0.hasPrefix("draw=") })
        // Pictures are cropped before annotations are drawn. They would therefore show the objects that the drawing
        // redacts.
        if outputs.pictures != nil, let redaction = RedactionRequest(of: pipeline["swiftodt"]) {
            throw PlaybackError(
                "--crops would show what '\(redaction.properties)' redacts: leave out one of them", isUsage: true)
        }
        self.annotation = annotation
        let progress = Progress(of: pipeline, name: source.name)
        self.progress = progress
        shown.update { $0 = progress }
        for left in outputs.video.map(PartFile.interrupted) ?? [] {
            notify("an earlier recording was interrupted; its unfinished file is \(left)")
        }
        // If the folder cannot be created, no output file has been created yet.
        pictures = try outputs.pictures.map { try TrackPictures(into: $0, from: pipeline) }
        let files = try AnnotationFiles(outputs)
        self.files = files
        var configuration = Player.Configuration()
        let (hasPosted, isAbandoned) = (hasPosted, Monitor(false))
        let hasBegun = { @Sendable in progress.frames > 0 || hasPosted.read { $0 } }
        configuration.hasBegun = { hasBegun() && !isAbandoned.read { $0 } }
        configuration.survives = { $0 != "file" }
        // If the stream ends before its first frame, the muxer must not get an end-of-stream event: it would fail or
        // write a file without frames.
        configuration.end = { if hasBegun() { annotation.endStreams() } else { isAbandoned.update { $0 = true } } }
        configuration.leave = { notify("stopped at once" + files.leftBehind) }
        configuration.tick = { progress.show() }
        // A slow reader of the outputs slows a file down. A live source cannot wait, so results are merged.
        if source.path != nil, !source.isCamera { configuration.maximumUnread = 256 }
        player = Player(pipeline, configuration, notify: notify)
        self.notify = notify
        if let pad = pipeline["swiftodt"].pad("src") { progress.watch(pad) }
        if let video = files.video { annotation.write(to: video) }
    }

    private let notify: @Sendable (String) -> Void
    /// Whether the element has posted a message. It posts the first one after the first frame has arrived.
    private let hasPosted = Monitor(false)

    // MARK: Playing

    func run() -> Outcome {
        let begun = MonotonicClock.now
        let reportsTracks = reportsTracks
        var trackCount = 0
        var frames = FrameTable()
        var export = TrackExport()
        var replacements = IDReplacements()
        var isRead = true
        write(TableRow.text(FrameTable.header), to: files.frameTable, &isRead)
        write(TableRow.text(TrackTable.header), to: files.trackTable, &isRead)
        write(TableRow.text(EventTable.header), to: files.eventTable, &isRead)
        var ending = player.play { message in
            hasPosted.update { $0 = true }
            write(line(of: message), to: files.messages, &isRead)
            let fields = MessageFields(message)
            if files.eventTable != nil, let row = EventTable.row(of: fields) {
                write(row, to: files.eventTable, &isRead)
            }
            switch fields.name {
            case "swiftodt":
                pictures?.see(fields)
                if !files.exports.isEmpty { export.add(fields) }
                if files.frameTable != nil { write(frames.rows(of: fields), to: files.frameTable, &isRead) }
            case "swiftodt-track":
                trackCount += TrackTable.objectCountChange(of: fields)
                if let change = replacements.take(fields) {
                    export.rename(change.from, to: change.to)
                    pictures?.rename(change.from, to: change.to)
                }
                writePicture(fields)
                if let row = TrackTable.row(of: fields) { write(row, to: files.trackTable, &isRead) }
            default: break
            }
        }
        annotation.explain(&ending)
        if let statistics = annotation.pipeline["swiftodt"].structure(of: "stats") {
            reportMerged(MessageFields(statistics.pointer))
            write(MessageText.line(statistics.pointer, name: "stats"), to: files.messages, &isRead)
        }
        let name = AnnotationBatch.name(of: source.name)
        for (format, output) in files.exports where isRead || output.name != "-" {
            do {
                try output.write(export.text(as: format, of: name.stem + name.ending))
            } catch is BrokenPipe {
                isRead = false
            } catch {
                if ending.failure == nil {
                    ending.failure = "cannot write \(output.name): \(error)"
                    ending.reason = ODTError(playback: error).reason
                }
            }
        }
        progress.clear()
        if ending.isWhole, ending.signal == nil, ending.failure == nil, isRead, let truncation = progress.truncation {
            notify(truncation)
        }
        // The files are finished before the elements stop, because stopping a stalled source may take long.
        let outcome = close(ending, isRead: isRead)
        if outcome.code != ExitCode.success { pictures?.discardEmptyFolder() }
        if outcome.code == ExitCode.success, let written = outputs.written {
            let objects = reportsTracks ? ", " + CountText.text(trackCount, "object") : ""
            let seconds = DecimalText.text(Double(MonotonicClock.now - begun) / 1e9, decimals: 1)
            inform("wrote \(written): \(CountText.text(progress.frames, "frame"))\(objects), \(seconds) s")
        }
        // If an element is still blocked, its callbacks may use this object later, so the object is never freed.
        if !player.stop() { _ = Unmanaged.passRetained(self) }
        return outcome
    }

    /// Returns a message as a line of JSON. The line names an orientation that the user has chosen, because
    /// `odt report` has to rotate the input likewise.
    private func line(of message: UnsafePointer<GstStructure>) -> String {
        guard let orientation = annotation.appliedOrientation else { return MessageText.line(message) }
        let message = OwnedStructure(copying: message)
        message.set("applied-orientation", to: orientation)
        return MessageText.line(message.pointer)
    }

    /// Reports results that are missing because the reader of the outputs was slower than a live source.
    private func reportMerged(_ statistics: MessageFields) {
        guard annotation.pipeline["swiftodt"].text(of: "message-interval") == "0",
            let count = statistics.count("coalesced-messages"), count > 0
        else { return }
        notify("\(CountText.text(Int(clamping: count), "result")) are missing: the outputs were read too slowly")
    }

    /// Whether the element posts a message at the start of each track.
    private var reportsTracks: Bool {
        let element = annotation.pipeline["swiftodt"]
        return element.text(of: "tracking") == "true" && element.text(of: "track-events") == "true"
            && element.text(of: "mode") == "stream"
    }

    private func writePicture(_ track: MessageFields) {
        do { try pictures?.end(track) } catch {
            player.fail("cannot write a picture: \(error)", ODTError(playback: error).reason)
        }
    }

    private func write(_ text: String, to output: TextOutput?, _ isRead: inout Bool) {
        guard let output, isRead || output.name != "-" else { return }
        do {
            try output.write(text)
        } catch is BrokenPipe {
            // If the reader closes the pipe, the other outputs are still completed. The exit code is then that of
            // SIGPIPE.
            isRead = false
            if outputs.names == [output.name] { player.askToEnd() }
        } catch {
            player.fail("cannot write \(output.name): \(error)", ODTError(playback: error).reason)
        }
    }

    /// Renames the files to their final names after success. After a failure the files keep their temporary names, or
    /// are deleted if they contain nothing usable.
    private func close(_ ending: Player.Ending, isRead: Bool) -> Outcome {
        let isUsable =
            files.video.map { annotation.isUsable($0, after: ending) }
            ?? (progress.frames > 0 && (ending.failure != nil || ending.isWhole))
        guard isUsable else {
            // A failure after a signal is only a consequence of the signal, so it is not reported.
            let failure = ending.signal == nil ? ending.failure : nil
            notify(failure ?? "nothing was recorded from \(source.addressWithoutPassword)")
            files.discard()
            return Outcome(code: ending.signal.map { 128 + $0 } ?? ExitCode.of(ending.reason), signal: ending.signal)
        }
        var (failure, code) = (ending.failure, ExitCode.of(ending.reason))
        if failure == nil {
            do { try files.finish() } catch { (failure, code) = ("\(error)", ExitCode.of(error)) }
        }
        if let failure {
            // The element reports some faults only at the end, so the frames that were written may lack redaction.
            if ending.hasRedactionFault, let video = files.video,
                RedactionRequest(of: annotation.pipeline["swiftodt"]) != nil
            {
                video.discard()
                notify(failure + "; the video was deleted, because its redaction is not guaranteed" + files.leftBehind)
            } else {
                notify(failure + files.leftBehind)
            }
            return Outcome(code: code, signal: ending.signal)
        }
        return Outcome(code: isRead ? ExitCode.success : 128 + SIGPIPE, signal: ending.signal)
    }
}
