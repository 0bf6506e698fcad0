import SwiftODT

let classifySubcommand = Subcommand(
    name: "classify", summary: "sort what is in pictures into coarse categories", help: help, work: runClassify)

private let help = """
    Says which coarse category (fashion good, home good, food, place, plant, unknown) pictures or parts of them belong to.

    usage: odt classify [options] PICTURE...

      --model FILE     a path, or the name of an installed image classifier (the default one; see 'odt models')
      --labels FILE    names of the model's classes, one a line (the model's own)
      --boxes FILE     look at these parts: lines of left, top, width, height (pixels) and the picture's path, with spaces between
      --threshold T    a category is told from this confidence up, 0 to 1 (the model's own)
      --device NAME    what computes, as the runtime calls it (CPU)
      --json           a line of JSON for each picture or part
      --help           this text
    """

@Sendable private func runClassify(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments, valued: ["--model", "--labels", "--boxes", "--threshold", "--device"],
        flags: ["--json"])
    let crops = try line.operands.map { Crop(picture: $0, box: nil) } + (line.text("--boxes").map(Crop.read) ?? [])
    guard !crops.isEmpty else { throw CommandLineError("no picture is named.") }
    return try classify(crops, line)
}

private func classify(_ crops: [Crop], _ line: CommandLineOptions) throws -> Int32 {
    let threshold = try line.number("--threshold", in: 0...1)
    // Loaded for the first picture that can be read: a missing file is reported at once.
    var loaded: CropClassifier?
    var code = ExitCode.success
    var latest: (path: String, picture: Picture)?
    for crop in crops {
        let picture: Picture
        do {
            if let latest, latest.path == crop.picture {
                picture = latest.picture
            } else {
                picture = try Picture(contentsOfFile: crop.picture)
            }
        } catch let error as ODTError {
            printError("odt classify: \(error)")
            code = ExitCode.failure
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
            let report = CropReport(crop, answer, threshold: threshold ?? classifier.threshold)
            print(line.has("--json") ? report.json.text : report.text)
            flushOutput()
        } catch let error as ODTError {
            printError("odt classify: \(error)")
            code = ExitCode.failure
        }
    }
    return code
}

/// A picture, or a part of one.
private struct Crop {
    let picture: String
    let box: Box?

    static func read(_ file: String) throws -> [Crop] {
        let text = String(decoding: try FileBytes.read(file, limit: 1 << 30), as: UTF8.self)
        return try text.split(separator: "\n").enumerated().map { number, line in
            let words = line.split(separator: " ", maxSplits: 4)
            let figures = words.prefix(4).compactMap { Double($0) }
            guard words.count == 5, figures.count == 4 else {
                throw CommandLineError("line \(number + 1) of \(file) is not four numbers and the path of a picture.")
            }
            return Crop(
                picture: String(words[4]),
                box: Box(x: figures[0], y: figures[1], width: figures[2], height: figures[3]))
        }
    }
}

/// What a crop was taken for, as it is printed.
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

    /// `scores`: how much speaks for each category.
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
