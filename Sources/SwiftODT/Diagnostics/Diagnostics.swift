import Glibc
import Synchronization

/// What the library has to tell of its own doing: which runtime it found, what it made of a network, whether the cache had it.
///
/// It is told to whoever asked for the work, on the thread that does it, so that each of several users hears of his own alone:
///
///     try Diagnostics.listening({ print($0.text) }) { try DetectorConfiguration(.neural).makeDetector() }
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

    public struct Entry: Sendable {
        public let level: Level
        public let text: String
        /// Where in the source it is told.
        public let file: StaticString
        public let function: StaticString
        public let line: Int32
    }

    public typealias Listener = @Sendable (Entry) -> Void

    /// Does some work, and lets a listener hear of it: of what this thread does meanwhile.
    public static func listening<Result>(
        _ listener: @escaping Listener, to work: () throws -> Result
    ) rethrows -> Result {
        let previous = pthread_getspecific(key)
        let box = Box(listener)
        pthread_setspecific(key, Unmanaged.passUnretained(box).toOpaque())
        defer {
            pthread_setspecific(key, previous)
            withExtendedLifetime(box) {}
        }
        return try work()
    }

    /// Does some work, and keeps what is told of it: for work that those who would listen may not outlive.
    public static func recording<Result>(_ work: () throws -> Result) rethrows -> (result: Result, entries: [Entry]) {
        let record = Record()
        let result = try listening({ fact in record.entries.withLock { $0.append(fact) } }, to: work)
        return (result, record.entries.withLock { $0 })
    }

    /// A thread's own place for its listener. A task-local value would do the same, but needs Swift's whole concurrency runtime.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private final class Record: Sendable {
        let entries = Mutex([Entry]())
    }

    private final class Box {
        let listener: Listener
        init(_ listener: @escaping Listener) { self.listener = listener }
    }

    static func report(
        _ level: Level, _ text: @autoclosure () -> String, file: StaticString = #fileID,
        function: StaticString = #function,
        line: Int32 = #line
    ) {
        guard let box = pthread_getspecific(key) else { return }
        let listener = Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().listener
        listener(Entry(level: level, text: text(), file: file, function: function, line: line))
    }
}
