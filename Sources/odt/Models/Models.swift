import ODTPlayback
import SwiftODT

let modelsSubcommand = Subcommand(
    name: "models", summary: "list, fetch, verify and inspect models", help: help, work: runModels)

private let help = """
    Manages the models for detection and classification. Each model has a manifest beside it.

    usage: odt models list             list the installed models and those that can be fetched
           odt models fetch [NAME...]  fetch and prepare models (default: the default models; 'all' for all)
           odt models fetch --from URL|FILE [--sha256 HEX ...]   add your own model; see fetch --help
           odt models quantise MODEL --pictures FOLDER           convert a detector to 8 bits; see quantise --help
           odt models use NAME|FILE    make a model the default of its purpose for this user; SWIFTODT_MODEL overrides the
                                       detector
           odt models use --best       use the best installed models again
           odt models verify           compare the installed files with the hashes in their manifests
           odt models show FILE        print family, inputs, outputs and the first labels of a model

    Models are searched in these folders, in this order (SWIFTODT_MODEL_PATH adds folders before them):
    \(ModelSearchPath.folders.map { "  " + $0 }.joined(separator: "\n"))

    examples:
      odt models fetch all
      odt models use yolox_nano
    """

@Sendable private func runModels(_ arguments: [String]) throws -> Int32 {
    // The commands `fetch` and `quantise` parse their own options.
    if arguments.first == "fetch" { return try fetchModels(Array(arguments.dropFirst())) }
    if arguments.first == "quantise" { return try quantiseModel(Array(arguments.dropFirst())) }
    let line = try CommandLineOptions(arguments, valued: [], flags: ["--best"])
    guard !line.has("--best") || line.operands == ["use"] else {
        throw CommandLineError("--best belongs to 'use' alone.")
    }
    let rest = Array(line.operands.dropFirst())
    switch line.operands.first {
    case "list" where rest.isEmpty: return listModels()
    case "use" where line.has("--best"): return try useBestModels()
    case "use" where rest.count == 1: return try useModel(rest[0])
    case "use": throw CommandLineError("'use' needs one NAME or FILE, or --best.")
    case "verify" where rest.isEmpty: return verifyModels()
    case "show" where rest.count == 1: return try showModel(rest[0])
    case "show": throw CommandLineError("'show' needs one FILE.")
    case "list", "verify": throw CommandLineError("'\(line.operands[0])' takes no operands.")
    case let name?: throw CommandLineError("unknown command '\(name)': use list, use, fetch, quantise, verify or show.")
    case nil: throw CommandLineError("missing command: use list, use, fetch, quantise, verify or show.")
    }
}

private func listModels() -> Int32 {
    let installed = InstalledModel.all()
    let available = FetchableModel.all().filter { known in
        !installed.contains { $0.manifest != nil && $0.name == known.name }
    }
    let width = (installed.map(\.name) + available.map(\.name)).reduce(26) { max($0, $1.count + 2) }
    func columns(_ name: String, _ state: String, _ licence: String, _ size: String) -> String {
        zip([name, state, licence, size], [width, 16, 14, 10])
            .map { padded($0, to: max($1, $0.count + 2)) }.joined()
    }
    for model in installed {
        print(
            columns(model.name, model.isDefault ? "default" : "installed", model.licence, size(model.bytes))
                + model.path)
    }
    for model in available {
        print(columns(model.name, "not installed", model.licence, "") + model.about)
    }
    if installed.isEmpty, available.isEmpty {
        print("No models found; run \(FetchProgram.modelAdvice) to fetch the default ones.")
    }
    return ExitCode.success
}

private func size(_ bytes: Int) -> String { DecimalText.text(Double(bytes) / 1e6, decimals: 1) + " MB" }

private func fetchModels(_ names: [String]) throws -> Int32 {
    guard let fetcher = FetchProgram.find(.models) else {
        printError(
            "odt models: cannot find the program that fetches models; run \(FetchProgram.Kind.models.advice) in swiftodt's sources"
        )
        return ExitCode.failure
    }
    return try fetcher.run(names)
}

private func verifyModels() -> Int32 {
    var code = ExitCode.success
    let models = InstalledModel.all()
    if models.isEmpty {
        printError("odt models: no models are installed; run \(FetchProgram.modelAdvice) to fetch the default ones")
        code = ExitCode.failure
    }
    let known = Set(models.map(\.manifestPath))
    for path in ModelSearchPath.folders.flatMap(manifests) where !known.contains(path) {
        printError("odt models: the model of \(path) is missing; remove the file, or fetch the model again")
        code = ExitCode.failure
    }
    for model in models {
        if model.manifest == nil, FileBytes.size(model.manifestPath) != nil {
            printError("odt models: \(model.manifestPath) is damaged; remove it and fetch the model again")
            code = ExitCode.failure
            continue
        }
        guard let manifest = model.manifest, !manifest.files.isEmpty else {
            print("\(model.name): no hashes to compare with")
            continue
        }
        for file in manifest.files {
            let path = model.folder + "/" + file.name
            if (try? FileDigest.sha256(path)) == file.sha256 {
                print("\(file.name): intact")
            } else {
                printError("odt models: \(path) is damaged or missing; remove \(model.manifestPath) and fetch it again")
                code = ExitCode.failure
            }
        }
    }
    return code
}

private func manifests(in folder: String) -> [String] {
    PartFile.names(in: folder).sorted().filter { $0.hasSuffix(".json") && $0 != "catalogue.json" }
        .map { folder + "/" + $0 }
}

private func showModel(_ name: String) throws -> Int32 {
    let file = try FetchableModel.locate(name)
    let manifest = try ModelManifest.load(model: file)
    let labels = try Labels.load(manifest: manifest, model: file)
    let network = try Network.inspect(file: file)
    print(file)
    print("  name     \(FilePath.stem(of: file))")
    print("  sum      \(try DetectorConfiguration.sum(of: file))")
    if let manifest {
        print("  title    \(manifest.name)")
        if let licence = manifest.licence { print("  licence  \(licence)") }
        if let source = manifest.source { print("  source   \(source)") }
    }
    if let threshold = manifest?.scoreThreshold { print("  minimum score \(threshold)") }
    for input in network.inputs { print("  input    \(text(input))") }
    for output in network.outputs { print("  output   \(text(output))") }
    if let labels {
        let shown = labels.all.prefix(10).map(\.text) + (labels.all.count > 10 ? ["..."] : [])
        print("  labels   \(labels.all.count): \(shown.joined(separator: ", "))")
    } else {
        print("  labels   none in or beside the file")
    }
    switch manifest?.task {
    case .saliency?, .classification?, .reidentification?:
        print("  used for \(manifest?.task?.rawValue ?? "")")
    case .detection?, nil:
        do {
            let found = try DetectionFamily.recognise(network, manifest: manifest, labels: labels, file: file)
            print("  family   \(found.family.rawValue)")
            if labels == nil, let assumed = found.decoder.labels, !assumed.isEmpty {
                print("  assumed  \(assumed.count) labels of COCO: \(assumed.prefix(4).joined(separator: ", ")), ...")
            }
            print("  picture  \(found.decoder.input.summary)")
        } catch let error as ODTError {
            print("  family   none: \(error)")
        }
    }
    return ExitCode.success
}

private func text(_ tensor: TensorDescription) -> String {
    "\(tensor.shapeText) \(tensor.element)" + (tensor.name.isEmpty ? "" : "  \(tensor.name)")
}
