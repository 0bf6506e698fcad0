/// Finds the assignment of rows to columns with the greatest total gain. A row or column that stays unassigned adds a
/// gain of 0.
///
/// Uses the shortest augmenting paths of Jonker and Volgenant. The input is a sparse list of candidate pairs instead of
/// a full matrix. The memory is reused for the next problem and never shrinks.
struct Assignment: ~Copyable {
    struct Pair {
        var column: Int32
        var cost: Double
    }

    /// A column's dual potential, its assigned row (-1 for none), and the state of the current path search.
    struct Column {
        var potential = 0.0
        var distance = Double.infinity
        var reachedFrom: Int32 = -1
        var row: Int32 = -1
        var isSettled = false
    }

    struct Row {
        /// The range of the row's candidates in `pairs`.
        var first: Int
        var end: Int
        var potential: Double
        /// The assigned column, or -1 for an unassigned row.
        var column: Int32
    }

    private var pairs = ScratchList<Pair>()
    private var rows = ScratchList<Row>()
    private var columns = ScratchList<Column>()
    /// The pair with the highest gain in the row that is being built.
    private var best = nothing
    private var firstOfRow = 0
    /// Rows whose best column was already taken. ``solve()`` assigns them.
    private var waiting = ScratchList<Int>()
    private var frontier = ScratchList<Int32>()

    /// Returns the column that is assigned to a row, or -1. Valid after ``solve()``.
    func column(of row: Int) -> Int { Int(rows[row].column) }

    mutating func begin(columns: Int) {
        pairs.clear()
        rows.clear()
        waiting.clear()
        (firstOfRow, best) = (0, Self.nothing)
        self.columns.reset(to: Column(), count: columns)
    }

    /// Adds a candidate column to the row that is being built.
    @inline(__always)
    mutating func offer(column: Int, gain: Double) {
        guard gain > 0 else { return }
        let pair = Pair(column: Int32(truncatingIfNeeded: column), cost: -gain)
        if pair.cost < best.cost { best = pair }
        pairs.append(pair)
    }

    /// Completes the row that is being built. Its best column is usually still free and is then assigned at once.
    @inline(__always)
    mutating func endRow() {
        let row = rows.count
        var column = best.column
        if column >= 0 {
            if columns[Int(column)].row < 0 {
                columns[Int(column)].row = Int32(truncatingIfNeeded: row)
            } else {
                waiting.append(row)
                column = -1
            }
        }
        rows.append(Row(first: firstOfRow, end: pairs.count, potential: best.cost, column: column))
        (firstOfRow, best) = (pairs.count, Self.nothing)
    }

    mutating func solve() {
        for index in waiting.indices { augment(from: waiting[index]) }
    }

    private static let nothing = Pair(column: -1, cost: 0)

    /// Adds one row to the assignment along the cheapest augmenting path. If the path ends at a free column, the column
    /// gets assigned. Otherwise the path ends at a row, which gives up its column. If this row is `first` itself, the
    /// assignment does not change.
    private mutating func augment(from first: Int) {
        var row = first
        var reached = 0.0
        var (lonelyRow, lonelyDistance) = (first, Double.infinity)
        var freeColumn: Int?
        while true {
            let base = reached - rows[row].potential
            if base < lonelyDistance { (lonelyRow, lonelyDistance) = (row, base) }
            for index in rows[row].first..<rows[row].end {
                let column = Int(pairs[index].column)
                if columns[column].isSettled { continue }
                let through = base + pairs[index].cost - columns[column].potential
                if through < columns[column].distance {
                    if columns[column].distance == .infinity { frontier.append(pairs[index].column) }
                    columns[column].distance = through
                    columns[column].reachedFrom = Int32(truncatingIfNeeded: row)
                }
            }
            guard let nearest = nearestOfFrontier(), columns[nearest].distance < lonelyDistance else { break }
            reached = columns[nearest].distance
            if columns[nearest].row < 0 {
                freeColumn = nearest
                break
            }
            columns[nearest].isSettled = true
            row = Int(columns[nearest].row)
        }
        let end = freeColumn == nil ? lonelyDistance : reached
        rows[first].potential += end
        for index in frontier.indices {
            let column = Int(frontier[index])
            if columns[column].isSettled {
                let slack = end - columns[column].distance
                rows[Int(columns[column].row)].potential += slack
                columns[column].potential -= slack
            }
            columns[column].distance = .infinity
            columns[column].isSettled = false
        }
        frontier.clear()
        flip(first: first, freeColumn: freeColumn, lonelyRow: lonelyRow)
    }

    private func nearestOfFrontier() -> Int? {
        var nearest: Int?
        var minimum = Double.infinity
        for index in frontier.indices {
            let column = Int(frontier[index])
            if !columns[column].isSettled, columns[column].distance < minimum {
                (nearest, minimum) = (column, columns[column].distance)
            }
        }
        return nearest
    }

    /// Exchanges the matched and the unmatched pairs of rows and columns along the augmenting path.
    private mutating func flip(first: Int, freeColumn: Int?, lonelyRow: Int) {
        var column: Int
        if let freeColumn {
            column = freeColumn
        } else {
            if lonelyRow == first { return }
            column = Int(rows[lonelyRow].column)
            rows[lonelyRow].column = -1
        }
        while true {
            let row = Int(columns[column].reachedFrom)
            let next = Int(rows[row].column)
            rows[row].column = Int32(truncatingIfNeeded: column)
            columns[column].row = Int32(truncatingIfNeeded: row)
            if row == first { return }
            column = next
        }
    }
}
