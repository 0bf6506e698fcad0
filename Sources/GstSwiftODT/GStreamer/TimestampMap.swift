import SwiftODT

/// Maps running times of past frames to their timestamps. Tracking uses running time, applications use timestamps.
///
/// Within a segment the difference is constant, so only its changes are stored: one for most streams, one per frame for
/// streams with a playback rate other than 1.
struct TimestampMap {
    private struct Stretch {
        let since: Nanoseconds
        /// Timestamp minus running time, with wrap-around; `nil` if the frames have no timestamps.
        let difference: UInt64?
    }

    private static let longest = 1024
    private var stretches: [Stretch] = []

    /// Records the timestamp of a frame. Times must not decrease.
    mutating func note(_ timestamp: UInt64, at time: Nanoseconds) {
        let difference = timestamp == .max ? nil : timestamp &- UInt64(bitPattern: time)
        if let last = stretches.last, last.difference == difference { return }
        if stretches.count >= Self.longest { stretches.removeFirst(Self.longest / 2) }
        stretches.append(Stretch(since: time, difference: difference))
    }

    /// Returns the timestamp of the frame at a recorded time; `UInt64.max` if it had none or is no longer stored.
    func timestamp(at time: Nanoseconds) -> UInt64 {
        guard let difference = stretches.last(where: { $0.since <= time })?.difference else { return .max }
        return UInt64(bitPattern: time) &+ difference
    }

    mutating func reset() { stretches.removeAll(keepingCapacity: true) }
}
