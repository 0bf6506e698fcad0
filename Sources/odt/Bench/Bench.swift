import Glibc
import ODTPlayback
import SwiftODT

let benchSubcommand = Subcommand(
    name: "bench", summary: "measure the speed of a model on a video", help: help,
    work: runBench)

private let help = """
    Measures how fast a model processes a video: frames per second, processor time per frame, peak memory, and the time of each
    processing stage. Plays the video at maximum speed; nothing is drawn or written.

    usage: odt bench [options] MODEL VIDEO

    MODEL is a file or the name of an installed model (see 'odt models list'), 'default' for the default detector, or 'motion'
    for the motion detector, which needs no model. VIDEO is any file or URI that GStreamer can read,
    or '-' for standard input.

      --frames N       stop after N frames; 0 for the whole video (default: 1000)
      --set NAME=VALUE set a property of the element; repeatable: --set inference-interval=2 --set device=GPU
      --json           print one line of JSON, times in milliseconds, memory in bytes
      --help           show this text

    The first 10 frames are not measured, because networks, caches and the decoder warm up; only the times of the stages include
    them. To compare two models, run them alternately several times, because other programs disturb single runs.

    examples:
      odt bench --frames 500 default street.mp4
    """

@Sendable private func runBench(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(arguments, valued: ["--frames", "--set"], flags: ["--json"])
    guard line.operands.count == 2 else {
        throw CommandLineError(
            line.operands.count < 2 ? "name a MODEL and a VIDEO." : "name one MODEL and one VIDEO.")
    }
    let frames = try line.wholeNumber("--frames", in: 0...Int.max) ?? 1000
    guard frames == 0 || frames > BenchRun.warmUp + 1 else {
        throw CommandLineError("--frames must be 0 or more than \(BenchRun.warmUp + 1).")
    }
    let (model, video) = (line.operands[0], try StandardInput.videoPath(of: line.operands[1]))
    let run = try convertingUsageErrors { try BenchRun(model: model, video: video, properties: line.properties) }
    let measured = try run.measure(frames: frames)
    print(line.has("--json") ? measured.json.text : measured.text)
    return ExitCode.success
}

struct BenchRun {
    /// This number of frames at the start of the video is not measured.
    fileprivate static let warmUp = 10

    private let model: String
    private let source: MediaSource
    private let pipeline: Pipeline

    init(model: String, video: String, properties: [String]) throws {
        try PluginSearch.start()
        source = try MediaSource(video)
        pipeline = try Pipeline(
            "\(source.description) videoconvert name=video ! queue max-size-buffers=4 "
                + "! swiftodt name=swiftodt multiple-objects=true draw=false ! fakesink name=end sync=false")
        source.setAddress(in: pipeline)
        let element = pipeline["swiftodt"]
        switch model {
        case "default": element.set("detector", to: "neural")
        case "motion": element.set("detector", to: "motion")
        default:
            element.set("detector", to: "neural")
            try PropertySetting.set("model-file=\(model)", of: element)
        }
        for property in properties { try PropertySetting.set(property, of: element) }
        self.model = model == "default" ? (try? ModelSearchPath.locate(.detector)).map(FilePath.stem) ?? model : model
    }

    /// - Parameter frames: The maximum number of frames; 0 for all.
    func measure(frames: Int) throws -> BenchResult {
        let meter = Monitor(Meter())
        let progress = Progress(of: pipeline, name: source.name)
        var configuration = Player.Configuration()
        configuration.tick = { progress.show() }
        let notify: @Sendable (String) -> Void = { text in
            progress.clear()
            printError("odt bench: \(text)")
        }
        let linker = StreamLinker(videoOf: pipeline, notify: notify)
        defer { withExtendedLifetime(linker) {} }
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
        var ending = player.play { _ in }
        progress.clear()
        let stages = pipeline["swiftodt"].read("stats", BenchStage.list)
        player.stop()
        source.explain(&ending)
        if let failure = ending.failure { throw PlaybackError(failure, ending.reason ?? .failed) }
        let counted = meter.read { $0 }
        guard let begin = counted.begin, let end = counted.end, counted.frames > Self.warmUp + 1 else {
            throw PlaybackError(
                "\(source.addressWithoutPassword) has only \(CountText.text(counted.frames, "frame")); a measurement needs more than \(Self.warmUp + 1)"
            )
        }
        let measured = Double(counted.frames - Self.warmUp - 1)
        return BenchResult(
            model: model, video: source.addressWithoutPassword, frames: counted.frames,
            framesPerSecond: measured / (Double(end.time - begin.time) / 1e9),
            processorTime: Double(end.processor - begin.processor) / measured,
            firstFrame: (counted.first ?? counted.made) - counted.made, memory: Self.largestMemory,
            stages: stages ?? [])
    }

