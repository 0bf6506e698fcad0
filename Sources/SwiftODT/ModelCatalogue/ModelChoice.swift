/// A model that the user has chosen as default for one purpose.
///
/// The environment variable `SWIFTODT_MODEL` takes precedence; it names the detector. Otherwise `models.json` in the
/// user's configuration folder names a model for each purpose: `{"detector": "yolox_nano"}`. `odt models use` writes
/// this file.
package struct ModelChoice: Equatable {
    /// The name of an installed model, or a path.
    package let model: String
    /// The environment variable or the file in which the user has chosen the model.
    package let origin: String

    /// Returns the chosen model for a purpose; `nil` if the user has chosen none.
    package static func of(_ purpose: ModelSearchPath.Purpose) -> ModelChoice? {
        if purpose == .detector, let model = DataFolders.environment(variable) {
            return ModelChoice(model: model, origin: variable)
        }
        guard let file, let model = read(file)[purpose.rawValue]?.string else { return nil }
        return ModelChoice(model: model, origin: file)
    }

    /// The environment variable that names the detector.
    package static let variable = "SWIFTODT_MODEL"

    /// The configuration file, existing or not; `nil` if the user has no home directory.
    package static var file: String? { DataFolders.configuration.map { $0 + "/models.json" } }

    /// Returns the content of the configuration file with another model for a purpose; `nil` removes the choice.
    package static func content(choosing model: String?, for purpose: ModelSearchPath.Purpose) -> String {
        var choices = file.map(read) ?? [:]
        choices[purpose.rawValue] = model.map(JSONValue.string)
        return JSONValue.object(choices).text + "\n"
    }

    /// Returns the choices in the configuration file. A missing or damaged file contains no choices.
    private static func read(_ file: String) -> [String: JSONValue] {
        guard FileBytes.size(file) != nil, let bytes = try? FileBytes.read(file, limit: 1 << 16),
            case .object(let choices)? = try? JSONValue(parsing: bytes)
        else { return [:] }
        return choices
    }
}
