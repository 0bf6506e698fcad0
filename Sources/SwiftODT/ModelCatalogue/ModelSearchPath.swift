/// Searches folders for models: first the folders in the environment variable `SWIFTODT_MODEL_PATH` (separated by
/// colons), then the user's, the system's and the installation's data folders (``DataFolders``).
///
///     let standard = try ModelSearchPath.locate(.detector)
///     let named = try ModelSearchPath.locate(named: "efficientdet_lite0_int8")
package enum ModelSearchPath {
    /// The purpose of a default model. `Pipelines/setup` installs one model for each purpose.
    package enum Purpose: String, CaseIterable, Sendable {
        case detector, salient, classifier

        /// Suitable models in descending order of preference.
        var files: [String] {
            switch self {
            case .detector:
                [
                    "deimv2_femto.onnx", "yolox_nano.onnx", "efficientdet_lite0_int8.xml", "efficientdet_lite0.xml",
                    "efficientdet_lite0.tflite", "deimv2_atto.onnx", "ssd_mobilenet_v2.xml",
                ]
            case .salient: ["mobile_object_localizer.onnx", "u2netp.onnx"]
            case .classifier: ["efficientnet_lite3.tflite"]
            }
        }
    }

    /// In search order. The folders need not exist.
    package static var folders: [String] {
        let named = DataFolders.environment("SWIFTODT_MODEL_PATH")?.split(separator: ":").map(String.init) ?? []
        return named + DataFolders.holding("models")
    }

    /// Returns the path of the installed default model for a purpose.
    ///
    /// - Throws: ``ODTError`` that names the folders and the command that fetches the model.
    package static func locate(_ purpose: Purpose) throws(ODTError) -> String {
        if let choice = ModelChoice.of(purpose) {
            do {
                // A file of this name in the working directory must not replace the installed model.
                if choice.origin != ModelChoice.variable, let path = installed(choice.model) { return path }
                return try locate(named: choice.model)
            } catch {
                let remedy =
                    choice.origin == ModelChoice.variable
                    ? "unset it or name another model" : "\"odt models use\" chooses another one"
                throw ODTError(error.reason, "\(error) (\(choice.origin) makes it the default; \(remedy))")
            }
        }
        for file in purpose.files {
            if let path = find(file) { return path }
        }
        throw ODTError(
            .fileNotFound,
            "there is no model for the \(purpose.rawValue) (\(purpose.files.joined(separator: " or "))) in "
                + folders.joined(separator: ", ") + "; run \"odt setup\" (in a checkout Pipelines/setup)")
    }

    /// Returns the path of a model. `name` is a path, or the name of a file in one of ``folders``, with or without
    /// extension.
    ///
    /// - Throws: ``ODTError`` with `.fileNotFound` if there is no such model.
    package static func locate(named name: String) throws(ODTError) -> String {
        if FileBytes.size(name) != nil { return name }
        if let path = installed(name) { return path }
        guard FilePath.names(in: name).isEmpty else {
            throw ODTError(
                .fileNotFound,
                "\(name) is a folder and not a model file; export a SavedModel as .onnx or .tflite, or name the file in the "
                    + "folder")
        }
        throw ODTError(
            .fileNotFound,
            name.contains("/")
                ? "there is no model file \(name); check the path and the permissions of its folder"
                : "there is no model file \(name), neither here nor in \(folders.joined(separator: ", ")); "
                    + "\"odt models list\" lists the available models")
    }

    /// Returns the path of the first file of this name, with or without extension, in the first folder that has one.
    static func installed(_ name: String, in folders: [String] = folders) -> String? {
        if name.contains("/") { return nil }
        let files = [name] + ModelFormat.allCases.map { name + "." + $0.rawValue }
        return folders.lazy.flatMap { folder in files.map { folder + "/" + $0 } }.first { FileBytes.size($0) != nil }
    }

    private static func find(_ file: String) -> String? {
        folders.lazy.map { $0 + "/" + file }.first { FileBytes.size($0) != nil }
    }
}

/// The user's choice of a default model for one purpose.
///
/// `models.json` in the user's configuration folder names a model for each purpose, for example `{"detector":
/// "yolox_nano"}`. `odt models use` writes this file. For the detector, the environment variable `SWIFTODT_MODEL` takes
/// precedence.
package struct ModelChoice: Equatable {
    /// The name of an installed model, or a path.
    package let model: String
    /// The environment variable or the file that names the model.
    package let origin: String

    package static func of(_ purpose: ModelSearchPath.Purpose) -> ModelChoice? {
        if purpose == .detector, let model = DataFolders.environment(variable) {
            return ModelChoice(model: model, origin: variable)
        }
        guard let file, let model = read(file)[purpose.rawValue]?.string else { return nil }
        return ModelChoice(model: model, origin: file)
    }

    package static let variable = "SWIFTODT_MODEL"

    /// The path of the configuration file. The file need not exist. `nil` if the user has no home directory.
    package static var file: String? { DataFolders.configuration.map { $0 + "/models.json" } }

    /// Returns the new content of the configuration file. A `model` of `nil` removes the choice. The file is not
    /// written.
    package static func content(choosing model: String?, for purpose: ModelSearchPath.Purpose) -> String {
        var choices = file.map(read) ?? [:]
        choices[purpose.rawValue] = model.map(JSONValue.string)
        return JSONValue.object(choices).text + "\n"
    }

    /// A missing or damaged file contains no choices.
    private static func read(_ file: String) -> [String: JSONValue] {
        guard FileBytes.size(file) != nil, let bytes = try? FileBytes.read(file, limit: 1 << 16),
            case .object(let choices)? = try? JSONValue(parsing: bytes)
        else { return [:] }
        return choices
    }
}