    /// Counts frames and reads the clocks at the first measured frame and at the latest frame.
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

    private static var processorTime: Nanoseconds {
        let usage = usage
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Nanoseconds($1.tv_sec) * 1_000_000_000 + Nanoseconds($1.tv_usec) * 1000
        }
    }

    private static var largestMemory: Int { Int(usage.ru_maxrss) * 1024 }
}

struct BenchStage {
    let name: String
    /// The statistics of the stage. `name` is p50, p95, max or mean; `value` is a duration in nanoseconds.
    let figures: [(name: String, value: UInt64)]

    /// Returns the stages in the element's `stats` that have nonzero durations.
    static func list(_ stats: MessageFields) -> [BenchStage] {
        let times = stats.structure("times")
        let onThread = ["start", "wait", "track", "classify", "draw", "report", "detection-latency"]
            .map { (name: $0, figures: ["p50", "p95", "max"]) }
        let ofNetwork = ["preprocess", "inference", "decode"].map { (name: $0, figures: ["mean"]) }
        return (onThread + ofNetwork).compactMap { stage in
            let figures = stage.figures.compactMap { figure in
                times?.structure(stage.name)?.count(figure).map { (name: figure, value: $0) }
            }
            return figures.contains { $0.value > 0 } ? BenchStage(name: stage.name, figures: figures) : nil
        }
    }
}

struct BenchResult {
    let model: String
    let video: String
    let frames: Int
    let framesPerSecond: Double
    /// The processor time per frame in nanoseconds, all cores together.
    let processorTime: Double
    /// The time from the start of the pipeline to the first frame, in nanoseconds. It includes compiling the network or
    /// loading it from the cache.
    let firstFrame: Nanoseconds
    /// The peak resident memory in bytes.
    let memory: Int
    let stages: [BenchStage]

    var text: String {
        let lines = [
            row("model", model), row("video", "\(video), \(frames) frames"),
            row("frames", "\(DecimalText.text(framesPerSecond, decimals: 1)) per second"),
            row("processor", "\(milliseconds(processorTime)) ms per frame, all cores together"),
            row("first frame", "after \(milliseconds(Double(firstFrame))) ms"),
            row("memory", "\(memory / 1_000_000) MB at peak"),
        ]
        let table = stages.map { stage in
            row(
                stage.name,
                stage.figures.map { "\($0.name) \(padded(milliseconds(Double($0.value)), to: 8))" }.joined(
                    separator: "  "))
        }
        return (lines + ["", "milliseconds per frame:"] + table).joined(separator: "\n")
    }

    var json: JSONValue {
        let stages = stages.map { stage in
            let figures = stage.figures.map { ($0.name, JSONValue.number(Double($0.value) / 1e6)) }
            return (stage.name, JSONValue.object(Dictionary(uniqueKeysWithValues: figures)))
        }
        return .object([
            "model": .string(model), "video": .string(video), "frames": .number(Double(frames)),
            "frames-per-second": .number(framesPerSecond), "processor-per-frame": .number(processorTime / 1e6),
            "first-frame": .number(Double(firstFrame) / 1e6), "memory": .number(Double(memory)),
            "stages": .object(Dictionary(uniqueKeysWithValues: stages)),
        ])
    }

    private func row(_ name: String, _ text: String) -> String { padded(name, to: 19) + text }

    private func milliseconds(_ nanoseconds: Double) -> String { DecimalText.text(nanoseconds / 1e6, decimals: 2) }
}
