import ODTPlayback
import SwiftODT

let detectSubcommand = Subcommand(
    name: "detect", summary: "detect objects in pictures, or record detections of a video", help: help, work: runDetect)

private let help = """
    Detects objects in pictures, or records the detections in a video for later use.

    usage: odt detect [options] PICTURE...
           odt detect [options] VIDEO --detections FILE
           odt detect VIDEO --cuts SECONDS

    PICTURE is a PNG or JPEG file. '-' as PICTURE or VIDEO is standard input.

      --model FILE     a model file or the name of an installed model (see 'odt models list'; default: the installed default
                       detector)
      --labels FILE    class names of the model, one per line (default: those of the model)
      --salient        detect the most prominent object of any class
      --unknown-objects WHICH
                       pictures only: none, or salient: if there is no detection, report the prominent object (default: none)
      --score S        minimum score of reported detections, 0 to 1 (default: the model's, usually 0.4)
      --iou I          maximum overlap (intersection over union) of two detections, 0 to 1 (default: 0.5)
      --zoom WHICH     detect small objects: grid runs inference on the full frame and on all of its tiles, for example 17
                       inferences for 640x480, 55 for 1920x1080, 199 for 3840x2160; auto (videos only) runs inference on
                       the full frame or on one region of each frame, selected by the tracker (default: off)
      --device NAME    OpenVINO device, such as CPU or GPU (default: CPU)
      --json           print one line of JSON per picture
      --help           show this text

    options for videos:
      --detections FILE
                       record all detections from a score of 0.1 up, frame by frame, for the element's detector=recorded
      --every N        run inference on every Nth frame (default: 1)
      --from T, --to T process only the frames from T seconds on, and before T seconds (default: all); prints checksums of
                       the first frames of this part and of the next one, to verify that parts fit together
      --cuts S         only print the length of the video and the times at which parts of about S seconds can begin,
                       in nanoseconds
      --set NAME=VALUE set a property of the element; repeatable: --set threads=1
      --force          replace an existing recording

    Boxes are printed as left, top, width, height in pixels of the stored picture; for videos, of the upright frame.

    The exit codes are those of odt annotate. If several pictures fail, the last failure determines the code.

    A recording is written continuously. If it is interrupted (Ctrl-C, full disk, kill -9), it can be used, and the same command
    resumes it. Recorded detections make it possible to repeat tracking, counting and drawing without inference:
      odt detect street.mp4 --detections street.jsonl
      odt annotate --set detector=recorded --set detections-file=street.jsonl street.mp4 annotated.mp4
    """

@Sendable private func runDetect(_ arguments: [String]) throws -> Int32 {
    let valued: Set = [
        "--model", "--labels", "--score", "--iou", "--device", "--detections", "--every", "--unknown-objects", "--from",
        "--to", "--cuts", "--set", "--zoom",
    ]
    let flags: Set = ["--salient", "--json", "--force"]
    let line = try CommandLineOptions(arguments, valued: valued, flags: flags)
    if let length = try line.number("--cuts", in: 0.1...1e6) {
        let others = valued.subtracting(["--cuts"]).filter { line.text($0) != nil }.union(flags.filter(line.has))
        if let other = others.min() { throw CommandLineError("--cuts does not run the detector: leave out \(other).") }
        return try cut(line, each: length)
    }
    if let file = line.text("--detections") { return try record(line, into: file) }
    for name in ["--every", "--force", "--from", "--to", "--set"] where line.has(name) || line.text(name) != nil {
        throw CommandLineError("\(name) needs a video and --detections FILE.")
    }
    guard !line.operands.isEmpty else { throw CommandLineError("name a PICTURE, or a video with --detections FILE.") }
    return try convertingModelErrors { try detect(line) }
}

private func cut(_ line: CommandLineOptions, each length: Double) throws -> Int32 {
    let video = try line.video()
    return try convertingUsageErrors {
        try PluginSearch.startGStreamer()
        print(try VideoCuts(video).find(each: Nanoseconds(seconds: length)))
        return ExitCode.success
    }
}

/// Returns the range of frame times to process; `nil` to process all frames.
private func range(_ line: CommandLineOptions) throws -> Range<Nanoseconds>? {
    // A Double represents every whole nanosecond only up to about 9e6 s, so the limit is below that.
    let (from, to) = (try line.number("--from", in: 0...4e6), try line.number("--to", in: 0...4e6))
    guard from != nil || to != nil else { return nil }
    let (start, end) = (from.map(Nanoseconds.init(seconds:)) ?? 0, to.map(Nanoseconds.init(seconds:)) ?? .max)
    guard start < end else { throw CommandLineError("--to must be later than --from.") }
    return start..<end
}

