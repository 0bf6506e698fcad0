import SwiftODT

/// Detects jumps of the wall clock. A user may set the clock, or an empty battery may reset it. For one hour after a
/// jump and after the start of the machine, the ages of recordings are not trusted. This leaves time to correct a wrong
/// clock before recordings are deleted.
package struct WallClockCheck: Sendable {
    /// How long ages are not trusted after a jump, in nanoseconds.
    package static let length: Nanoseconds = 3_600_000_000_000
    /// A change of ``offset`` by more than this number of nanoseconds is a jump of the wall clock.
    private static let jump: Nanoseconds = 60_000_000_000

    /// The wall-clock time minus the monotonic time at the latest check; `nil` before the first check.
    private var offset: Nanoseconds?
    /// The monotonic time, which begins at the start of the machine, from which ages are trusted again.
    private var end = length

    package init() {}

    /// Returns whether the wall clock jumped, or the machine was started, within the last hour.
    ///
    /// - Parameters:
    ///   - wall: The wall-clock time in nanoseconds since 1970.
    ///   - steady: The monotonic time in nanoseconds.
    package mutating func isImplausible(wall: Nanoseconds, steady: Nanoseconds) -> Bool {
        let offset = wall.since(steady)
        if let before = self.offset, abs(offset.since(before).clampedToRange) > Self.jump {
            end = steady.adding(Self.length)
        }
        self.offset = offset
        return steady < end
    }
}
