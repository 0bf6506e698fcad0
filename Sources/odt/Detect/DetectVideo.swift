import Glibc
import ODTPlayback
import SwiftODT

/// Records the detections in a video to a file for the element's `detector=recorded`.
struct VideoDetection {
    private let source: MediaSource
    private let file: String
    private let pipeline: Pipeline
    private let progress: Progress
    private let part: VideoPart?
    private let mayReplace: Bool

    /// - Parameters:
    ///   - settings: Properties of the element, as NAME=VALUE.
    ///   - range: The stream times of the frames to process, in nanoseconds; `nil` for all.
    ///   - mayReplace: Whether to replace an existing recording.
    init(_ video: String, into file: String, settings: [String], range: Range<Nanoseconds>? = nil, mayReplace: Bool)
        throws
    {
        source = try MediaSource(video)
        (self.file, self.mayReplace) = (file, mayReplace)
        guard !source.isFile(file) else { throw CommandLineError("\(file) is the video: choose another file.") }
        if !mayReplace, Self.isWhole(file) {
            throw CommandLineError("\(file) is already a complete recording; use --force to replace it.")
        }
        pipeline = try Pipeline(
            "\(source.description) videoconvert name=video ! videoflip name=upright video-direction=auto "
                + "! swiftodt name=swiftodt ! fakesink sync=false")
        source.setAddress(in: pipeline)
        progress = Progress(of: pipeline, name: video)
        let element = pipeline["swiftodt"]
        // Only detections are recorded, so tracking is off. The exception is `zoom=auto`, which needs tracks to choose
        // regions. Frames are turned upright before they reach the element, as in `odt annotate`.
        for word in [
            "orientation=identity", "draw=false", "tracking=\(settings.contains("zoom=auto"))", "updates=none",
            "track-events=false", "strategy=every-frame", "record-existing=\(mayReplace ? "replace" : "resume")",
        ] + settings { try PropertySetting.set(word, of: element) }
        try PropertySetting.set("record-detections=\(file)", of: element)
        if let pad = element.pad("src") { progress.watch(pad) }
        let entry = pipeline["video"].pad("sink")
        if let range, let entry {
            part = VideoPart(range, at: entry, refuse: { [weak pipeline] in pipeline?.refuse($0) })
        } else {
            part = nil
        }
    }

    /// Processes the frames and returns the exit code. Errors are printed to standard error.
    func run() -> Int32 {
        let (progress, begun) = (progress, MonotonicClock.now)
        let notify: @Sendable (String) -> Void = { text in
            progress.clear()
            printError("odt detect: \(text)")
        }
        if !mayReplace, let place = Self.place(file) { notify("\(file) is incomplete: resuming after \(place)") }
        let linker = StreamLinker(videoOf: pipeline, notify: notify)
        defer { withExtendedLifetime(linker) {} }
        var configuration = Player.Configuration()
        // The element writes each line of the recording at once, so an interrupted stream needs no end-of-stream event.
        // Such an event would mark the recording as complete.
        configuration.hasBegun = { false }
        configuration.end = {}
        configuration.tick = { progress.show() }
        let player = Player(pipeline, configuration, notify: notify)
        var ending = player.play { _ in }
        let truncation = ending.isWhole && ending.signal == nil && part == nil ? progress.truncation : nil
        player.stop()
        source.explain(&ending)
        progress.clear()
        if let truncation { notify(truncation) }
        if let failure = ending.failure { notify(failure.replacing("record-existing=replace", with: "--force")) }
        guard ending.failure == nil, ending.signal == nil, Self.isWhole(file) else {
            if let place = Self.place(file) {
                // After an error about an option or redaction, the same command fails again.
                if ending.reason != .invalidOption, ending.reason != .redactionNotGuaranteed {
                    notify("\(file) is complete up to \(place) and can be used; the same command resumes it")
                }
            } else if ending.failure == nil, ending.signal == nil {
                let range = part == nil ? "" : " in the given time range"
                notify("nothing was recorded: \(source.addressWithoutPassword) has no frames\(range)")
            }
            return ending.signal.map { 128 + $0 } ?? ExitCode.of(ending.reason)
        }
        if let part { print(part.report) }
        let seconds = DecimalText.text(Double(MonotonicClock.now - begun) / 1e9, decimals: 1)
        notify("wrote \(file): \(CountText.text(progress.frames, "frame")), \(seconds) s")
        return ExitCode.success
    }

    private static func isWhole(_ file: String) -> Bool { (try? RecordingReader(file))?.end != nil }

    /// Returns the key (time or number) of the last frame of an incomplete recording; `nil` if the recording is
    /// complete or cannot be read.
    private static func place(_ file: String) -> FrameKey? {
        guard let reader = try? RecordingReader(file), reader.header != nil, reader.end == nil else { return nil }
        return reader.last
    }
}
