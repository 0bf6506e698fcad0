import Glibc
import ODTPlayback

let annotateSubcommand = Subcommand(
    name: "annotate", summary: "draw detected objects into videos and write tables of them", help: help,
    work: runAnnotate)

private let help = """
    Detects and tracks the objects in a video, draws them and writes tables of results. Sound, subtitles and timestamps are kept.

    usage: odt annotate [options] IN OUT
           odt annotate [options] --out-dir DIR IN...
           odt annotate [options] --json FILE|--csv FILE|--tracks-csv FILE|--events-csv FILE|--export KIND=FILE|--crops DIR IN

    IN is a video file, a URI (rtsp://..., https://...), a camera (/dev/video0) or '-' for standard input. OUT is the
    annotated video; its extension selects the container: \(Container.endings.joined(separator: ", ")). Rotated video is turned
    upright. Sound is copied if the container supports its codec, otherwise it is encoded again.

      --json FILE        write the element's messages, one JSON object per line ('-' is standard output)
      --csv FILE         write a table with one row per object and frame
      --tracks-csv FILE  write a table with one row per track
      --events-csv FILE  write a table with one row per event: tracks that begin or end, zones and lines
      --export KIND=FILE write the boxes of all frames for other tools; repeatable: coco (JSON), cvat (CVAT for video 1.1)
                         or mot (MOTChallenge)
      --crops DIR        write the best picture of each track, without annotations, as DIR/00007-person.jpg
      --zones FILE       count objects in the zones and at the lines of FILE (made with odt zones)
      --set NAME=VALUE   set a property of the element; repeatable; gst-inspect-1.0 swiftodt lists the properties
                         (default: multiple-objects=true and max-objects=100):
                         --set max-objects=20 --set detector=motion
      --quality Q        video quality, 0 to 100 (default: \(VideoEncoder.Quality.usual)); higher is sharper and larger
      --encoder NAME     auto (hardware if it works, otherwise software), software, or an element such as
                         vah264enc, nvh264enc, qsvh264enc (default: auto)
      --force            replace existing files
      --out-dir DIR      annotate several files, or all videos in folders, without their subfolders; the results get
                         the same names in DIR. If one video fails, the others are still processed
      --container KIND   with --out-dir: container of all results: mp4, mov, mkv or webm
                         (default: as the input if supported, otherwise mp4)
      --help             show this text

    With --out-dir, the values of --json, --csv, --tracks-csv, --events-csv, --export and --crops are file name extensions:
    --json .jsonl writes DIR/NAME.jsonl beside DIR/NAME.mp4, and --export mot=.txt writes DIR/NAME.txt.

    Unfinished files are named NAME.part.EXT. After a full disk or kill -9 these files remain and can be played. Ctrl-C ends
    the recording properly; a second Ctrl-C stops at once. The exit code is 0 after success, 1 after an error, 2 after an
    invalid command line, 3 if the machine lacks something that every video needs, 4 if the input or its decoder is missing
    or the input is unreachable.

    examples:
      odt annotate holiday.mp4 annotated.mp4
      odt annotate --set label-allowlist=person --tracks-csv people.csv yard.mkv yard-people.mkv
      odt annotate --csv objects.csv --json - traffic.mp4 | head
      odt annotate --out-dir annotated --json .jsonl footage/
    """

@Sendable private func runAnnotate(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments,
        valued: [
            "--json", "--csv", "--tracks-csv", "--events-csv", "--export", "--crops", "--zones", "--set", "--quality",
            "--encoder", "--out-dir",
            "--container",
        ], flags: ["--force"])
    guard !line.operands.isEmpty else { throw CommandLineError("missing IN: name a video.") }
    var plan = Annotation.Plan()
    plan.settings = try settings(line)
    plan.mayReplace = line.has("--force")
    if let encoder = line.text("--encoder") { plan.encoder = encoder }
    if let percent = try line.wholeNumber("--quality", in: 0...100) { plan.quality = .init(percent: percent) }
    return try convertingUsageErrors {
        if let folder = line.text("--out-dir") { return try annotate(line, into: folder, plan) }
        let (input, outputs) = try single(line)
        guard !AnnotationBatch.isFolder(input) else {
            throw PlaybackError("\(input) is a folder: use --out-dir DIR to annotate its videos")
        }
        try PluginSearch.start()
        _ = TerminationHandler.shared
        return try Annotation(MediaSource(input), outputs, plan).run().code
    }
}

