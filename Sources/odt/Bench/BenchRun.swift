import Glibc
import Playback
import SwiftODT

/// One video, played through the element as fast as it goes.
struct BenchRun {
    /// Frames in which everything warms up.
    private static let warmUp = 10

    private let model: String
    private let source: MediaSource
    private let pipeline: Pipeline

    /// - Throws: ``PlaybackError`` where the video cannot be read or a property cannot be set.
    init(model: String, video: String, properties: [String]) throws {
        try PluginSearch.start()
        source = try MediaSource(video)
        pipeline = try Pipeline(
            "\(source.description) videoconvert name=video ! queue max-size-buffers=4 "
                + "! swiftodt name=swiftodt multiple-objects=true draw=false ! fakesink name=end sync=false")
        source.give(to: pipeline)
        let eyes = pipeline["swiftodt"]
        switch model {
        case "default": eyes.set("detector", to: "neural")
        case "motion": eyes.set("detector", to: "motion")
        default:
            eyes.set("detector", to: "neural")
            try PropertySetting.set("model-file=\(model)", of: eyes)
        }
        for property in properties { try PropertySetting.set(property, of: eyes) }
        self.model = model == "default" ? (try? ModelSearchPath.locate(.detector)).map(FilePath.stem) ?? model : model
    }

    /// Plays it.
    ///
    /// - Parameter frames: at most so many; 0 for all.
    /// - Throws: ``PlaybackError`` that says what went wrong, or that there were too few frames to say anything.
    func measure(frames: Int) throws -> BenchResult {
        let meter = Monitor(Meter())
        let progress = Progress(of: pipeline, name: "odt bench")
        var configuration = Player.Configuration()
        configuration.tick = { progress.show() }
        let notify: @Sendable (String) -> Void = { text in
            progress.clear()
            printError("odt bench: \(text)")
        }
        let linker = StreamLinker(
            pipeline, muxer: nil, soundEncoder: "", notify: notify, refuse: { [pipeline] in pipeline.refuse($0) })
        // The decoder asks it for as long as it plays.
        defer { withExtendedLifetime(linker) {} }
        linker.listen(to: pipeline["decoded"])
        let player = Player(pipeline, configuration, notify: notify)
        if let end = pipeline["end"].pad("sink") {
            progress.watch(end)
            end.watchBuffers { _ in
                let count = meter.update { $0.count() }
                if frames > 0, count >= frames {
                    player.askToEnd()
                    return .remove
                }
                return .ok
            }
        }
        let ending = player.play { _ in }
        progress.clear()
        let stages = pipeline["swiftodt"].read("stats", BenchStage.list)
        player.stop()
        if let failure = ending.failure { throw PlaybackError(failure) }
        let counted = meter.read { $0 }
        guard let begin = counted.begin, let end = counted.end, counted.frames > Self.warmUp + 1 else {
            throw PlaybackError(
                "\(source.name) gave \(CountText.text(counted.frames, "frame")); more than \(Self.warmUp + 1) are needed to say how fast it is"
            )
        }
        let measured = Double(counted.frames - Self.warmUp - 1)
        return BenchResult(
            model: model, video: source.name, frames: counted.frames,
            framesPerSecond: measured / (Double(end.time - begin.time) / 1e9),
            processorTime: Double(end.processor - begin.processor) / measured,
            firstFrame: (counted.first ?? counted.made) - counted.made, memory: Self.largestMemory,
            stages: stages ?? [])
    }

    /// Counts frames, and looks at the clocks after the warm-up and at the latest one.
    private struct Meter {
        struct Clocks {
            let time: Nanoseconds = MonotonicClock.now
            let processor: Nanoseconds = BenchRun.processorTime
        }

        let made = MonotonicClock.now
        private(set) var frames = 0
        private(set) var first: Nanoseconds?
        private(set) var begin: Clocks?
        private(set) var end: Clocks?

        /// - Returns: how many there were.
        mutating func count() -> Int {
            frames += 1
            let now = Clocks()
            if frames == 1 { first = now.time }
            if frames == BenchRun.warmUp + 1 { begin = now }
            end = now
            return frames
        }
    }

    private static var usage: rusage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage
    }

    /// What all processors have spent on this program.
    private static var processorTime: Nanoseconds {
        let usage = usage
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Nanoseconds($1.tv_sec) * 1_000_000_000 + Nanoseconds($1.tv_usec) * 1000
        }
    }

    /// Bytes, at most.
    private static var largestMemory: Int { Int(usage.ru_maxrss) * 1024 }
}
