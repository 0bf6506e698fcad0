/// A connected region of cells with unexplained motion, most likely one object.
struct MovingRegion: Sendable {
    /// Indices of the cells, as in ``CoverageAge``.
    private(set) var cells: [Int]
    /// The earliest time when motion began in one of the cells.
    private(set) var began: Nanoseconds

    /// Returns the side of the square of the same area, in buffer pixels. A region at the image edge is part of a
    /// larger object, so its longer side is returned instead.
    func side(width: Double, height: Double) -> Double {
        let (across, down) = (width / Double(CoverageAge.columns), height / Double(CoverageAge.rows))
        let (x, y) = (cells.map { $0 % CoverageAge.columns }, cells.map { $0 / CoverageAge.columns })
        guard let left = x.min(), let right = x.max(), let top = y.min(), let bottom = y.max() else { return 0 }
        if left == 0 || top == 0 || right == CoverageAge.columns - 1 || bottom == CoverageAge.rows - 1 {
            return max(Double(right - left + 1) * across, Double(bottom - top + 1) * down)
        }
        return (Double(cells.count) * across * down).squareRoot()
    }

    /// Divides cells into 8-connected regions, in raster order of their first cells.
    ///
    /// - Parameter began: the time when motion began in each cell; `nil` for static cells.
    static func all(in began: [Nanoseconds?]) -> [MovingRegion] {
        var left = began
        var found: [MovingRegion] = []
        for first in left.indices {
            guard let start = left[first] else { continue }
            left[first] = nil
            var region = MovingRegion(cells: [first], began: start)
            var next = 0
            while next < region.cells.count {
                region.takeNeighbours(of: region.cells[next], from: &left)
                next += 1
            }
            found.append(region)
        }
        return found
    }

    private mutating func takeNeighbours(of cell: Int, from left: inout [Nanoseconds?]) {
        let (column, row) = (cell % CoverageAge.columns, cell / CoverageAge.columns)
        for y in max(0, row - 1)...min(CoverageAge.rows - 1, row + 1) {
            for x in max(0, column - 1)...min(CoverageAge.columns - 1, column + 1) {
                let other = y * CoverageAge.columns + x
                guard let start = left[other] else { continue }
                left[other] = nil
                cells.append(other)
                began = min(began, start)
            }
        }
    }
}
