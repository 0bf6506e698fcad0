import Glibc
import Playback
import SwiftODT

let annotateSubcommand = Subcommand(
    name: "annotate", summary: "draw what is found into videos, and write down what it was", help: help,
    work: runAnnotate)

private let help = """
    Finds and follows the objects of a video, draws them in, and writes down what was seen. Sound, subtitles and time stamps stay.

    usage: odt annotate [options] IN OUT
           odt annotate [options] --out-dir DIR IN...
           odt annotate [options] --json FILE|--csv FILE|--tracks-csv FILE|--crops DIR IN

    IN is a video file, an address (rtsp://..., https://...) or a camera (/dev/video0). OUT is \(Container.endings.joined(separator: ", ")). The picture is
    turned upright. Sound is taken over as it is where OUT's kind of file takes it, else encoded again.

      --json FILE        the element's messages, one JSON object a line ('-' is the standard output)
      --csv FILE         a table with one row a track and frame
      --tracks-csv FILE  a table with one row a track
      --crops DIR        each track's best picture, without what is drawn: DIR/00007-person.jpg
      --zones FILE       zones and lines to count at (odt zones makes them)
      --set NAME=VALUE   a property of the element, more than once if need be; multiple-objects=true and max-objects=100 are set already
                         (gst-inspect-1.0 swiftodt lists them): --set max-objects=20 --set detector=motion
      --quality Q        0 to 100, how much of the picture's detail is kept (\(VideoEncoder.Quality.usual))
      --encoder NAME     auto: the machine's own if one works; software; or vah264enc, nvh264enc, qsvh264enc, ... (auto)
      --force            replace files that are there
      --out-dir DIR      of several files, or the videos of folders: annotated videos of the same names go to DIR. Those of one
                         that fails are left out; the others go on
      --container KIND   with --out-dir: mp4, mov, mkv or webm for all of them (as the input's, else mp4)
      --help             this text

    With --out-dir what --json, --csv, --tracks-csv and --crops name are endings: --json .jsonl makes DIR/NAME.jsonl
    beside DIR/NAME.mp4.

    Until a file is whole it is called NAME.part.EXT; what ends in the middle (a full disk, kill -9) leaves that, and it plays.
    Ctrl-C ends it properly, a second one at once. The exit code is 0 when all went well, 1 when something failed, 2 when the
    command line was not understood.

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
            "--json", "--csv", "--tracks-csv", "--crops", "--zones", "--set", "--quality", "--encoder", "--out-dir",
            "--container",
        ], flags: ["--force"])
    guard !line.operands.isEmpty else { throw CommandLineError("no video is named.") }
    var plan = Annotation.Plan()
    plan.settings = try settings(line)
    plan.mayReplace = line.has("--force")
    if let encoder = line.text("--encoder") { plan.encoder = encoder }
    if let percent = try line.wholeNumber("--quality", in: 0...100) { plan.quality = .init(percent: percent) }
    do {
        if let folder = line.text("--out-dir") { return try annotate(line, into: folder, plan) }
        let (input, outputs) = try single(line)
        guard !AnnotationBatch.isFolder(input) else {
            throw PlaybackError("\(input) is a folder: --out-dir DIR says where what becomes of its videos goes")
        }
        try PluginSearch.start()
        _ = TerminationHandler.shared
        return try Annotation(MediaSource(input), outputs, plan).run().code
    } catch let error as PlaybackError where error.isUsage {
        throw CommandLineError(error.description)
    }
}

/// The properties that are to be set, those that options stand for first.
private func settings(_ line: CommandLineOptions) throws -> [String] {
    var settings: [String] = []
    if let zones = line.text("--zones") {
        _ = try Zone.list(named: zones)
        settings.append("zones=\(zones)")
    }
    let named = line.texts("--set")
    if let format = named.first(where: { $0.hasPrefix("message-format=") }) {
        throw CommandLineError("'\(format)' has no use here: --json writes JSON, --csv a table.")
    }
    if let option = ["--csv", "--crops"].first(where: { line.text($0) != nil }) {
        if let updates = named.first(where: { $0.hasPrefix("updates=") && $0 != "updates=every-frame" }) {
            throw CommandLineError("\(option) is made of each frame, which '\(updates)' would leave out.")
        }
        settings.append("updates=every-frame")
    }
    if let option = ["--tracks-csv", "--crops"].first(where: { line.text($0) != nil }),
        named.contains(where: { $0.hasPrefix("track-events=") && $0 != "track-events=true" })
    {
        throw CommandLineError("\(option) is made of track events: leave out --set track-events.")
    }
    let hidden = ["privacy-labels=", "box-style=blur", "box-style=pixelate"]
    if line.text("--crops") != nil, let word = named.first(where: { word in hidden.contains(where: word.hasPrefix) }) {
        throw CommandLineError("--crops shows what '\(word)' hides: leave out one of them.")
    }
    return settings + named
}

private func single(_ line: CommandLineOptions) throws -> (input: String, AnnotationOutputs) {
    guard line.operands.count <= 2 else {
        throw CommandLineError("several inputs need --out-dir DIR for what becomes of them.")
    }
    if let container = line.text("--container") {
        throw CommandLineError(
            "--container \(container) is for --out-dir: OUT's ending says what kind of file it becomes.")
    }
    let outputs = AnnotationOutputs(
        video: line.operands.count == 2 ? line.operands[1] : nil, messages: line.text("--json"),
        frameTable: line.text("--csv"), trackTable: line.text("--tracks-csv"), pictures: line.text("--crops"))
    guard !outputs.isEmpty else {
        throw CommandLineError("nothing is to be written: name OUT, --json, --csv, --tracks-csv or --crops.")
    }
    guard outputs.names.filter({ $0 == "-" }).count <= 1 else {
        throw CommandLineError("only one goes to the standard output.")
    }
    guard outputs.names.allSatisfy({ !$0.isEmpty }), outputs.video != "-" else {
        throw CommandLineError("a file without a name cannot be written.")
    }
    return (line.operands[0], outputs)
}

/// One after the other; one that fails does not keep the others from being done.
private func annotate(_ line: CommandLineOptions, into folder: String, _ plan: Annotation.Plan) throws -> Int32 {
    let batch = try AnnotationBatch(line, into: folder)
    var plan = plan
    plan.isOneOfMany = true
    try PluginSearch.start()
    _ = TerminationHandler.shared
    var failed: [String] = []
    for (number, job) in batch.jobs.enumerated() {
        do {
            let source = try MediaSource(job.input)
            // Nothing may ever write to it, and the others would wait for good.
            guard !source.isFIFO else {
                throw PlaybackError("it is a FIFO, which --out-dir does not take: annotate it alone, with IN and OUT")
            }
            let outcome = try Annotation(source, job.outputs, plan).run()
            if outcome.code != ExitCode.success { failed.append(job.input) }
            if let signal = outcome.signal {
                printError(
                    "odt annotate: interrupted; \(batch.jobs.count - number - 1) of \(batch.jobs.count) were not begun")
                return 128 + signal
            }
        } catch let error as PlaybackError {
            // What is wrong with the command line is wrong for all.
            if error.isUsage, number == 0, !job.outputs.exist { throw error }
            printError("odt annotate: \(job.input): \(error)")
            failed.append(job.input)
        }
    }
    guard !failed.isEmpty else { return ExitCode.success }
    printError("odt annotate: \(failed.count) of \(batch.jobs.count) failed: \(failed.joined(separator: ", "))")
    return ExitCode.failure
}
