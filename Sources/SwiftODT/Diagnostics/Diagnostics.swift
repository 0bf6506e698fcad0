/// What the library has to tell of its own doing: which runtime it found, what it made of a network, whether the cache had it.
///
/// It is told to whoever asked for the work, on the thread that does it, so that each of several users hears of his own alone:
///
///     try Diagnostics.$listener.withValue({ print($0.text) }) { try DetectorRecipe(.neural).makeDetector() }
///
/// Nothing is told of single frames. Where nobody listens a fact costs a look at the thread's own storage, and its text is
/// never made.
public enum Diagnostics {
    public enum Level: Sendable {
        /// Something does not work as it should, and the work goes on without it.
        case warning
        /// A choice, and what it rests on.
        case info
        /// How it was done.
        case debug
    }

    public struct Fact: Sendable {
        public let level: Level
        public let text: String
        /// Where in the source it is told.
        public let file: StaticString
        public let function: StaticString
        public let line: Int32
    }

    public typealias Listener = @Sendable (Fact) -> Void

    /// Who hears of what this thread does.
    @TaskLocal public static var listener: Listener?

    static func tell(
        _ level: Level, _ text: @autoclosure () -> String, file: StaticString = #fileID,
        function: StaticString = #function,
        line: Int32 = #line
    ) {
        guard let listener else { return }
        listener(Fact(level: level, text: text(), file: file, function: function, line: line))
    }
}
