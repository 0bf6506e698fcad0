/// The number of objects without tracking ids over time, averaged over equal intervals. The interval doubles when
/// there would be more than 1,000.
struct CountSeries {
    private static let maximumSteps = 1_000

    private(set) var step = 0.25
    /// Object-seconds in each interval, by index of the label.
    private(set) var sums: [Int: [Double]] = [:]

    var isEmpty: Bool { sums.isEmpty }

    /// - Parameter time: Seconds since the beginning; negative values count as 0.
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
