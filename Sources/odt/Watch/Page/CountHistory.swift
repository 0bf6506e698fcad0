import SwiftODT

/// How many there were, step by step, over the last hour; of the clock that nobody sets.
struct CountHistory {
    static let step: Nanoseconds = 5_000_000_000
    static let length = 720

    /// Of the objects in a picture, or in a zone: the most of each step; where nobody looked, nothing.
    struct Level {
        private var steps = Steps<UInt32?>()
        private var latest: UInt32?

        mutating func note(_ count: UInt32?, at step: Int) {
            advance(to: step)
            latest = count
            if let count { steps.last = max(steps.last ?? 0, count) }
        }

        /// What was so stays so until somebody says otherwise.
        mutating func advance(to step: Int) { steps.advance(to: step, filledWith: latest) }

        var json: JSONValue { .array(steps.values.map { $0.map { .number(Double($0)) } ?? .null }) }
    }

    /// Of those who crossed a line: how many in each step.
    struct Passages {
        private var steps = Steps<UInt32>()

        mutating func note(at step: Int) {
            advance(to: step)
            steps.last &+= 1
        }

        mutating func advance(to step: Int) { steps.advance(to: step, filledWith: 0) }

        var json: JSONValue { .array(steps.values.map { .number(Double($0)) }) }
    }

    /// The latest steps, up to one that is known by its number.
    private struct Steps<Value: Sendable>: Sendable {
        private(set) var values: [Value] = []
        private var end = 0

        /// That up to which it has been advanced.
        var last: Value {
            get { values[values.count - 1] }
            set { values[values.count - 1] = newValue }
        }

        mutating func advance(to step: Int, filledWith value: Value) {
            guard step > end || values.isEmpty else { return }
            let missing = values.isEmpty ? 1 : min(step - end, CountHistory.length)
            values += [Value](repeating: value, count: missing)
            values.removeFirst(max(0, values.count - CountHistory.length))
            end = step
        }
    }
}
