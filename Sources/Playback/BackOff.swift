import SwiftODT

/// Exponential back-off between reconnection attempts to a camera: 1 s, then doubled each time, up to 60 s by default.
///
/// Each camera has its own instance. There is no random jitter, so the delays are predictable.
package struct BackOff {
    package static let usualLongest: Nanoseconds = 60_000_000_000
    private static let first: Nanoseconds = 1_000_000_000
    /// A connection that lasted this long was stable: the next delay starts at the first value again.
    private static let longEnough: Nanoseconds = 30_000_000_000

    private let longest: Nanoseconds
    private var pause: Nanoseconds

    package init(longest: Nanoseconds = Self.usualLongest) {
        self.longest = longest
        pause = min(Self.first, longest)
    }

    /// Returns the delay before the next attempt.
    ///
    /// - Parameter held: How long the lost connection lasted; 0 if there was none.
    package mutating func next(after held: Nanoseconds) -> Nanoseconds {
        if held >= Self.longEnough { pause = min(Self.first, longest) }
        defer { pause = min(pause.times(2), longest) }
        return pause
    }
}
