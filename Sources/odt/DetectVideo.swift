import Glibc
import Playback
import SwiftODT

/// A video whose detections are recorded, for the element's `detector=recorded`.
struct VideoDetection {
    private let source: MediaSource
    private let file: String
    private let pipeline: Pipeline
    private let progress: Progress
    /// Where not all of the video is looked at.
    private let part: VideoPart?

    /// - Parameters:
    ///   - settings: properties of the element, as NAME=VALUE.
    ///   - range: the times of the frames that are looked at; `nil` for all.
    ///   - mayReplace: whether a recording that is whole gives way.
    /// - Throws: ``CommandLineError`` where the file must not be written, ``PlaybackError`` where the video cannot be played.
    init(_ video: String, into file: String, settings: [String], range: Range<Nanoseconds>? = nil, mayReplace: Bool)
        throws
    {
        source = try MediaSource(video)
        self.file = file
        guard !source.isFile(file) else { throw CommandLineError("\(file) is the video itself.") }
        if !mayReplace, Self.isWhole(file) {
            throw CommandLineError("\(file) is there already, and whole; --force looks again.")
        }
        pipeline = try Pipeline(
            "\(source.description) videoconvert name=video ! videoflip name=upright video-direction=auto "
                + "! swiftodt name=swiftodt ! fakesink sync=false")
        source.give(to: pipeline)
        progress = Progress(of: pipeline, name: FilePath.stem(of: video))
        let element = pipeline["swiftodt"]
        // Nothing but the answers is asked for, and what is followed only where that says where to look; as annotate has it, the
        // picture is turned before it is looked at.
        for word in [
            "orientation=identity", "draw=false", "tracking=\(settings.contains("zoom=auto"))", "updates=none",
            "track-events=false",
            "strategy=every-frame", "record-existing=\(mayReplace ? "replace" : "resume")",
        ] + settings { try PropertySetting.set(word, of: element) }
        try PropertySetting.set("record-detections=\(file)", of: element)
        if let pad = element.pad("src") { progress.watch(pad) }
        let entry = pipeline["video"].pad("sink")
        if let range, let entry {
            part = VideoPart(range, at: entry, refuse: { [weak pipeline] in pipeline?.refuse($0) })
        } else {
            part = nil
        }
        part?.begin()
    }

    /// Looks at all frames; says on the standard error what goes wrong.
    ///
    /// - Returns: the exit code.
    func run() -> Int32 {
        let progress = progress
        let notify: @Sendable (String) -> Void = { text in
            progress.clear()
            printError("odt detect: \(text)")
        }
        if let place = Self.place(file) { notify("\(file) is unfinished: it goes on after \(place)") }
        let linker = StreamLinker(
            pipeline, muxer: nil, soundEncoder: "", notify: notify, refuse: { [pipeline] in pipeline.refuse($0) })
        // The decoder asks it for as long as it plays.
        defer { withExtendedLifetime(linker) {} }
        linker.listen(to: pipeline["decoded"])
        var configuration = Player.Configuration()
        // Every line is in the file already; an end of the stream would say that it is whole.
        configuration.hasBegun = { false }
        configuration.end = {}
        configuration.tick = { progress.show() }
        let player = Player(pipeline, configuration, notify: notify)
        let ending = player.play { _ in }
        player.stop()
        progress.clear()
        if let failure = ending.failure { notify(failure) }
        guard ending.failure == nil, ending.signal == nil, Self.isWhole(file) else {
            if let place = Self.place(file) {
                notify("\(file) has all up to \(place), and can be used; the same command goes on with it")
            }
            return ending.signal.map { 128 + $0 } ?? ExitCode.failure
        }
        if let part { print(part.report) }
        return ExitCode.success
    }

    private static func isWhole(_ file: String) -> Bool { (try? RecordingReader(file))?.end != nil }

    /// How far a recording goes that is unfinished.
    private static func place(_ file: String) -> FrameKey? {
        guard let reader = try? RecordingReader(file), reader.header != nil, reader.end == nil else { return nil }
        return reader.last
    }
}
