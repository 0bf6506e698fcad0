/// Where models are looked for: the folders of `SWIFTODT_MODEL_PATH` (separated by colons), then as ``DataFolders`` has them.
///
///     let standard = try ModelSearchPath.locate(.detector)
///     let named = try ModelSearchPath.locate(named: "efficientdet_lite0_int8")
public enum ModelSearchPath {
    /// The models that are used where none is named, the best first: setup fetches them.
    public enum Purpose: String, CaseIterable, Sendable {
        case detector, salient, classifier

        /// File names within a models folder.
        var files: [String] {
            switch self {
            case .detector:
                [
                    "efficientdet_lite0_int8.xml", "efficientdet_lite0.xml", "efficientdet_lite0.tflite",
                    "ssd_mobilenet_v2.xml",
                ]
            case .salient: ["u2netp.onnx"]
            case .classifier: ["efficientnet_lite3.tflite"]
            }
        }
    }

    /// The folders in the order in which they are searched, whether they exist or not.
    public static var folders: [String] {
        let named = DataFolders.environment("SWIFTODT_MODEL_PATH")?.split(separator: ":").map(String.init) ?? []
        return named + DataFolders.holding("models")
    }

    /// The model to use where none is named.
    ///
    /// - Throws: ``ODTError`` that names the folders and the command that fetches the model.
    public static func locate(_ purpose: Purpose) throws -> String {
        for file in purpose.files {
            if let path = find(file) { return path }
        }
        throw ODTError(
            .fileNotFound,
            "there is no model for the \(purpose.rawValue) (\(purpose.files.joined(separator: " or "))) in "
                + folders.joined(separator: ", ") + "; run Pipelines/setup or \"odt models fetch\" to get it")
    }

    /// A model that the user names: a path, or the name of a file in one of the folders (its extension may be left out).
    ///
    /// - Throws: ``ODTError`` with `.fileNotFound`.
    public static func locate(named name: String) throws -> String {
        if FileBytes.size(name) != nil { return name }
        if !name.contains("/") {
            for file in [name] + ModelFormat.allCases.map({ name + "." + $0.rawValue }) {
                if let path = find(file) { return path }
            }
        }
        throw ODTError(
            .fileNotFound,
            name.contains("/")
                ? "there is no model file \(name); is the path right, and may its folder be looked into?"
                : "there is no model file \(name), neither here nor in \(folders.joined(separator: ", ")); "
                    + "\"odt models list\" tells which there are")
    }

    private static func find(_ file: String) -> String? {
        folders.lazy.map { $0 + "/" + file }.first { FileBytes.size($0) != nil }
    }
}

/// The files that hold networks, by extension.
public enum ModelFormat: String, CaseIterable, Sendable {
    case xml, onnx, tflite, pb, pdmodel

    /// By a file's name; `nil` for other files.
    public init?(file: String) {
        guard let dot = file.lastIndex(of: ".") else { return nil }
        self.init(rawValue: file[file.index(after: dot)...].lowercased())
    }
}
