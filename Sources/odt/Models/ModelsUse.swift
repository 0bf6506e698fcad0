import Glibc
import ODTPlayback
import SwiftODT

/// Implements `odt models use NAME|FILE`: makes a model the default for its purpose.
func useModel(_ name: String) throws -> Int32 {
    let path = try FetchableModel.locate(name)
    let purpose = try purpose(of: path)
    // An installed model is stored by its name, which remains valid if the model moves to another folder. Other models
    // are stored with an absolute path, because a relative path depends on the working directory.
    let isInstalled = !name.contains("/") && ModelSearchPath.folders.contains(FilePath.folder(of: path))
    try write(ModelChoice.content(choosing: isInstalled ? name : FilePath.canonical(path) ?? path, for: purpose))
    // The choice has been stored, so the command succeeds even if SWIFTODT_MODEL names a missing model.
    print("The default \(purpose.rawValue) is \((try? ModelSearchPath.locate(purpose)) ?? path).")
    if let choice = ModelChoice.of(purpose), choice.origin == ModelChoice.variable {
        print("\(ModelChoice.variable)=\(choice.model) overrides the choice of \(name).")
    }
    return ExitCode.success
}

/// Implements `odt models use --best`: removes the user's choices for all purposes. The default for each purpose is
/// then the best installed model.
func useBestModels() throws -> Int32 {
    guard let file = ModelChoice.file else { throw noHome }
    guard unlink(file) == 0 || errno == ENOENT else {
        throw ODTError(.failed, "cannot remove \(file): \(String(cString: strerror(errno)))")
    }
    for purpose in ModelSearchPath.Purpose.allCases {
        if let path = try? ModelSearchPath.locate(purpose) { print("The default \(purpose.rawValue) is \(path).") }
    }
    return ExitCode.success
}

/// Returns the purpose of a model, which its manifest specifies. A model without a manifest is a detector.
///
/// - Throws: ``ODTError`` if the model cannot be used.
private func purpose(of path: String) throws -> ModelSearchPath.Purpose {
    var configuration = DetectorConfiguration(.neural)
    switch try ModelManifest.load(besideModel: path)?.task {
    case .classification?:
        _ = try Network.inspect(file: path)
        return .classifier
    case .saliency?: configuration.kind = .salient
    case .reidentification?:
        throw ODTError(
            .unsupported,
            "\(path) is a re-identification network, which has no default to choose; set reidentification-file")
    case .detection?, nil: break
    }
    configuration.modelFile = path
    try configuration.inspect()
    return configuration.kind == .salient ? .salient : .detector
}

private let noHome = ODTError(.failed, "this user has no home folder; set XDG_CONFIG_HOME, or SWIFTODT_MODEL instead")

private func write(_ content: String) throws {
    guard let file = ModelChoice.file else { throw noHome }
    try PartFile.write(Array(content.utf8), to: file)
}
