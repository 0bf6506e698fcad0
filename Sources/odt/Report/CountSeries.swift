/// How many objects without ids there were, over time: averages over equal steps, which grow so that there are never many.
struct CountSeries {
    private static let maximumSteps = 1_000

    private(set) var step = 0.25
    /// By label, as an index into the list of labels: objects times seconds in each step.
    private(set) var sums: [Int: [Double]] = [:]

    var isEmpty: Bool { sums.isEmpty }

    /// - Parameter time: from the beginning; what lies before that counts at it.
    mutating func add(_ label: Int, at time: Double, for seconds: Double) {
        let time = max(0, time)
        while time / step >= Double(Self.maximumSteps), step < 1e12 { widen() }
        let place = min(Int(time / step), Self.maximumSteps - 1)
        let missing = place + 1 - sums[label, default: []].count
        if missing > 0 { sums[label, default: []] += repeatElement(0, count: missing) }
        sums[label, default: []][place] += seconds
    }

    private mutating func widen() {
        step *= 2
        sums = sums.mapValues { list in
            stride(from: 0, to: list.count, by: 2).map { list[$0] + ($0 + 1 < list.count ? list[$0 + 1] : 0) }
        }
    }
}
