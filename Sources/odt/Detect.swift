import Foundation
import SwiftODT

let detectSubcommand = Subcommand(name: "detect", summary: "find the objects in pictures", run: runDetect)

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

@Sendable private func runDetect(_ arguments: [String]) -> Int32 {
    do {
        let line = try CommandLineOptions(
            arguments, valued: ["--model", "--labels", "--score", "--iou", "--device"],
            flags: ["--salient", "--json", "--help", "-h"])
        if line.has("--help") || line.has("-h") {
            print(help)
            return ExitCode.success
        }
        guard !line.operands.isEmpty else { throw CommandLineError("no picture is named.") }
        return try detect(line)
    } catch let error as CommandLineError {
        complain("odt detect: \(error)\n'odt detect --help' tells how it is used.")
        return ExitCode.usage
    } catch {
        complain("odt detect: \(error)")
        return ExitCode.failure
    }
}

private func detect(_ line: CommandLineOptions) throws -> Int32 {
    var recipe = DetectorRecipe(line.has("--salient") ? .salient : .neural)
    recipe.isForStills = true
    recipe.modelFile = line.text("--model")
    recipe.labelFile = line.text("--labels")
    if let device = line.text("--device") { recipe.device = device }
    let options = DetectionOptions(
        scoreFloor: try line.number("--score", in: 0...1) ?? 0.4,
        iouThreshold: try line.number("--iou", in: 0...1) ?? 0.5, isAwaited: true)
    let detector = try recipe.makeDetector()
    var code = ExitCode.success
    for path in line.operands {
        do {
            let picture = try Picture(contentsOfFile: path)
            let detections = try picture.withFrame { try detector.start($0, options: options) }.wait()
            let found = PictureReport(path, picture, detections)
            print(line.has("--json") ? try found.json() : found.text)
        } catch let error as DetectorError {
            complain("odt detect: \(error)")
            code = ExitCode.failure
        }
    }
    return code
}

/// What was found in a picture, as it is printed.
private struct PictureReport: Encodable {
    struct Object: Encodable {
        let x, y, width, height, score: Double
        let label: String?
        let labelIndex: Int?

        enum CodingKeys: String, CodingKey {
            case x, y, width, height, score, label
            case labelIndex = "label-index"
        }
    }

    let picture: String
    let width: Int
    let height: Int
    let objects: [Object]

    init(_ path: String, _ picture: Picture, _ detections: [Detection]) {
        self.picture = path
        width = picture.width
        height = picture.height
        objects = detections.map { detection in
            Object(
                x: detection.box.x, y: detection.box.y, width: detection.box.width, height: detection.box.height,
                score: detection.score, label: detection.label?.text, labelIndex: detection.label?.index)
        }
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    var text: String {
        let lines = objects.map { object in
            let numbers = [object.x, object.y, object.width, object.height].map { String(Int($0.rounded())) }
            return
                "  \(String(format: "%.2f", object.score))  \(object.label ?? "?")  \(numbers.joined(separator: " "))"
        }
        return (["\(picture): \(objects.count) object\(objects.count == 1 ? "" : "s")"] + lines).joined(separator: "\n")
    }
}
