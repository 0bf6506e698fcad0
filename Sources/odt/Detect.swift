import Playback
import SwiftODT

let detectSubcommand = Subcommand(
    name: "detect", summary: "find the objects in pictures, or record those of a video", help: help, work: runDetect)

private let help = """
    Finds the objects in pictures (PNG or JPEG), or records what the detector finds in the frames of a video.

    usage: odt detect [options] PICTURE...
           odt detect [options] VIDEO --detections FILE
           odt detect VIDEO --cuts SECONDS

      --model FILE     a path, or the name of an installed model (the default one; see 'odt models')
      --labels FILE    names of the model's classes, one a line (the model's own)
      --salient        look for the prominent thing, whatever it is
      --unknown-objects WHICH  in pictures: none, or salient: where nothing has a name the prominent thing is the object (none)
      --score S        show detections from this score up, 0 to 1 (0.4)
      --iou I          boxes that overlap more are one object, 0 to 1 (0.5)
      --zoom WHICH     for what is small: grid looks at the whole picture and at all of its parts, larger, which takes 17 looks instead
                       of one for 640x480, 55 for 1920x1080, 199 for 3840x2160; auto, of videos, at the whole or a part of each
                       frame, as what is followed needs (off)
      --device NAME    what computes, as the runtime calls it (CPU)
      --json           a line of JSON for each picture
      --detections FILE  of a video: everything from 0.1 up, frame by frame, for the element's detector=recorded
      --every N        of a video: look at every n-th frame (1)
      --from T, --to T  of a video: only the frames from T seconds on, and before T; prints what its first frames and those behind it are
                       known by, so that who joins parts sees whether they fit
      --cuts S         of a video: prints its length and the times in it, in nanoseconds, where parts of about S seconds can begin
      --set NAME=VALUE  of a video: a property of the element, more than once if need be: --set threads=1
      --force          replace a recording that is whole
      --help           this text

    Boxes are in pixels of the picture as it is stored, those of videos in pixels of the upright picture: left, top, width, height.

    A recording is written as it goes: what ends in the middle (Ctrl-C, a full disk, kill -9) can be used, and the same command goes on
    with it. Track, count and draw without a network then, as often as you like:
      odt detect street.mp4 --detections street.jsonl
      odt annotate --set detector=recorded --set detections-file=street.jsonl street.mp4 annotated.mp4
    """

@Sendable private func runDetect(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments,
        valued: [
            "--model", "--labels", "--score", "--iou", "--device", "--detections", "--every", "--unknown-objects",
            "--from", "--to", "--cuts", "--set", "--zoom",
        ],
        flags: ["--salient", "--json", "--force"])
    if let length = try line.number("--cuts", in: 0.1...1e6) { return try cut(line, each: length) }
    if let file = line.text("--detections") { return try record(line, into: file) }
    for name in ["--every", "--force", "--from", "--to", "--set"] where line.has(name) || line.text(name) != nil {
        throw CommandLineError("\(name) is for videos: --detections FILE says where what is found in one goes.")
    }
    guard !line.operands.isEmpty else { throw CommandLineError("no picture is named.") }
    return try detect(line)
}

private func cut(_ line: CommandLineOptions, each length: Double) throws -> Int32 {
    guard line.text("--detections") == nil else {
        throw CommandLineError("--cuts looks at nothing, and so has nothing for --detections.")
    }
    guard let video = line.operands.first, line.operands.count == 1 else {
        throw CommandLineError(line.operands.isEmpty ? "no video is named." : "one video at a time.")
    }
    do {
        try PluginSearch.startGStreamer()
        print(try VideoCuts(video).find(each: Nanoseconds(seconds: length)))
        return ExitCode.success
    } catch let error as PlaybackError where error.isUsage {
        throw CommandLineError(error.description)
    }
}

