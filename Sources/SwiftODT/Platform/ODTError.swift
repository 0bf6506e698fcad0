/// The reason why a detector cannot be created or cannot process a frame. The description also names the remedy.
///
///     do {
///         _ = try Picture(contentsOfFile: "street.png")
///     } catch let error as ODTError where error.reason == .fileNotFound {
///         print(error)
///     }
public struct ODTError: Error, CustomStringConvertible, Sendable {
    /// The category of an error. Callers can map it to their own error codes.
    public enum Reason: Sendable {
        /// A file does not exist or cannot be read.
        case fileNotFound
        /// A file exists but has invalid content.
        case invalidFile
        /// A file is valid, but its network or labels are not supported.
        case unsupported
        /// The inference runtime is missing or too old.
        case runtimeMissing
        /// The process has reached its limit of open files.
        case tooManyOpenFiles
        /// The process has reached its limit of mapped memory.
        case tooLittleMemory
        /// Options contradict each other or are out of range.
        case invalidOption
        /// The operation itself failed.
        case failed
    }

    public let reason: Reason
    public let description: String

    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
