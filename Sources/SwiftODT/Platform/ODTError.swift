/// The reason why a detector cannot be created or cannot process a frame. The description also names the remedy.
///
///     do {
///         _ = try Frame(contentsOfFile: "street.png")
///     } catch let error as ODTError where error.reason == .fileNotFound {
///         print(error)
///     }
public struct ODTError: Error, CustomStringConvertible, Sendable {
    /// The category of an error.
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
        /// The image was discarded because a newer image of the stream arrived while the detector was busy.
        case dropped
        /// The operation failed for a reason that no other case describes.
        case failed
    }

    /// The category.
    public let reason: Reason
    /// What failed, with the offending value and the remedy.
    public let description: String

    /// Creates an error.
    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    package static func wrapping<Result>(_ body: () throws -> Result) throws(ODTError) -> Result {
        do { return try body() } catch { throw ODTError(error) }
    }

    /// Keeps an `ODTError` unchanged. Any other error becomes an `ODTError` with the reason `.failed`.
    package init(_ error: any Error) {
        self = error as? ODTError ?? ODTError(.failed, "\(error)")
    }

    package static let noThread = ODTError(
        .failed, "cannot start a thread; raise the limit of processes (ulimit -u)")
}