/// The frames that are to be looked at.
private func range(_ line: CommandLineOptions) throws -> Range<Nanoseconds>? {
    // Longer than fifty days seconds do not tell nanoseconds apart.
    let (from, to) = (try line.number("--from", in: 0...4e6), try line.number("--to", in: 0...4e6))
    guard from != nil || to != nil else { return nil }
    let (start, end) = (from.map(Nanoseconds.init(seconds:)) ?? 0, to.map(Nanoseconds.init(seconds:)) ?? .max)
    guard start < end else { throw CommandLineError("--to has to be later than --from.") }
    return start..<end
}

private func record(_ line: CommandLineOptions, into file: String) throws -> Int32 {
    guard let video = line.operands.first, line.operands.count == 1 else {
        throw CommandLineError(line.operands.isEmpty ? "no video is named." : "one video at a time.")
    }
    guard !line.has("--json") else { throw CommandLineError("--json has no use here: a recording is lines of JSON.") }
    guard line.text("--unknown-objects") == nil else {
        throw CommandLineError(
            "--unknown-objects is for pictures: a recording holds what the detector finds, and what has no name is looked for "
                + "when it is played back.")
    }
    guard !file.isEmpty, file != "-" else { throw CommandLineError("--detections needs the name of a file.") }
    var settings = ["detector=\(line.has("--salient") ? "salient" : "neural")"]
    for (option, property) in [("--model", "model-file"), ("--labels", "label-file"), ("--device", "device")] {
        if let value = line.text(option) { settings.append("\(property)=\(value)") }
    }
    if let score = try line.number("--score", in: 0...1) { settings.append("score-threshold=\(score)") }
    if let overlap = try line.number("--iou", in: 0...1) { settings.append("iou-threshold=\(overlap)") }
    if let zoom = try zoom(line) { settings.append("zoom=\(zoom)") }
    if let interval = try line.wholeNumber("--every", in: 1...1_000_000) {
        settings.append("inference-interval=\(interval)")
    }
    settings += line.texts("--set")
    let range = try range(line)
    guard range == nil || !settings.contains("zoom=auto") else {
        throw CommandLineError(
            "with zoom=auto where is looked hangs on the frames before: leave --from and --to out.")
    }
    do {
        try PluginSearch.start()
        _ = TerminationHandler.shared
        return try VideoDetection(video, into: file, settings: settings, range: range, mayReplace: line.has("--force"))
            .run()
    } catch let error as PlaybackError where error.isUsage {
        throw CommandLineError(error.description)
    }
}

private func detect(_ line: CommandLineOptions) throws -> Int32 {
    var configuration = DetectorConfiguration(line.has("--salient") ? .salient : .neural)
    configuration.isForStills = true
    configuration.modelFile = line.text("--model")
    configuration.labelFile = line.text("--labels")
    if let device = line.text("--device") { configuration.device = device }
    var sceneOptions = SceneOptions()
    sceneOptions.mode = .singleImage
    if let score = try line.number("--score", in: 0...1) { sceneOptions.tracker.scoreThreshold = score }
    let threshold = sceneOptions.tracker.scoreThreshold
    // Weaker ones are looked at, too: where there is nothing else the best of them is told of.
    var options = DetectionOptions(
        scoreFloor: sceneOptions.scoreFloor, iouThreshold: try line.number("--iou", in: 0...1) ?? 0.5, isAwaited: true)
    if let zoom = try zoom(line) {
        guard zoom == "grid" else {
            throw CommandLineError("--zoom auto is for videos, with --detections; --zoom grid for pictures.")
        }
        options.view = .grid
        // Many looks for one answer: they run side by side.
        configuration.hint = .throughput
    }
    let detectsSalient = try detectsSalient(line)
    // Loaded for the first picture that can be read: a missing file is reported at once.
    var loaded: (detector: any Detector, salient: (any Detector)?)?
    var code = ExitCode.success
    for path in line.operands {
        let picture: Picture
        do {
            picture = try Picture(contentsOfFile: path)
        } catch let error as ODTError {
            printError("odt detect: \(unreadable(path, error))")
            code = ExitCode.failure
            continue
        }
        let (detector, salient) =
            try loaded
            ?? (try configuration.makeDetector(), detectsSalient ? try configuration.salientConfiguration.makeDetector() : nil)
        loaded = (detector, salient)
        do {
            var detections = try picture.withFrame { try detector.start($0, options: options) }.wait()
            if let salient, !detections.contains(where: { $0.score >= threshold }) {
                detections += try picture.withFrame { try salient.start($0, options: options) }.wait().prefix(1)
            }
            let found = PictureReport(path, picture, detections, threshold: threshold)
            print(line.has("--json") ? found.json.text : found.text)
            flushOutput()
        } catch let error as ODTError {
            printError("odt detect: \(error)")
            code = ExitCode.failure
        }
    }
    return code
}

