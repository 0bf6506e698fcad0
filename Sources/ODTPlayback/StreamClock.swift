import SwiftODT

/// Maps the running times of one stream to wall-clock times.
///
/// The two clocks do not advance at the same rate: a camera may declare 25 frames per second and send 21, and
/// oscillators drift. Each frame gives a pair of running time and wall-clock time. Between two pairs, the wall-clock
/// time is interpolated. Before the first pair and after the last pair, the clocks are assumed to advance at the same
/// rate.
///
///     var clock = StreamClock()
///     clock.note(running: 0, wall: 1_000)
///     clock.note(running: 2_000, wall: 3_400)
///     clock.wall(at: 1_000)  // 2,200
///
/// The number of pairs is limited. When the limit is exceeded, every second pair is removed, and the spacing between
/// new pairs is doubled.
package struct StreamClock: Sendable {
    private static let mostPairs = 4_096

    private struct Pair {
        let running: Int64
        let wall: Int64
    }

    /// The pairs in the order of running time. The last pair is the newest one. The other pairs are at least `spacing`
    /// apart.
    private var pairs: [Pair] = []
    /// The minimum difference between the running times of two pairs, in milliseconds.
    private var spacing: Int64 = 1_000

    package init() {}

    package var isEmpty: Bool { pairs.isEmpty }

    /// Records the wall-clock time of a frame. If the running time has gone back, all pairs with later running times
    /// are removed first.
    ///
    /// - Parameters:
    ///   - running: The running time of the frame in milliseconds.
    ///   - wall: The wall-clock time of the frame in milliseconds since 1970.
    package mutating func note(running: Int64, wall: Int64) {
        // Several messages may belong to the same frame.
        if running == pairs.last?.running { return }
        while let last = pairs.last, running < last.running { pairs.removeLast() }
        // The newest pair is replaced as long as it is too close to the pair before it.
        if pairs.count > 1, pairs[pairs.count - 1].running - pairs[pairs.count - 2].running < spacing {
            pairs.removeLast()
        }
        pairs.append(Pair(running: running, wall: wall))
        guard pairs.count > Self.mostPairs else { return }
        pairs = pairs.indices.filter { $0 % 2 == 0 || $0 == pairs.count - 1 }.map { pairs[$0] }
        spacing *= 2
    }

    /// Returns the wall-clock time for a running time, in milliseconds since 1970; `nil` if no pair has been recorded.
    /// Takes logarithmic time.
    package func wall(at running: Int64) -> Int64? {
        guard let first = pairs.first, let last = pairs.last else { return nil }
        if running <= first.running { return first.wall - (first.running - running) }
        if running >= last.running { return last.wall + (running - last.running) }
        let next = pairs.indices.partitionPoint { pairs[$0].running <= running }
        let (before, after) = (pairs[next - 1], pairs[next])
        let share = Double(running - before.running) / Double(after.running - before.running)
        return before.wall + Int64((Double(after.wall - before.wall) * share).rounded())
    }
}