/// Returns the properties to set, as NAME=VALUE. The properties that options imply come first, so that `--set` overrides
/// them.
private func settings(_ line: CommandLineOptions) throws -> [String] {
    var settings = try line.settings()
    let named = line.properties
    if let format = named.first(where: { $0.hasPrefix("message-format=") }) {
        throw CommandLineError("'\(format)' is not supported here: use --json for JSON or --csv for a table.")
    }
    if let option = ["--csv", "--export", "--crops"].first(where: { line.text($0) != nil }) {
        if let updates = named.first(where: { $0.hasPrefix("updates=") && $0 != "updates=every-frame" }) {
            throw CommandLineError("\(option) needs every frame: leave out --set \(updates).")
        }
        if let interval = named.first(where: { $0.hasPrefix("message-interval=") && $0 != "message-interval=0" }) {
            throw CommandLineError("\(option) needs every frame: leave out --set \(interval).")
        }
        settings.insert("updates=every-frame", at: 0)
    }
    if let option = ["--tracks-csv", "--events-csv", "--crops"].first(where: { line.text($0) != nil }) {
        for (property, value) in [("track-events", "true"), ("tracking", "true"), ("mode", "stream")]
        where named.contains(where: { $0.hasPrefix("\(property)=") && $0 != "\(property)=\(value)" }) {
            throw CommandLineError("\(option) needs track events: leave out --set \(property).")
        }
    }
    return settings
}

private func single(_ line: CommandLineOptions) throws -> (input: String, AnnotationOutputs) {
    guard line.operands.count <= 2 else {
        throw CommandLineError("too many operands: use --out-dir DIR for several inputs.")
    }
    if let container = line.text("--container") {
        throw CommandLineError(
            "--container \(container) needs --out-dir: the extension of OUT selects the container.")
    }
    let outputs = AnnotationOutputs(
        video: line.operands.count == 2 ? line.operands[1] : nil, messages: line.text("--json"),
        frameTable: line.text("--csv"), trackTable: line.text("--tracks-csv"), eventTable: line.text("--events-csv"),
        exports: try line.texts("--export").map(AnnotationOutputs.Export.init), pictures: line.text("--crops"))
    guard !outputs.isEmpty else {
        throw CommandLineError("no output: name OUT, --json, --csv, --tracks-csv, --events-csv, --export or --crops.")
    }
    if outputs.video == nil, let option = ["--quality", "--encoder"].first(where: { line.text($0) != nil }) {
        throw CommandLineError("\(option) needs OUT, the annotated video.")
    }
    guard outputs.names.filter({ $0 == "-" }).count <= 1 else {
        throw CommandLineError("only one output can be '-' (standard output).")
    }
    guard outputs.names.allSatisfy({ !$0.isEmpty }), outputs.video != "-" else {
        throw CommandLineError("an output has no file name; the video cannot be '-'.")
    }
    return (try StandardInput.videoPath(of: line.operands[0]), outputs)
}

/// Annotates the inputs one after the other. If one fails, the others are still processed.
private func annotate(_ line: CommandLineOptions, into folder: String, _ plan: Annotation.Plan) throws -> Int32 {
    let batch = try AnnotationBatch(line, into: folder)
    try PartFile.makeFolder(folder.hasSuffix("/") ? folder : folder + "/")
    var plan = plan
    plan.isOneOfMany = true
    try PluginSearch.start()
    _ = TerminationHandler.shared
    var failed: [String] = []
    for (number, job) in batch.jobs.enumerated() {
        let name = AddressParts.discreet(job.input, of: job.input)
        do {
            let source = try MediaSource(job.input)
            // A FIFO without a writer would block the remaining inputs forever.
            guard !source.isFIFO else {
                throw PlaybackError("--out-dir does not support FIFOs: annotate the FIFO alone, with IN and OUT")
            }
            let outcome = try Annotation(source, job.outputs, plan).run()
            if outcome.code != ExitCode.success { failed.append(name) }
            if let signal = outcome.signal {
                printError(
                    "odt annotate: interrupted; \(batch.jobs.count - number - 1) of \(batch.jobs.count) were skipped")
                return 128 + signal
            }
        } catch let error as PlaybackError {
            // A usage error of the first input, for example an unknown property, would also occur with all other
            // inputs, so it ends the batch. An output that already exists is a usage error too, but it concerns only
            // one input.
            if error.isUsage, number == 0, !job.outputs.exist { throw error }
            printError("odt annotate: \(name): \(error)")
            failed.append(name)
        }
    }
    guard !failed.isEmpty else { return ExitCode.success }
    printError("odt annotate: \(failed.count) of \(batch.jobs.count) failed: \(failed.joined(separator: ", "))")
    return ExitCode.failure
}
