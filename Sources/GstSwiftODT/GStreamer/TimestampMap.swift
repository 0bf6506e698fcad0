import SwiftODT

/// Tells which timestamp the frame of an earlier time had: tracking reckons in running time, people look up pictures by their
/// timestamps.
///
/// Within a segment the two differ by the same at every frame, so only changes of the difference are kept. That is one for
/// most streams, and one a frame for those that play faster or slower than they were recorded.
struct TimestampMap {
    private struct Stretch {
        let since: Nanoseconds
        /// Timestamp less time, wrapped; `nil` where frames have no timestamps.
        let difference: UInt64?
    }

    private static let longest = 1024
    private var stretches: [Stretch] = []

    /// A frame has come. Times grow.
    mutating func note(_ timestamp: UInt64, at time: Nanoseconds) {
        let difference = timestamp == .max ? nil : timestamp &- UInt64(bitPattern: time)
        if let last = stretches.last, last.difference == difference { return }
        if stretches.count >= Self.longest { stretches.removeFirst(Self.longest / 2) }
        stretches.append(Stretch(since: time, difference: difference))
    }

    /// The timestamp of the frame at a time that was noted; `UInt64.max` where it had none or is forgotten.
    func timestamp(at time: Nanoseconds) -> UInt64 {
        guard let difference = stretches.last(where: { $0.since <= time })?.difference else { return .max }
        return UInt64(bitPattern: time) &+ difference
    }

    mutating func reset() { stretches.removeAll(keepingCapacity: true) }
}
