import SwiftODT

/// Counts over the last hour, in intervals (steps) of 5 s of monotonic time.
struct CountHistory {
    /// The length of a step in nanoseconds.
    static let step: Nanoseconds = 5_000_000_000
    /// The maximum number of steps that are kept.
    static let length = 720

    /// The number of objects in the frame or in a zone over time. The value of a step is the maximum during the step;
    /// `nil` if there was no result.
    struct Level {
        private var steps = Steps<UInt32?>()
        private var latest: UInt32?

        mutating func note(_ count: UInt32?, at step: Int) {
            advance(to: step)
            latest = count
            if let count { steps.last = max(steps.last ?? 0, count) }
        }

        /// Appends the steps up to `step` and fills them with the latest count.
        mutating func advance(to step: Int) { steps.advance(to: step, filledWith: latest) }

        var json: JSONValue { .array(steps.values.map { $0.map { .number(Double($0)) } ?? .null }) }
    }

    struct Passages {
        private var steps = Steps<UInt32>()

        mutating func note(at step: Int) {
            advance(to: step)
            steps.last &+= 1
        }

        mutating func advance(to step: Int) { steps.advance(to: step, filledWith: 0) }

        var json: JSONValue { .array(steps.values.map { .number(Double($0)) }) }
    }

    /// The values of the latest steps, at most ``CountHistory/length``. `end` is the number of the newest step.
    private struct Steps<Value: Sendable>: Sendable {
        private(set) var values: [Value] = []
        private var end = 0

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
