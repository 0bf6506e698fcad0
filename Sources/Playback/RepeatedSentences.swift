import SwiftODT
import Synchronization

/// Says a sentence once an hour, and how often it would have been said since: a camera whose pictures break says so with every
/// picture, for months, and a log is on a disk.
public final class RepeatedSentences: Sendable {
    private struct Heard {
        var said: Nanoseconds
        var silent = 0
    }

    public static let pause: Nanoseconds = 3_600_000_000_000
    /// So many different ones are remembered; the one that was said the longest ago gives way.
    private static let most = 64

    private let heard = Mutex<[String: Heard]>([:])
    private let speak: @Sendable (String) -> Void

    public init(speak: @escaping @Sendable (String) -> Void) { self.speak = speak }

    /// - Parameter now: of a clock that only goes forward.
    public func say(_ text: String, now: Nanoseconds = MonotonicClock.now) {
        let key = Self.withoutNumbers(text)
        let count: Int? = heard.withLock { heard in
            if let before = heard[key], now - before.said < Self.pause {
                heard[key]?.silent += 1
                return nil
            }
            let silent = heard[key]?.silent ?? 0
            if heard.count >= Self.most, heard[key] == nil,
                let oldest = heard.min(by: { $0.value.said < $1.value.said })?.key
            {
                heard[oldest] = nil
            }
            heard[key] = Heard(said: now)
            return silent
        }
        guard let count else { return }
        speak(count > 0 ? "\(text) (and \(CountText.text(count, "time")) more since it was last said)" : text)
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