private func record(_ line: CommandLineOptions, into file: String) throws -> Int32 {
    let video = try line.video()
    guard !line.has("--json") else { throw CommandLineError("leave out --json: a recording is always JSON.") }
    guard line.text("--unknown-objects") == nil else {
        throw CommandLineError(
            "--unknown-objects is for pictures: for a video, set it when the recorded detections are played back, "
                + "for example with odt annotate --set unknown-objects=salient.")
    }
    guard !file.isEmpty, file != "-" else { throw CommandLineError("--detections needs a file name.") }
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
    settings += line.properties
    let range = try range(line)
    let depends = settings.first {
        ["zoom=auto", "detector=motion"].contains($0)
            || $0.hasPrefix("inference-interval=") && $0 != "inference-interval=1"
    }
    if range != nil, let depends {
        throw CommandLineError("\(depends) depends on earlier frames: leave out --from and --to.")
    }
    return try convertingUsageErrors {
        try PluginSearch.start()
        _ = TerminationHandler.shared
        return try VideoDetection(
            StandardInput.videoPath(of: video), into: file, settings: settings, range: range,
            mayReplace: line.has("--force")
        ).run()
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
    let score = try line.number("--score", in: 0...1)
    sceneOptions.tracker.scoreThreshold = score ?? configuration.scoreThreshold
    let threshold = sceneOptions.tracker.scoreThreshold
    // The detector also returns detections below the score threshold, down to the score floor. If no detection reaches
    // the threshold, the best detection below it can then be reported.
    var options = DetectionOptions(
        scoreFloor: sceneOptions.scoreFloor, iouThreshold: try line.number("--iou", in: 0...1) ?? 0.5, isAwaited: true)
    if let zoom = try zoom(line) {
        guard zoom == "grid" else {
            throw CommandLineError("--zoom auto needs a video and --detections; use --zoom grid for pictures.")
        }
        options.view = .grid
        // The inferences on the tiles of one picture run in parallel.
        configuration.hint = .throughput
    }
    let detectsSalient = try detectsSalient(line)
    // Loading the model takes long, so a missing picture is detected first.
    var loaded: (detector: any Detector, salient: (any Detector)?)?
    var code = ExitCode.success
    for path in line.operands {
        let picture: Picture
        do {
            picture = try StandardInput.picture(of: path)
        } catch let error as ODTError {
            printError("odt detect: \(unreadable(path, error))")
            code = ExitCode.of(error.reason)
            continue
        }
        let (detector, salient) =
            try loaded
            ?? (
                try configuration.makeDetector(),
                detectsSalient ? try configuration.salientConfiguration.makeDetector() : nil
            )
        loaded = (detector, salient)
        do {
            var detections = try picture.withFrame { try detector.start($0, options: options) }.wait()
            var limit = threshold
            if let salient, !detections.contains(where: { $0.score >= threshold }) {
                let thing = try picture.withFrame { try salient.start($0, options: options) }.wait().prefix(1)
                let least = score ?? salient.traits.scoreThreshold ?? DetectorTraits.usualScoreThreshold
                if thing.contains(where: { $0.score >= least }) { (detections, limit) = (Array(thing), least) }
            }
            let found = PictureReport(path, picture, detections, threshold: limit)
            print(line.has("--json") ? found.json.text : found.text)
            flushOutput()
        } catch let error as ODTError {
            printError("odt detect: \(error)")
            code = ExitCode.of(error.reason)
        }
    }
    return code
}

private func unreadable(_ path: String, _ error: ODTError) -> String {
    guard error.reason != .fileNotFound, AnnotationBatch.isVideo(path) else { return "\(error)" }
    return "\(path) is a video: use --detections FILE to record its detections, or 'odt annotate' to draw them"
}

/// Returns the value for the element's property `zoom`; `nil` if zoom is off.
private func zoom(_ line: CommandLineOptions) throws -> String? {
    guard let word = line.text("--zoom"), word != "off" else { return nil }
    guard word == "grid" || word == "auto" else {
        throw CommandLineError("invalid value '\(word)' of --zoom: use off, auto or grid.")
    }
    guard !line.has("--salient") else {
        throw CommandLineError("--salient needs the full frame: leave out --zoom.")
    }
    return word
}

/// Returns whether to report the most prominent object of a picture that has no detections.
private func detectsSalient(_ line: CommandLineOptions) throws -> Bool {
    switch line.text("--unknown-objects") {
    case nil, "none": return false
    case "salient":
        guard !line.has("--salient") else {
            throw CommandLineError("--salient already reports the prominent object: leave out --unknown-objects.")
        }
        return true
    case "moving":
        throw CommandLineError(
            "--unknown-objects moving needs a video: use odt annotate --set unknown-objects=moving.")
    case .some(let other):
        throw CommandLineError("invalid value '\(other)' of --unknown-objects: use none or salient.")
    }
}

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

    /// If there are no detections, the member `best-rejected` holds the best detection below the threshold.
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
            return "  \(DecimalText.text(detection.score, decimals: 2))  \(detection.label?.text ?? "object")  "
                + numbers.joined(separator: " ")
        }
        let count = detections.count
        let heading =
            count == 0 ? rejections.explanation(threshold: threshold) : CountText.text(count, "object")
        return (["\(path): \(heading)"] + lines).joined(separator: "\n")
    }
}
