import SwiftODT
import Synchronization

/// Says a sentence once an hour, and how often it would have been said since: a camera whose pictures break says so with every
/// picture, for months, and a log is on a disk.
public final class RepeatedMessageFilter: Sendable {
    private struct Entry {
        var logged: Nanoseconds
        var suppressedCount = 0
    }

    public static let pause: Nanoseconds = 3_600_000_000_000
    /// So many different ones are remembered; the one that was said the longest ago gives way.
    private static let maximum = 64

    private let entries = Mutex<[String: Entry]>([:])
    private let output: @Sendable (String) -> Void

    public init(output: @escaping @Sendable (String) -> Void) { self.output = output }

    /// - Parameter now: of a clock that only goes forward.
    public func notify(_ text: String, now: Nanoseconds = MonotonicClock.now) {
        let key = Self.withoutNumbers(text)
        let count: Int? = entries.withLock { entries in
            if let before = entries[key], now - before.logged < Self.pause {
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
        guard let count else { return }
        output(count > 0 ? "\(text) (and \(CountText.text(count, "time")) more since it was last said)" : text)
    }

    /// Sentences that differ in their numbers alone are one.
    private static func withoutNumbers(_ text: String) -> String {
        var key = ""
        for character in text where !(character.isNumber && key.last == "#") {
            key.append(character.isNumber ? "#" : character)
        }
        return key
    }
}
