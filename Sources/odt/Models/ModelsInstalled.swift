import ODTPlayback
import SwiftODT

struct InstalledModel {
    let path: String
    let manifest: ModelManifest?
    let bytes: Int
    /// Whether this model is used if the user names no model.
    let isDefault: Bool

    var name: String { FilePath.stem(of: path) }
    var folder: String { FilePath.folder(of: path) }
    var manifestPath: String { ModelManifest.path(besideModel: path) }
    var licence: String { manifest?.licence ?? "?" }

    static func all() -> [InstalledModel] {
        let defaults = ModelSearchPath.Purpose.allCases.compactMap { try? ModelSearchPath.locate($0) }
        return ModelSearchPath.folders.flatMap { folder in
            let files = PartFile.names(in: folder).sorted()
            return files.filter { ModelFormat(file: $0) != nil }.map { file in
                let path = folder + "/" + file
                let manifest = try? ModelManifest.load(besideModel: path)
                return InstalledModel(
                    path: path, manifest: manifest, bytes: size(of: path, manifest), isDefault: defaults.contains(path))
            }
        }
    }

    private static func size(of path: String, _ manifest: ModelManifest?) -> Int {
        if let files = manifest?.files, !files.isEmpty { return files.reduce(0) { $0 + $1.bytes } }
        return FileBytes.size(path) ?? 0
    }
}

/// A model that `fetch-models` can download, as listed in its catalogue. The catalogue is installed with
/// `fetch-models`, and each download also copies it to the folder of the models.
struct FetchableModel {
    let name: String
    let about: String
    let licence: String

    private init?(_ entry: JSONValue) {
        guard let name = entry["name"]?.string, let about = entry["about"]?.string,
            let licence = entry["manifest"]?["licence"]?.string
        else { return nil }
        (self.name, self.about, self.licence) = (name, about, licence)
    }

    static func all() -> [FetchableModel] {
        let beside = FetchProgram.find(.models).map { [$0.folder + "/models/catalogue.json"] } ?? []
        for path in beside + ModelSearchPath.folders.map({ $0 + "/catalogue.json" }) {
            guard let content = try? FileBytes.read(path, limit: 1 << 20),
                let models = try? JSONValue(parsing: content)["models"]?.array
            else { continue }
            return models.compactMap(FetchableModel.init)
        }
        return []
    }

    static func isFetchable(_ name: String) -> Bool { all().contains { $0.name == name } }

    /// Returns the path of a model, like ``ModelSearchPath/locate(named:)``.
    ///
    /// - Throws: ``ODTError`` if the model is not found. If the model is in the catalogue, the error names the command
    ///   that fetches the model.
    static func locate(_ name: String) throws -> String {
        do {
            return try ModelSearchPath.locate(named: name)
        } catch {
            guard isFetchable(name) else { throw error }
            throw ODTError(.fileNotFound, "\(name) is not installed; \"odt models fetch \(name)\" fetches it")
        }
    }
}
