import SwiftODT

/// The time for which objects covered each cell of the upright frame.
struct HeatMap {
    static let columns = 64

    let rows: Int
    /// Seconds, row by row.
    private(set) var cells: [Float]

    /// - Parameter aspect: The width of the upright frame divided by its height.
    init(aspect: Double) {
        rows = min(max(Int((Double(Self.columns) / max(aspect, 0.1)).rounded()), 8), 4 * Self.columns)
        cells = Array(repeating: 0, count: Self.columns * rows)
    }

    /// Adds a box in normalized coordinates (0 to 1) of the upright frame. The cost is proportional to the number
    /// of covered cells.
    mutating func add(_ box: Box, for seconds: Double) {
        let across = Self.range(box.minX, box.maxX, of: Self.columns)
        for y in Self.range(box.minY, box.maxY, of: rows) {
            for x in across { cells[y * Self.columns + x] += Float(seconds) }
        }
    }

    /// Returns the cells whose centres are inside; at least the cell at the middle of the range.
    private static func range(_ from: Double, _ to: Double, of count: Int) -> Range<Int> {
        let size = Double(count)
        let first = min(max((min(max(from, 0), 1) * size).rounded(), 0), size)
        let end = min(max((min(max(to, 0), 1) * size).rounded(), 0), size)
        if first < end { return Int(first)..<Int(end) }
        let middle = min(Int(max(0, (min(max(from, 0), 1) + min(max(to, 0), 1)) / 2 * size)), count - 1)
        return middle..<middle + 1
    }
}
