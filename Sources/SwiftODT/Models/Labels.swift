/// The names of the classes that a network tells apart, by the network's own index.
///
///     let labels = try Labels.load(file: "coco.txt", manifest: nil, model: "yolov8n.onnx")
///     print(labels?[0]?.text ?? "no name")
public struct Labels: Sendable {
    private let labels: [Label?]

    /// - Parameter names: in the order of the network's classes; an empty name marks an index that means nothing.
    public init(_ names: [String]) {
        labels = names.enumerated().map { $1.isEmpty ? nil : Label(index: $0, text: $1) }
    }

    /// How many indices there are, those that mean nothing included.
    public var count: Int { labels.count }

    /// `nil` for an index that the vocabulary does not have.
    public subscript(index: Int) -> Label? { labels.indices.contains(index) ? labels[index] : nil }

    /// All names in their order.
    public var all: [Label] { labels.compactMap(\.self) }
}

extension Labels {
    /// The vocabularies that are built in, as a manifest may name them.
    public static let vocabularies = ["coco80", "coco90"]

    /// A vocabulary that is built in; `nil` where there is none of that name.
    public static func vocabulary(_ name: String) -> Labels? {
        switch name {
        case "coco80": Labels(COCOVocabulary.names)
        case "coco90": Labels(COCOVocabulary.namesByPaperIndex)
        default: nil
        }
    }

    /// Finds the names of a model's classes: in the file that the user names, in the manifest, in the model's own file,
    /// or in a text file beside it (`model.txt`, `model_labels.txt` or `labels.txt`). `nil` where none of them has any.
    ///
    /// - Throws: ``ODTError`` where one that was named is missing or is not a list of names.
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
