import SwiftODT

let classifySubcommand = Subcommand(
    name: "classify", summary: "classify pictures into coarse categories", help: help, work: runClassify)

private let help = """
    Classifies pictures, or parts of them, into coarse categories: fashion good, home good, food, place, plant or unknown.

    usage: odt classify [options] PICTURE...

    PICTURE is a PNG or JPEG file, or '-' for standard input.

      --model FILE     a model file or the name of an installed image classifier (see 'odt models list'; default: the
                       installed default classifier)
      --labels FILE    class names of the model, one per line (default: those of the model)
      --boxes FILE     classify these parts of pictures; each line is: left top width height PICTURE (pixels, separated by spaces)
      --threshold T    minimum confidence of a category, 0 to 1; below it the category is unknown (default: that of the model)
      --device NAME    OpenVINO device, such as CPU or GPU (default: CPU)
      --json           print one line of JSON per picture or part
      --help           show this text

    examples:
      odt classify --threshold 0.5 shirt.jpg pizza.png
    """

@Sendable private func runClassify(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments, valued: ["--model", "--labels", "--boxes", "--threshold", "--device"],
        flags: ["--json"])
    let crops = try line.operands.map { Crop(picture: $0, box: nil) } + (line.text("--boxes").map(Crop.read) ?? [])
    guard !crops.isEmpty else { throw CommandLineError("missing PICTURE: name a picture or use --boxes FILE.") }
    return try convertingModelErrors { try classify(crops, line) }
}

private func classify(_ crops: [Crop], _ line: CommandLineOptions) throws -> Int32 {
    let threshold = try line.number("--threshold", in: 0...1)
    // Loading the model takes long, so a missing picture is detected first.
    var loaded: CropClassifier?
    var code = ExitCode.success
    var latest: (path: String, picture: Picture)?
    for crop in crops {
        let picture: Picture
        do {
            if let latest, latest.path == crop.picture {
                picture = latest.picture
            } else {
                picture = try StandardInput.picture(of: crop.picture)
            }
        } catch let error as ODTError {
            printError("odt classify: \(error)")
            code = ExitCode.of(error.reason)
            continue
        }
        latest = (crop.picture, picture)
        let classifier =
            try loaded
            ?? CropClassifier(
                modelFile: line.text("--model"), labelFile: line.text("--labels"),
                device: line.text("--device") ?? "CPU", table: .installed())
        loaded = classifier
        do {
            let whole = Box(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height))
            let answer = try picture.withFrame { try classifier.start($0, box: crop.box ?? whole) }.wait()
            guard answer.labelScore.isFinite else {
                throw ODTError(.failed, "\(crop.picture): the classifier returned scores that are not finite")
            }
            let report = CropReport(crop, answer, threshold: threshold ?? classifier.threshold)
            print(line.has("--json") ? report.json.text : report.text)
            flushOutput()
        } catch let error as ODTError {
            printError("odt classify: \(error)")
            code = ExitCode.of(error.reason)
        }
    }
    return code
}

/// A picture or, if `box` is given, a part of a picture.
private struct Crop {
    let picture: String
    let box: Box?

    static func read(_ file: String) throws -> [Crop] {
        let text = String(decoding: try FileBytes.read(file, limit: 1 << 30), as: UTF8.self)
        return try text.split(whereSeparator: \.isNewline).enumerated().map { number, line in
            let words = line.split(separator: " ", maxSplits: 4)
            let figures = words.prefix(4).compactMap { Double($0) }
            guard words.count == 5, figures.count == 4 else {
                throw CommandLineError("\(file):\(number + 1): expected four numbers and the path of a picture.")
            }
            return Crop(
                picture: String(words[4]),
                box: Box(x: figures[0], y: figures[1], width: figures[2], height: figures[3]))
        }
    }
}

private struct CropReport {
    private let picture: String
    private let category: SwiftODT.Category
    private let confidence: Double?
    private let answer: Classification

    init(_ crop: Crop, _ answer: Classification, threshold: Double) {
        let best = answer.scores.best
        let isKnown = best != .unknown && answer.scores[best] >= threshold
        picture = crop.picture
        category = isKnown ? best : .unknown
        confidence = isKnown ? answer.scores[best] : nil
        self.answer = answer
    }

    var json: JSONValue {
        let scores = SwiftODT.Category.allCases.map { ($0.name, JSONValue.number(answer.scores[$0])) }
        var members: [String: JSONValue] = [
            "picture": .string(picture), "category": .string(category.name), "label-score": .number(answer.labelScore),
            "scores": .object(Dictionary(uniqueKeysWithValues: scores)),
        ]
        if let confidence { members["confidence"] = .number(confidence) }
        if let label = answer.label { members["label"] = .string(label.text) }
        return .object(members)
    }

    var text: String {
        let figure = confidence.map { " " + DecimalText.text($0, decimals: 2) } ?? ""
        let label = "\(answer.label?.text ?? "?") \(DecimalText.text(answer.labelScore, decimals: 2))"
        return "\(picture): \(category.name)\(figure) (\(label))"
    }
}
