import CODTGStreamer
import GstFrames
import ODTPlayback
import SwiftODT

/// A playing pipeline whose results go to a ``ResultChannel``.
final class VideoSession: Sendable {
    struct Recording: Sendable {
        let path: String
        let encoder: String
        let quality: Int
        let mayReplace: Bool
    }

    private let channel: ResultChannel
    private let player: Player
    private let annotation: AnnotationPipeline
    private let feed: PictureFeed?
    private let file: PartFile?
    private let mayReplace: Bool
    /// Fulfilled when the pipeline has ended and the file of a recording is renamed or discarded.
    private let ended = Promise<Void>()

    /// Builds the pipeline, without playing it.
    ///
    /// - Throws: ``PlaybackError`` or ``ODTError``.
    init(_ source: VideoSource, _ options: VideoOptions, recording: Recording?, into channel: ResultChannel) throws {
        try Self.startGStreamer()
        let output = try recording.map { recording in
            guard (0...100).contains(recording.quality) else {
                throw ODTError(.invalidOption, "the quality \(recording.quality) is out of range; use 0 to 100")
            }
            return AnnotationPipeline.Output(
                try AnnotationPipeline.container(of: recording.path), encoder: recording.encoder,
                quality: .init(percent: recording.quality))
        }
        let input: AnnotationPipeline.Input =
            switch source {
            case .media(let name): .media(try MediaSource(name))
            case .pipeline(let description): .chain(description)
            case .pictures: .pictures
            }
        if let recording {
            if case .media(let media) = input, media.isFile(recording.path) {
                throw ODTError(.invalidOption, "\(recording.path) is the input; choose another output file")
            }
            if !recording.mayReplace, PathText.exists(recording.path) {
                throw ODTError(
                    .invalidOption, "\(recording.path) already exists; choose another file or allow replacing it")
            }
        }
        try options.check()
        let annotation = try AnnotationPipeline(input, output: output, properties: options.properties) {
            channel.warn($0)
        }
        let (pipeline, element) = (annotation.pipeline, annotation.pipeline["swiftodt"])
        let feed: PictureFeed? =
            if case .pictures(let folder, let rate) = source {
                try PictureFeed(folder: folder, framesPerSecond: rate, to: pipeline)
            } else {
                nil
            }
        file = try recording.map { try PartFile($0.path) }
        mayReplace = recording?.mayReplace ?? false
        if let file { annotation.write(to: file) }
        var configuration = Player.Configuration()
        configuration.endsAtSignals = false
        // When the task is cancelled, the stream need not end properly: an unfinished file is discarded.
        configuration.hasBegun = { false }
        configuration.end = {}
        if let feed { configuration.hasStarted = { feed.start() } }
        player = Player(pipeline, configuration) { channel.warn($0) }
        (self.channel, self.annotation, self.feed) = (channel, annotation, feed)
        Self.listen(to: pipeline, element, channel, includesFrames: options.includesFrames)
    }

    /// Plays until the end of the stream, on a separate thread that retains the session.
    func start() {
        let isStarted = DetachedThread.run {
            var ending = self.player.play { _ in }
            self.annotation.explain(&ending)
            let end = self.finish(ending)
            // A frame that waits for the task would prevent the elements from stopping, so the frame is released first.
            self.channel.close()
            // If the pipeline does not stop in time, its threads may still use this session, so the session is leaked
            // deliberately.
            if !self.player.stop() { _ = Unmanaged.passRetained(self) }
            self.channel.finish(end)
            self.ended.fulfil(.success(()))
        }
        if isStarted { return }
        file?.discard()
        channel.finish(.failure(.noThread))
        ended.fulfil(.success(()))
    }

    func cancel() {
        channel.cancel()
        player.askToEnd()
    }

    /// Waits until the pipeline has ended and the file of a recording is renamed or discarded, also in a cancelled task.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in ended.whenDone { continuation.resume() } }
    }

    /// Renames the annotated video after success, or discards it.
    private func finish(_ ending: Player.Ending) -> Result<Void, ODTError> {
        let failure = ending.failure.map { ODTError(channel.reason ?? ending.reason ?? .failed, $0) }
        guard let file else { return failure.map { .failure($0) } ?? .success(()) }
        if channel.isCancelled {
            file.discard()
            return .success(())
        }
        guard failure == nil, annotation.isUsable(file, after: ending) else {
            file.discard()
            return .failure(failure ?? ODTError(.failed, "no frame was written to \(file.target); check the input"))
        }
        do {
            try file.finish(replaces: mayReplace)
            return .success(())
        } catch {
            file.discard()
            return .failure(ODTError(playback: error))
        }
    }

    /// - Throws: ``ODTError`` if GStreamer does not start, or has no element swiftodt.
    private static func startGStreamer() throws {
        try PluginSearch.initializeGStreamer()
        guard isRegistered || Element.isInstalled("swiftodt") else {
            throw ODTError(
                .runtimeMissing,
                "GStreamer has no element swiftodt; link the product SwiftODTVideo, or install gstreamer1.0-swiftodt")
        }
    }

    /// Registers the element, which is linked into the program. Swift evaluates this constant only once.
    private static let isRegistered = swiftodt_register_linked_element() != 0

    private static func listen(
        to pipeline: Pipeline, _ element: Element, _ channel: ResultChannel, includesFrames: Bool
    ) {
        // The pipeline owns the element and the bus, so the unretained pointer is valid whenever the closure runs.
        nonisolated(unsafe) let source = UnsafeMutableRawPointer(element.pointer)
        pipeline.interceptMessages { message in
            // Another element swiftodt can be in front of this one.
            guard UnsafeMutableRawPointer(message.pointee.src) == source else { return true }
            if message.pointee.type == GST_MESSAGE_ERROR { channel.note(ErrorText.reason(of: message)) }
            guard message.pointee.type == GST_MESSAGE_ELEMENT, let structure = gst_message_get_structure(message) else {
                return true
            }
            let fields = MessageFields(structure)
            let name = fields.name
            guard ["swiftodt", "swiftodt-track", "swiftodt-zone"].contains(name) else { return true }
            let timestamp = name == "swiftodt" ? fields.count("timestamp") ?? .max : nil
            channel.add(PostedMessage(message), timestamp: timestamp)
            return false
        }
        guard let entry = element.pad("sink"), let exit = element.pad("src") else { return }
        // The pads own the probes, so the unretained pad pointers in these closures are valid whenever the closures
        // run.
        nonisolated(unsafe) let (input, output) = (entry.pointer, exit.pointer)
        entry.watchBuffers { _ in
            if input.isUpstreamLive() == true { channel.setLive() }
            return .remove
        }
        exit.watchBuffers { buffer in
            channel.pass(timestamp: UInt64(buffer.pointee.pts)) {
                guard includesFrames, let info = Pad.format(at: output) else { return nil }
                return try? Frame(copying: buffer, info: info)
            }
            return .ok
        }
    }
}
