/// The cells of a network's output levels. Cells are numbered level by level, in row-major order within a level.
struct CellGrid: Hashable, Sendable {
    struct Level: Hashable, Sendable {
        /// The side of a cell in input pixels.
        let stride: Int
        let columns: Int
        let rows: Int
        /// The index of the level's first cell.
        let start: Int
    }

    let levels: [Level]
    /// The number of cells of all levels.
    let count: Int

    /// Creates one level per stride for an input of the given size in pixels. Cells that extend beyond the input count,
    /// too.
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

    /// Returns the column and the row of a cell within its level, and the level's stride in input pixels.
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
