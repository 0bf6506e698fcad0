import SwiftODT
import Synchronization

/// Logs each message at most once per hour, together with the number of suppressed repetitions. A camera with a broken
/// stream can post a warning for every frame for months, and the log would fill the disk.
package final class RepeatedMessageFilter: Sendable {
    private struct Entry {
        /// The monotonic time at which the message was last logged.
        var logged: Nanoseconds
        var suppressedCount = 0
    }

    package static let pause: Nanoseconds = 3_600_000_000_000
    /// The maximum number of distinct messages that are remembered. If there are more, the message that was logged
    /// longest ago is forgotten.
    private static let maximum = 64

    private let entries = Mutex<[String: Entry]>([:])
    private let output: @Sendable (String) -> Void

    package init(output: @escaping @Sendable (String) -> Void) { self.output = output }

    /// Logs a message if it was not logged within the last hour. Returns whether it was logged.
    ///
    /// - Parameters:
    ///   - always: Whether to log the message even if it was logged within the last hour.
    ///   - now: The monotonic time in nanoseconds.
    @discardableResult
    package func notify(_ text: String, always: Bool = false, now: Nanoseconds = MonotonicClock.now) -> Bool {
        let key = Self.withoutNumbers(text)
        let count: Int? = entries.withLock { entries in
            if !always, let before = entries[key], now - before.logged < Self.pause {
                entries[key]?.suppressedCount += 1
                return nil
            }
            let suppressedCount = entries[key]?.suppressedCount ?? 0
            if entries.count >= Self.maximum, entries[key] == nil,
                let oldest = entries.min(by: { $0.value.logged < $1.value.logged })?.key
            {
                entries[oldest] = nil
            }
            entries[key] = Entry(logged: now)
            return suppressedCount
        }
        guard let count else { return false }
        output(count > 0 ? "\(text) (and \(CountText.text(count, "time")) more since it was last logged)" : text)
        return true
    }

    /// Returns the message with each number replaced by `#`. Messages that differ only in numbers count as the same
    /// message.
    private static func withoutNumbers(_ text: String) -> String {
        var key = ""
        for character in text where !(character.isNumber && key.last == "#") {
            key.append(character.isNumber ? "#" : character)
        }
        return key
    }
}