private func unreadable(_ path: String, _ error: ODTError) -> String {
    guard error.reason != .fileNotFound, AnnotationBatch.isVideo(path) else { return "\(error)" }
    return "\(path) is a video: --detections FILE records what the detector finds in it, 'odt annotate' draws it"
}

/// Which parts of the picture are looked at as well, as the element calls it; `nil` for none.
private func zoom(_ line: CommandLineOptions) throws -> String? {
    guard let word = line.text("--zoom"), word != "off" else { return nil }
    guard word == "grid" || word == "auto" else {
        throw CommandLineError("--zoom \(word) is neither off, auto nor grid.")
    }
    guard !line.has("--salient") else {
        throw CommandLineError("--salient tells what stands out of the whole picture: leave --zoom out.")
    }
    return word
}

/// Whether the prominent thing is looked for where nothing has a name.
private func detectsSalient(_ line: CommandLineOptions) throws -> Bool {
    switch line.text("--unknown-objects") {
    case nil, "none": return false
    case "salient":
        guard !line.has("--salient") else {
            throw CommandLineError("--salient finds the prominent thing in any case: leave --unknown-objects out.")
        }
        return true
    case "moving":
        throw CommandLineError(
            "--unknown-objects moving needs a video: odt annotate --set unknown-objects=moving shows what moves.")
    case .some(let other):
        throw CommandLineError("--unknown-objects \(other) is neither none nor salient.")
    }
}

/// What was found in a picture, as it is printed.
private struct PictureReport {
    let path: String
    let picture: Picture
    let detections: [Detection]
    private let rejections: Rejections
    private let threshold: Double

    init(_ path: String, _ picture: Picture, _ found: [Detection], threshold: Double) {
        (self.path, self.picture, self.threshold) = (path, picture, threshold)
        detections = found.filter { $0.score >= threshold }
        rejections = Rejections(found, below: threshold)
    }

    /// Where there is nothing, the best of what there was instead stands in a member of its own.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "picture": .string(path), "width": .number(Double(picture.width)),
            "height": .number(Double(picture.height)),
            "objects": .array(detections.map(Self.json)),
        ]
        if detections.isEmpty, let best = rejections.best {
            members["best-rejected"] = .object(Self.members(score: best.score, label: best.label))
        }
        return .object(members)
    }

    private static func json(_ detection: Detection) -> JSONValue {
        let box = detection.box
        var members = members(score: detection.score, label: detection.label)
        members["x"] = .number(box.x)
        members["y"] = .number(box.y)
        members["width"] = .number(box.width)
        members["height"] = .number(box.height)
        return .object(members)
    }

    private static func members(score: Double, label: Label?) -> [String: JSONValue] {
        var members: [String: JSONValue] = ["score": .number(score)]
        if let label {
            members["label"] = .string(label.text)
            members["label-index"] = .number(Double(label.index))
        }
        return members
    }

    var text: String {
        let lines = detections.map { detection in
            let box = detection.box
            let numbers = [box.x, box.y, box.width, box.height].map { DecimalText.text($0, decimals: 0) }
            return "  \(DecimalText.text(detection.score, decimals: 2))  \(detection.label?.text ?? "?")  "
                + numbers.joined(separator: " ")
        }
        let count = detections.count
        let heading =
            count == 0 ? rejections.explanation(threshold: threshold) : CountText.text(count, "object")
        return (["\(path): \(heading)"] + lines).joined(separator: "\n")
    }
}
