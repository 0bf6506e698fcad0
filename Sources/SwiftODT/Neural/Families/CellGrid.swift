/// The cells of a network's output levels, counted level by level, row by row.
struct CellGrid: Hashable, Sendable {
    struct Level: Hashable, Sendable {
        /// Input pixels that a cell covers, across and down.
        let stride: Int
        let columns: Int
        let rows: Int
        /// The number of the level's first cell.
        let start: Int
    }

    let levels: [Level]
    /// Cells of all levels.
    let count: Int

    /// The levels that cover an input of the given size; a cell that is covered in part counts.
    init(width: Int, height: Int, strides: [Int]) {
        var start = 0
        levels = strides.map { stride in
            let level = Level(
                stride: stride, columns: (width + stride - 1) / stride, rows: (height + stride - 1) / stride,
                start: start)
            start += level.columns * level.rows
            return level
        }
        count = start
    }

    /// Where a cell lies and how large it is, all in input pixels.
    ///
    /// - Parameter index: below ``count``.
    @inline(__always)
    func cell(_ index: Int) -> (column: Float, row: Float, stride: Float) {
        var number = 0
        while number + 1 < levels.count, index >= levels[number + 1].start { number += 1 }
        let level = levels[number]
        let offset = index - level.start
        return (Float(offset % level.columns), Float(offset / level.columns), Float(level.stride))
    }
}
