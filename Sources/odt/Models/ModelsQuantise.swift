import Glibc
import SwiftODT

private let help = """
    Converts a detector to 8-bit integers (INT8) and reports the loss of accuracy.

    usage: odt models quantise MODEL --pictures FOLDER [options]

      --pictures FOLDER   PNG or JPEG files that resemble the network's future input: at least 16, better hundreds.
                          Every fourth is held out to compare the 8-bit model with the original
      -o FILE.xml         the new model; a .bin file and a manifest are written beside it
                          (default: MODEL_int8.xml beside the model)
      --max-loss X        maximum fraction of lost or added objects, 0 to 1; above it nothing is written (default: 0.1)
      --force             write the model despite a larger loss, and replace an existing file
      --help              show this text

    The first run downloads NNCF (a Python package, 200 MB with its dependencies) into a folder of its own.

    examples:
      odt models quantise yolox_nano --pictures frames/
    """

/// The command `odt models quantise`. Determines the input format of the network and runs NNCF, OpenVINO's quantiser, in
/// a Python process.
func quantiseModel(_ words: [String]) throws -> Int32 {
    let line: CommandLineOptions
    do {
        line = try CommandLineOptions(words, valued: ["--pictures", "-o", "--max-loss"], flags: ["--force"])
    } catch is HelpRequest {
        print(help)
        return ExitCode.success
    }
    guard line.operands.count == 1 else { throw CommandLineError("'quantise' needs one MODEL.") }
    guard let pictures = line.text("--pictures") else {
        throw CommandLineError("'quantise' needs --pictures FOLDER.")
    }
    let model = try FetchableModel.locate(line.operands[0])
    let output = line.text("-o") ?? FilePath.folder(of: model) + "/" + FilePath.stem(of: model) + "_int8.xml"
    let maximumLoss = try line.number("--max-loss", in: 0...1) ?? 0.1
    guard output.hasSuffix(".xml") else {
        throw CommandLineError("-o must end in .xml, the format of 8-bit models.")
    }
    if FileBytes.size(output) != nil, !line.has("--force") {
        throw ODTError(.unsupported, "\(output) already exists; use --force to replace it, or another file with -o")
    }
    guard let program = FilePath.canonical("/proc/self/exe"), let fetcher = FetchProgram.find(.models) else {
        throw ODTError(.fileNotFound, "cannot find quantise.py; run odt of swiftodt's sources")
    }
    return try ChildProcess(
        "/usr/bin/env",
        [
            "python3", fetcher.folder + "/models/quantise.py", model, "--pictures", pictures, "--output", output,
            "--odt", program, "--network-input", try networkInput(of: model).text, "--max-loss", String(maximumLoss),
        ] + (line.has("--force") ? ["--force"] : [])
    ).exitCode()
}

/// Returns the model's name, network family, input and labels in the format of a manifest.
private func networkInput(of model: String) throws -> JSONValue {
    let manifest = try ModelManifest.load(model: model)
    guard manifest?.task ?? .detection == .detection else {
        throw ODTError(.unsupported, "\(model) is not a detector: only detectors can be quantised")
    }
    let network = try Network.inspect(file: model)
    let labels = try Labels.load(manifest: manifest, model: model)
    let found = try DetectionFamily.recognise(network, manifest: manifest, labels: labels, file: model)
    var entries: [String: JSONValue] = [
        "name": .string(manifest?.name ?? FilePath.stem(of: model)), "family": .string(found.family.rawValue),
        "input": entry(found.decoder.input),
    ]
    // Unused indices have empty names.
    if let labels { entries["labels"] = .array((0..<labels.count).map { .string(labels[$0]?.text ?? "") }) }
    return .object(entries)
}

private func entry(_ input: NetworkInput) -> JSONValue {
    let (fit, fill) = fitEntries(of: input)
    func channels(_ values: SIMD3<Float>) -> JSONValue { .array((0..<3).map { .number(Double(values[$0])) }) }
    return .object([
        "width": .number(Double(input.width)), "height": .number(Double(input.height)),
        "colour": .string(input.channelOrder == .bgr ? "bgr" : "rgb"), "mean": channels(input.mean),
        "scale": channels(input.scale), "fit": .string(fit), "fill": .number(Double(fill)),
    ])
}

/// Returns the manifest's entries "fit" (how a picture is fitted into the network's input) and "fill" (the value, 0 to
/// 255, of the input's pixels beside the picture).
private func fitEntries(of input: NetworkInput) -> (fit: String, fill: UInt8) {
    switch input.fit {
    case .stretch: ("stretch", 0)
    case .letterboxTopLeft(let fill): ("letterbox", fill)
    case .letterboxCentered(let fill): ("letterbox-centred", fill)
    }
}
