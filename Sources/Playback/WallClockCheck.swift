import SwiftODT

/// Whether the wall clock can be believed about ages: somebody may set it, or a battery that is empty. When it has jumped it is doubted
/// for an hour, in which a mistake can be mended.
public struct WallClockCheck: Sendable {
    public static let length: Nanoseconds = 3_600_000_000_000
    /// A difference between clocks that somebody must have made.
    private static let jump: Nanoseconds = 60_000_000_000

    /// What the wall clock is ahead of the other one.
    private var offset: Nanoseconds?
    private var end: Nanoseconds = .min

    public init() {}

    /// - Parameters:
    ///   - wall: the wall clock.
    ///   - steady: a clock that only goes forward.
    public mutating func isImplausible(wall: Nanoseconds, steady: Nanoseconds) -> Bool {
        let offset = wall.since(steady)
        if let before = self.offset, abs(offset.since(before).clampedToRange) > Self.jump { end = steady.adding(Self.length) }
        self.offset = offset
        return steady < end
    }
}
