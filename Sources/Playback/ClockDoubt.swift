import SwiftODT

/// Whether the wall clock can be believed about ages: somebody may set it, or a battery that is empty. When it has jumped it is doubted
/// for an hour, in which a mistake can be mended.
public struct ClockDoubt: Sendable {
    public static let length: Nanoseconds = 3_600_000_000_000
    /// A difference between clocks that somebody must have made.
    private static let jump: Nanoseconds = 60_000_000_000

    /// What the wall clock is ahead of the other one.
    private var lead: Nanoseconds?
    private var end: Nanoseconds = .min

    public init() {}

    /// - Parameters:
    ///   - wall: the wall clock.
    ///   - steady: a clock that only goes forward.
    public mutating func isDoubted(wall: Nanoseconds, steady: Nanoseconds) -> Bool {
        let lead = wall.since(steady)
        if let before = self.lead, abs(lead.since(before).reckonable) > Self.jump { end = steady.adding(Self.length) }
        self.lead = lead
        return steady < end
    }
}
