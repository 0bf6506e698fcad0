/// Why a detector cannot be made or cannot look at a frame. The text says what to do about it.
///
///     do { _ = try Picture(contentsOfFile: "street.png") } catch let error as ODTError where error.reason == .fileNotFound {
///         print(error)
///     }
public struct ODTError: Error, CustomStringConvertible, Sendable {
    /// What kind of thing went wrong, so that callers can report it in their own terms.
    public enum Reason: Sendable {
        /// A named file is not there or cannot be read.
        case fileNotFound
        /// A file is there but is not what it should be.
        case invalidFile
        /// The file is sound, but its network or labels are not of a kind that is understood.
        case unsupported
        /// The inference runtime is missing or too old.
        case runtimeMissing
        /// The process may open no more files.
        case tooManyOpenFiles
        /// The process may map no more memory.
        case tooLittleMemory
        /// Options contradict each other or are out of range.
        case invalidOption
        /// The work itself failed.
        case failed
    }

    public let reason: Reason
    public let description: String

    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
