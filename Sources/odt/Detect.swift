import SwiftODT

let detectSubcommand = Subcommand(name: "detect", summary: "find the objects in pictures", help: help, work: runDetect)

private let help = """
    Finds the objects in pictures (PNG or JPEG).

    usage: odt detect [options] PICTURE...

      --model FILE     a path, or the name of an installed model (the default one; see 'odt models')
      --labels FILE    names of the model's classes, one a line (the model's own)
      --salient        look for the prominent thing, whatever it is
      --score S        show detections from this score up, 0 to 1 (0.4)
      --iou I          boxes that overlap more are one object, 0 to 1 (0.5)
      --device NAME    what computes, as the runtime calls it (CPU)
      --json           a line of JSON for each picture
      --help           this text

    Boxes are in pixels of the picture as it is stored: left, top, width, height.
    """

@Sendable private func runDetect(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments, valued: ["--model", "--labels", "--score", "--iou", "--device"],
        flags: ["--salient", "--json"])
    guard !line.operands.isEmpty else { throw CommandLineError("no picture is named.") }
    return try detect(line)
}

private func detect(_ line: CommandLineOptions) throws -> Int32 {
    var recipe = DetectorRecipe(line.has("--salient") ? .salient : .neural)
    recipe.isForStills = true
    recipe.modelFile = line.text("--model")
    recipe.labelFile = line.text("--labels")
    if let device = line.text("--device") { recipe.device = device }
    var sceneOptions = SceneOptions()
    sceneOptions.mode = .singleImage
    if let score = try line.number("--score", in: 0...1) { sceneOptions.tracker.scoreThreshold = score }
    let threshold = sceneOptions.tracker.scoreThreshold
    // Weaker ones are looked at, too: where there is nothing else the best of them is told of.
    let options = DetectionOptions(
        scoreFloor: sceneOptions.scoreFloor, iouThreshold: try line.number("--iou", in: 0...1) ?? 0.5, isAwaited: true)
    let detector = try recipe.makeDetector()
    var code = ExitCode.success
    for path in line.operands {
        do {
            let picture = try Picture(contentsOfFile: path)
            let detections = try picture.withFrame { try detector.start($0, options: options) }.wait()
            let found = PictureReport(path, picture, detections, threshold: threshold)
            print(line.has("--json") ? found.json.text : found.text)
        } catch let error as ODTError {
            complain("odt detect: \(error)")
            code = ExitCode.failure
        }
    }
    return code
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
            count == 0 ? rejections.explanation(threshold: threshold) : "\(count) object\(count == 1 ? "" : "s")"
        return (["\(path): \(heading)"] + lines).joined(separator: "\n")
    }
}
