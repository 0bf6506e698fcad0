/// The installed models. The library searches the folders in the environment variable `SWIFTODT_MODEL_PATH`, then
/// `swiftodt/models` in the user's and the system's data folders. `odt models fetch` installs models.
///
///     for model in ModelLibrary.models { print(model.name, model.labels.count) }
public enum ModelLibrary {
    /// A model file and its metadata.
    public struct Model: Hashable, Sendable {
        /// The model's file name without its extension.
        public let name: String
        /// The path of the model file.
        public let path: String

        /// The class names in the order of the model's outputs. Empty if the model has no class names.
        ///
        /// - Complexity: each access reads the model's metadata from the disk.
        public var labels: [String] {
            (try? Labels.load(manifest: ModelManifest.load(model: path), model: path))?.all.map(\.text) ?? []
        }

        /// The licence that the model's manifest states.
        public var licence: String? { (try? ModelManifest.load(besideModel: path))?.licence }

        fileprivate init(path: String) {
            self.path = path
            name = FilePath.stem(of: path)
        }
    }

    /// The folders that are searched, in order. They need not exist.
    public static var folders: [String] { ModelSearchPath.folders }

    /// The models in all folders, in search order. Of several files with the same name, only the one that the name
    /// selects is included. The models include classifiers and saliency networks, which only some methods and options
    /// use.
    public static var models: [Model] {
        folders.flatMap { folder in
            FilePath.names(in: folder).sorted().filter { ModelFormat(file: $0) != nil }
                .map { Model(path: folder + "/" + $0) }
                .filter { (ModelSearchPath.installed($0.name) ?? $0.path) == $0.path }
        }
    }

    /// Returns the model that an ``ObjectDetector`` uses if its options specify no model.
    ///
    /// - Throws: ``ODTError`` that names the folders and the command that installs a model.
    public static func defaultModel() throws(ODTError) -> Model {
        try ODTError.wrapping { Model(path: try ModelSearchPath.locate(.detector)) }
    }

    /// Returns the model with the given name or path.
    ///
    /// - Throws: ``ODTError`` if there is no such model.
    public static func model(named name: String) throws(ODTError) -> Model {
        try ODTError.wrapping { Model(path: try ModelSearchPath.locate(named: name)) }
    }
}
