import SwiftODT

/// Examines whether the default models are installed and intact.
@Sendable func examineModels() -> [Finding] {
    let installed = InstalledModel.all()
    let fetch = FetchProgram.modelAdvice
    return ModelSearchPath.Purpose.allCases.map { purpose in
        let part = purpose.rawValue
        guard let path = try? ModelSearchPath.locate(purpose) else {
            return .missing(
                part, "no model in \(ModelSearchPath.folders.joined(separator: ", "))",
                remedy: "run \(fetch) to fetch it")
        }
        guard let model = installed.first(where: { $0.path == path }), let manifest = model.manifest,
            !manifest.files.isEmpty
        else {
            return .limited(
                part, "\(path) has no manifest, so its integrity cannot be checked",
                remedy: "run \(fetch) to fetch it with its manifest")
        }
        let damaged = manifest.files.map { (path: model.folder + "/" + $0.name, sum: $0.sha256) }
            .filter { (try? FileDigest.sha256($0.path)) != $0.sum }
        guard let first = damaged.first else { return .fine(part, "\(model.name), intact, \(path)") }
        return .missing(
            part, "\(first.path) is damaged or missing",
            remedy: "remove \(model.manifestPath) and run \(fetch)")
    }
}
