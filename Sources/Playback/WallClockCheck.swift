import SwiftODT

/// Detects jumps of the wall clock, which may be set by a user or lost with an empty battery. After a jump, ages
/// are not trusted for an hour, so that a mistake can be corrected before recordings are deleted.
package struct WallClockCheck: Sendable {
    package static let length: Nanoseconds = 3_600_000_000_000
    /// The smallest change of the offset between the clocks that counts as a jump.
    private static let jump: Nanoseconds = 60_000_000_000

    /// The wall clock minus the monotonic clock at the last check.
    private var offset: Nanoseconds?
    private var end: Nanoseconds = .min

    package init() {}

    /// Returns whether the wall clock jumped within the last hour.
    ///
    /// - Parameters:
    ///   - wall: The time of the wall clock.
    ///   - steady: The time of a monotonic clock.
    package mutating func isImplausible(wall: Nanoseconds, steady: Nanoseconds) -> Bool {
        let offset = wall.since(steady)
        if let before = self.offset, abs(offset.since(before).clampedToRange) > Self.jump {
            end = steady.adding(Self.length)
        }
        self.offset = offset
        return steady < end
    }
}
