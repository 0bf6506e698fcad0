import SwiftODT

/// Exponential back-off between attempts to reconnect to a camera. The first delay is 1 s. Each further delay is twice
/// the previous one, up to 60 s by default.
///
/// Each camera has its own instance. The delays have no random jitter, so they are predictable.
package struct BackOff {
    package static let usualLongest: Nanoseconds = 60_000_000_000
    private static let first: Nanoseconds = 1_000_000_000
    /// A connection counts as stable if it lasted at least this long, in nanoseconds. After a stable connection, the
    /// next delay is the first delay again.
    private static let stableDuration: Nanoseconds = 30_000_000_000

    private let longest: Nanoseconds
    private var pause: Nanoseconds

    package init(longest: Nanoseconds = Self.usualLongest) {
        self.longest = longest
        pause = min(Self.first, longest)
    }

    /// Returns the delay before the next attempt, in nanoseconds.
    ///
    /// - Parameter held: The duration of the lost connection in nanoseconds; 0 if the attempt to connect failed.
    package mutating func next(after held: Nanoseconds) -> Nanoseconds {
        if held >= Self.stableDuration { pause = min(Self.first, longest) }
        defer { pause = min(pause.times(2), longest) }
        return pause
    }
}
