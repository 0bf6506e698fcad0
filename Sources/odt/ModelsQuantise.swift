import Glibc
import SwiftODT

/// `odt models quantise`: says what the network is, and has NNCF bring it to 8 bits in a program of its own.
struct ModelQuantiser {
    static let help = """
        Brings a detector to 8 bits, and says what that costs.

        usage: odt models quantise MODEL --pictures FOLDER [options]

          --pictures FOLDER   PNG or JPEG, of the kind that the network will see: 16 at least, some hundred are good. Each fourth
                              is kept back; on these the 8-bit form is compared with the float one
          --output FILE.xml   where it goes (MODEL_int8.xml beside the model); a .bin and a manifest come beside it
          --max-loss X        how many objects may be lost or added, 0 to 1 (0.1): above it nothing is written
          --force             write it all the same, and over a file that is there
          --help              this text

        NNCF (a Python package, 200 MB to download with all that it needs) is fetched the first time, into a folder of its own.
        """

    private let model: String
    private let pictures: String
    private let output: String
    private let maximumLoss: Double
    private let isForced: Bool

    init(_ words: [String]) throws {
        let line = try CommandLineOptions(
            words, valued: ["--pictures", "--output", "--max-loss"], flags: ["--force"])
        guard line.operands.count == 1 else { throw CommandLineError("'quantise' wants one MODEL.") }
        guard let pictures = line.text("--pictures") else {
            throw CommandLineError("'quantise' wants --pictures FOLDER.")
        }
        model = try ModelSearchPath.locate(named: line.operands[0])
        self.pictures = pictures
        output = line.text("--output") ?? FilePath.folder(of: model) + "/" + FilePath.stem(of: model) + "_int8.xml"
        maximumLoss = try line.number("--max-loss", in: 0...1) ?? 0.1
        isForced = line.has("--force")
    }

    /// Runs it, its words going where ours go, and gives its exit code.
    func run() throws -> Int32 {
        guard output.hasSuffix(".xml") else {
            throw CommandLineError("--output must end in .xml, which is how networks in 8 bits are kept.")
        }
        if FileBytes.size(output) != nil, !isForced {
            throw ODTError(.unsupported, "\(output) is there already; --force replaces it, --output names another")
        }
        guard let program = FilePath.canonical("/proc/self/exe"), let fetcher = FetchProgram.find(.models) else {
            throw ODTError(
                .fileNotFound, "the program that quantises is not beside this one; run odt of swiftodt's sources")
        }
        let script = fetcher.folder + "/models/quantise.py"
        return try ChildProcess(
            "/usr/bin/env",
            [
                "python3", script, model, "--pictures", pictures, "--output", output, "--odt", program,
                "--network-input", try networkInput().text, "--max-loss", String(maximumLoss),
            ] + (isForced ? ["--force"] : [])
        ).exitCode()
    }

    /// What the network is and wants, as a manifest says it.
    private func networkInput() throws -> JSONValue {
        let manifest = try ModelManifest.load(model: model)
        guard manifest?.task ?? .detection == .detection else {
            throw ODTError(
                .unsupported, "\(model) is no detector: what 8 bits cost is told by the boxes that are found")
        }
        let network = try Network.inspect(file: model)
        let labels = try Labels.load(manifest: manifest, model: model)
        let found = try DetectionFamily.recognise(network, manifest: manifest, labels: labels, file: model)
        var entries: [String: JSONValue] = [
            "name": .string(manifest?.name ?? FilePath.stem(of: model)), "family": .string(found.family.rawValue),
            "input": Self.entry(found.decoder.input),
        ]
        if let labels { entries["labels"] = .array(labels.all.map { .string($0.text) }) }
        return .object(entries)
    }

    private static func entry(_ input: NetworkInput) -> JSONValue {
        let (fit, fill): (String, UInt8) =
            switch input.fit {
            case .stretch: ("stretch", 0)
            case .letterboxTopLeft(let fill): ("letterbox", fill)
            case .letterboxCentered(let fill): ("letterbox-centred", fill)
            }
        func channels(_ values: SIMD3<Float>) -> JSONValue { .array((0..<3).map { .number(Double(values[$0])) }) }
        return .object([
            "width": .number(Double(input.width)), "height": .number(Double(input.height)),
            "colour": .string(input.channelOrder == .bgr ? "bgr" : "rgb"), "mean": channels(input.mean),
            "scale": channels(input.scale), "fit": .string(fit), "fill": .number(Double(fill)),
        ])
    }
}
