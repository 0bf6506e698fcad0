import Glibc

/// The reason why an operation of this package failed, for example why a detector cannot be created. The description
/// also names the remedy. Print the error: `localizedDescription` contains the description only in programs that use
/// SwiftODTMLKit.
///
///     do {
///         _ = try Frame(contentsOfFile: "street.png")
///     } catch where error.reason == .fileNotFound {
///         print(error)
///     }
public struct ODTError: Error, Hashable, CustomStringConvertible, Sendable {
    /// The category of an error. Later versions can add categories.
    public struct Reason: Hashable, CustomStringConvertible, Sendable {
        /// A file does not exist or cannot be read.
        public static let fileNotFound = Reason(description: "fileNotFound")
        /// A file exists but has invalid content.
        public static let invalidFile = Reason(description: "invalidFile")
        /// A file is valid, but its network or labels are not supported.
        public static let unsupported = Reason(description: "unsupported")
        /// The inference runtime is missing or too old.
        public static let runtimeMissing = Reason(description: "runtimeMissing")
        /// The process has reached its limit of open files.
        public static let tooManyOpenFiles = Reason(description: "tooManyOpenFiles")
        /// A limit of the process (mapped memory, threads, file size) is reached, or a disk is full.
        public static let outOfResources = Reason(description: "outOfResources")
        /// Options contradict each other or are out of range.
        public static let invalidOption = Reason(description: "invalidOption")
        /// Redaction is requested, but an object may be visible.
        public static let redactionNotGuaranteed = Reason(description: "redactionNotGuaranteed")
        /// The image was discarded because a newer image of the stream arrived while the detector was busy.
        public static let dropped = Reason(description: "dropped")
        /// The operation failed for a reason that no other category describes.
        public static let failed = Reason(description: "failed")

        /// The name of the category.
        public let description: String

        /// The category of a failed write: `outOfResources` if the disk is full or a limit of sizes is reached, otherwise
        /// `other`.
        ///
        /// - Parameter error: The value of `errno`.
        package static func writing(_ error: Int32, or other: Reason = .failed) -> Reason {
            [ENOSPC, EDQUOT, EFBIG].contains(error) ? .outOfResources : other
        }
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
        .outOfResources, "cannot start a thread; raise the limit of processes (ulimit -u)")
}
