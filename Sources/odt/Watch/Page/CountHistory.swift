import SwiftODT

/// Counts over the last hour, in intervals (steps) of 5 s of monotonic time.
struct CountHistory {
    /// The length of a step in nanoseconds.
    static let step: Nanoseconds = 5_000_000_000
    /// The maximum number of steps that are kept.
    private static let length = 720

    /// The counts of the latest steps; `nil` for a step without a result.
    private var counts: [UInt32?] = []
    /// The number of the newest step.
    private var end = 0
    /// The count with which a new step begins.
    private var initial: UInt32?

    /// - Parameter initial: 0 to count crossings, which begin at 0 in each step; `nil` to count objects.
    init(_ initial: UInt32? = nil) { self.initial = initial }

    /// Notes the number of objects in the frame or in a zone; `nil` if it is unknown from now on. The count of a step
    /// is the maximum during the step. Following steps begin with the latest number.
    mutating func note(_ count: UInt32?, at step: Int) {
        advance(to: step)
        initial = count
        if let count { counts[counts.count - 1] = max(counts[counts.count - 1] ?? 0, count) }
    }

    mutating func noteCrossing(at step: Int) {
        advance(to: step)
        counts[counts.count - 1] = (counts[counts.count - 1] ?? 0) &+ 1
    }

    /// Appends the steps up to `step`.
    mutating func advance(to step: Int) {
        guard step > end || counts.isEmpty else { return }
        let missing = counts.isEmpty ? 1 : min(step - end, Self.length)
        counts += [UInt32?](repeating: initial, count: missing)
        counts.removeFirst(max(0, counts.count - Self.length))
        end = step
    }

    var json: JSONValue { .array(counts.map { $0.map { .number(Double($0)) } ?? .null }) }
}
