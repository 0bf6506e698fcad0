import SwiftODT

/// How long to wait before a camera that went away is asked again: a second, then twice as long each time, up to a minute.
///
/// Every camera counts for itself and chance has no part in it, so that a test knows what comes, and a user.
public struct BackOff {
    public static let usualLongest: Nanoseconds = 60_000_000_000
    private static let first: Nanoseconds = 1_000_000_000
    /// A connection that has held for so long was a good one: what comes after it begins anew.
    private static let longEnough: Nanoseconds = 30_000_000_000

    private let longest: Nanoseconds
    private var pause: Nanoseconds

    public init(longest: Nanoseconds = Self.usualLongest) {
        self.longest = longest
        pause = min(Self.first, longest)
    }

    /// - Parameter held: how long the connection has held that was lost; 0 where there was none.
    public mutating func next(after held: Nanoseconds) -> Nanoseconds {
        if held >= Self.longEnough { pause = min(Self.first, longest) }
        defer { pause = min(pause.times(2), longest) }
        return pause
    }
}
