import Glibc

/// Diagnostic messages of the library, for example the runtime version, the network family or a cache hit.
///
/// A message goes to the listener of the current thread. Each component of a process thus receives only its own
/// messages:
///
///     try Diagnostics.listening({ print($0.text) }) { try DetectorConfiguration(.neural).makeDetector() }
///
/// The library sends no messages for single frames. Without a listener, a message costs one access to thread-local
/// storage.
package enum Diagnostics {
    package enum Level: Sendable {
        /// A feature does not work. The operation continues without this feature.
        case warning
        /// A decision and the reason for it.
        case info
        /// Details of an operation.
        case debug
    }

    package struct Entry: Sendable {
        package let level: Level
        package let text: String
        package let file: StaticString
        package let function: StaticString
        package let line: Int32
    }

    package typealias Listener = @Sendable (Entry) -> Void

    /// Runs `work`. While `work` runs, messages of the current thread go to `listener`.
    package static func listening<Result>(
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

    /// Returns the result and the messages of `work`. The caller can pass the messages to a listener later, for example
    /// if `work` runs on a background thread on which the listener must not be called.
    package static func recording<Result>(_ work: () throws -> Result) rethrows -> (result: Result, entries: [Entry]) {
        let entries = Monitor([Entry]())
        let result = try listening({ fact in entries.update { $0.append(fact) } }, to: work)
        return (result, entries.read { $0 })
    }

    /// The key of the thread-local listener. A task-local value would need Swift's concurrency runtime.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private final class Box {
        let listener: Listener
        init(_ listener: @escaping Listener) { self.listener = listener }
    }

    package static func report(
        _ level: Level, _ text: @autoclosure () -> String, file: StaticString = #fileID,
        function: StaticString = #function,
        line: Int32 = #line
    ) {
        guard let box = pthread_getspecific(key) else { return }
        let listener = Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().listener
        listener(Entry(level: level, text: text(), file: file, function: function, line: line))
    }
}
