/// The class names of a network, by class index.
///
///     let labels = try Labels.load(file: "coco.txt", manifest: nil, model: "yolov8n.onnx")
///     print(labels?[0]?.text ?? "no name")
public struct Labels: Sendable {
    private let labels: [Label?]

    /// - Parameter names: the names in the order of the network's classes. An empty name marks an unused index.
    public init(_ names: [String]) {
        labels = names.enumerated().map { $1.isEmpty ? nil : Label(index: $0, text: $1) }
    }

    /// The number of indices, including unused ones.
    public var count: Int { labels.count }

    /// Returns the label of a class index, or `nil` if the index has none.
    public subscript(index: Int) -> Label? { labels.indices.contains(index) ? labels[index] : nil }

    /// All labels in index order, without unused indices.
    public var all: [Label] { labels.compactMap(\.self) }
}

extension Labels {
    /// The names of the built-in vocabularies, as used in manifests.
    public static let vocabularies = ["coco80", "coco90"]

    /// Returns the built-in vocabulary of a name, or `nil` if there is none.
    public static func vocabulary(_ name: String) -> Labels? {
        switch name {
        case "coco80": Labels(COCOVocabulary.names)
        case "coco90": Labels(COCOVocabulary.namesByPaperIndex)
        default: nil
        }
    }

    /// Loads the class names of a model. The first available source is used: `file`, the manifest, the model file
    /// itself, or a text file beside it (`model.txt`, `model_labels.txt` or `labels.txt`). Returns `nil` if there is
    /// none.
    ///
    /// - Throws: ``ODTError`` if a file that was specified is missing or is not a label file.
    public static func load(file: String? = nil, manifest: ModelManifest?, model: String) throws -> Labels? {
        if let file { return try load(file: file) }
        switch manifest?.labels {
        case .list(let names): return Labels(names)
        case .file(let path): return try load(file: path)
        case .vocabulary(let name): return vocabulary(name)
        case nil: break
        }
        return try embedded(in: model) ?? beside(model)
    }

    private static func beside(_ model: String) throws -> Labels? {
        let stem = ModelManifest.path(besideModel: model).dropLast(".json".utf8.count)
        let folder = stem[..<(stem.lastIndex(of: "/").map(stem.index(after:)) ?? stem.startIndex)]
        for path in [stem + ".txt", stem + "_labels.txt", folder + "labels.txt"]
        where FileBytes.size(String(path)) != nil {
            return try load(file: String(path))
        }
        return nil
    }
}
