import SwiftODT

/// The time for which objects covered each cell of a grid over the upright frame.
struct HeatMap {
    static let columns = 64

    let rows: Int
    /// The time of each cell in seconds, row by row.
    private(set) var cells: [Float]

    /// - Parameter aspect: The width of the upright frame divided by its height.
    init(aspect: Double) {
        rows = min(max(Int((Double(Self.columns) / max(aspect, 0.1)).rounded()), 8), 4 * Self.columns)
        cells = Array(repeating: 0, count: Self.columns * rows)
    }

    /// Adds the time of a box to the cells that it covers. The box is in normalized coordinates (0 to 1) of the upright
    /// frame. The cost is proportional to the number of covered cells.
    mutating func add(_ box: Box, for seconds: Double) {
        let across = Self.range(box.minX, box.maxX, of: Self.columns)
        for y in Self.range(box.minY, box.maxY, of: rows) {
            for x in across { cells[y * Self.columns + x] += Float(seconds) }
        }
    }

    /// Returns the indices of the cells whose centres are between `from` and `to`. For a range without a centre,
    /// returns the cell at its middle.
    private static func range(_ from: Double, _ to: Double, of count: Int) -> Range<Int> {
        let size = Double(count)
        let first = min(max((min(max(from, 0), 1) * size).rounded(), 0), size)
        let end = min(max((min(max(to, 0), 1) * size).rounded(), 0), size)
        if first < end { return Int(first)..<Int(end) }
        let middle = min(Int(max(0, (min(max(from, 0), 1) + min(max(to, 0), 1)) / 2 * size)), count - 1)
        return middle..<middle + 1
    }
}

/// The number of objects without tracking ids over time, as averages of equal intervals. To keep at most 1,000
/// intervals, their length (`step`, in seconds) is doubled when necessary.
struct CountSeries {
    private static let maximumSteps = 1_000

    private(set) var step = 0.25
    /// The object-seconds in each interval, by index of the label: an object that is visible for two seconds counts as
    /// two.
    private(set) var sums: [Int: [Double]] = [:]

    /// - Parameter time: The time in seconds since the begin of the report's time axis; negative values count as 0.
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
            stride(from: 0, to: list.count, by: 2).map { list[$0..<min($0 + 2, list.count)].reduce(0, +) }
        }
    }
}
