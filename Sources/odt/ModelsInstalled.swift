import Foundation
import SwiftODT

/// A model in one of the folders that are searched.
struct InstalledModel {
    let path: String
    let manifest: ModelManifest?
    let bytes: Int
    /// Whether it is used where none is named.
    let isDefault: Bool

    /// The file's name without its extension.
    var name: String { URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent }
    var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }
    var manifestPath: String { ModelManifest.path(besideModel: path) }
    var licence: String { manifest?.licence ?? "?" }

    /// All models of all folders, in the order in which they are searched.
    static func all() -> [InstalledModel] {
        let defaults = ModelSearchPath.Purpose.allCases.compactMap { try? ModelSearchPath.locate($0) }
        return ModelSearchPath.folders.flatMap { folder in
            let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
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
        return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}

/// A model that can be fetched, from the catalogue that the fetching program works by and leaves beside what it fetched.
struct FetchableModel: Decodable {
    struct Manifest: Decodable { let licence: String }

    let name: String
    let about: String
    let manifest: Manifest
    var licence: String { manifest.licence }

    private struct Catalogue: Decodable { let models: [FetchableModel] }

    static func all() -> [FetchableModel] {
        let beside = ModelFetcher.find().map { [$0.folder + "/models/catalogue.json"] } ?? []
        for path in beside + ModelSearchPath.folders.map({ $0 + "/catalogue.json" }) {
            guard let content = FileManager.default.contents(atPath: path),
                let catalogue = try? JSONDecoder().decode(Catalogue.self, from: content)
            else { continue }
            return catalogue.models
        }
        return []
    }
}
