import SwiftODT

/// How many there were, step by step, over the last hour; of the clock that nobody sets.
struct CountHistory {
    static let step: Nanoseconds = 5_000_000_000
    static let length = 720

    /// Of the objects in a picture, or in a zone: the most of each step; where nobody looked, nothing.
    struct Level {
        private var steps: [UInt32?] = []
        private var end = 0
        private var latest: UInt32?

        mutating func note(_ count: UInt32?, at step: Int) {
            advance(to: step)
            latest = count
            if let count, !steps.isEmpty { steps[steps.count - 1] = max(steps[steps.count - 1] ?? 0, count) }
        }

        mutating func advance(to step: Int) {
            guard step > end || steps.isEmpty else { return }
            let missing = steps.isEmpty ? 1 : min(step - end, CountHistory.length)
            // What was so stays so until somebody says otherwise.
            steps += [UInt32?](repeating: latest, count: missing)
            steps.removeFirst(max(0, steps.count - CountHistory.length))
            end = step
        }

        var json: JSONValue { .array(steps.map { $0.map { .number(Double($0)) } ?? .null }) }
        var count: Int { steps.count }
    }

    /// Of those who crossed a line: how many in each step.
    struct Passages {
        private var steps: [UInt32] = []
        private var end = 0

        mutating func note(at step: Int) {
            advance(to: step)
            if !steps.isEmpty { steps[steps.count - 1] &+= 1 }
        }

        mutating func advance(to step: Int) {
            guard step > end || steps.isEmpty else { return }
            let missing = steps.isEmpty ? 1 : min(step - end, CountHistory.length)
            steps += [UInt32](repeating: 0, count: missing)
            steps.removeFirst(max(0, steps.count - CountHistory.length))
            end = step
        }

        var json: JSONValue { .array(steps.map { .number(Double($0)) }) }
    }
}
