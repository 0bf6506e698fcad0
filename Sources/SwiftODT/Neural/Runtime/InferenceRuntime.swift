/// The inference runtime of this machine.
///
///     let runtime = try InferenceRuntime.find()
///     print("OpenVINO", runtime.version, "on", runtime.processor)
public struct InferenceRuntime: Sendable {
    /// The version that the runtime reports, without the build suffix.
    public let version: String
    public let processor: String

    /// Loads the runtime, which takes time only at the first call in a process.
    ///
    /// - Throws: ``ODTError`` that names the searched places and how to install the runtime.
    public static func find() throws -> InferenceRuntime {
        let runtime = try OpenVINO.shared()
        return InferenceRuntime(
            version: runtime.version.split(separator: "-").first.map(String.init) ?? runtime.version,
            processor: runtime.fullName(of: "CPU"))
    }
}
