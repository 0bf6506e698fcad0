import SwiftODT

/// For how long something was at each place of the upright picture.
struct HeatMap {
    static let columns = 64

    let rows: Int
    /// Seconds, row by row.
    private(set) var cells: [Float]

    /// - Parameter aspect: of the upright picture, width by height.
    init(aspect: Double) {
        rows = min(max(Int((Double(Self.columns) / max(aspect, 0.1)).rounded()), 8), 4 * Self.columns)
        cells = Array(repeating: 0, count: Self.columns * rows)
    }

    /// Counts a box, in the upright picture whose sides are 1. Costs a step for each cell that it touches.
    mutating func add(_ box: Box, for seconds: Double) {
        let across = Self.range(box.minX, box.maxX, of: Self.columns)
        for y in Self.range(box.minY, box.maxY, of: rows) {
            for x in across { cells[y * Self.columns + x] += Float(seconds) }
        }
    }

    /// The cells whose middle lies within; at least the one in whose middle the box is.
    private static func range(_ from: Double, _ to: Double, of count: Int) -> Range<Int> {
        let size = Double(count)
        let first = min(max((min(max(from, 0), 1) * size).rounded(), 0), size)
        let end = min(max((min(max(to, 0), 1) * size).rounded(), 0), size)
        if first < end { return Int(first)..<Int(end) }
        let middle = min(Int(max(0, (min(max(from, 0), 1) + min(max(to, 0), 1)) / 2 * size)), count - 1)
        return middle..<middle + 1
    }
}
