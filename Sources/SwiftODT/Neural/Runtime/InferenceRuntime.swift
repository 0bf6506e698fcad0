/// What computes networks on this machine.
///
///     let runtime = try InferenceRuntime.find()
///     print("OpenVINO", runtime.version, "on", runtime.processor)
public struct InferenceRuntime: Sendable {
    /// As it calls itself, without what says how it was built.
    public let version: String
    public let processor: String

    /// Loads it, as the first network would. Takes some tens of milliseconds the first time in a process.
    ///
    /// - Throws: ``ODTError`` that says where it was looked for, and how to get it.
    public static func find() throws -> InferenceRuntime {
        let runtime = try OpenVINO.shared()
        return InferenceRuntime(
            version: runtime.version.split(separator: "-").first.map(String.init) ?? runtime.version,
            processor: runtime.fullName(of: "CPU"))
    }
}
