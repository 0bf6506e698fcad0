/// Finds the assignment of rows to columns with the greatest total gain, by the shortest augmenting paths of Jonker and
/// Volgenant. A row or column that stays unassigned adds a gain of 0. The memory is reused for the next problem.
struct Assignment: ~Copyable {
    struct Pair {
        var column: Int
        var cost: Double
    }

    /// A column's dual potential, its assigned row (-1 for none), and the state of the current path search.
    struct Column {
        var potential = 0.0
        var distance = Double.infinity
        var reachedFrom = -1
        var row = -1
        var isSettled = false
    }

    struct Row {
        /// The index in `pairs` after the last candidate of the row.
        var end: Int
        var potential: Double
        /// The assigned column, or -1 for an unassigned row.
        var column: Int
    }

    private var pairs = ScratchList<Pair>()
    private var rows = ScratchList<Row>()
    private var columns = ScratchList<Column>()
    /// The pair with the highest gain in the row that is being built.
    private var best = nothing
    /// Rows whose best column was already taken. ``solve()`` assigns them.
    private var waiting = ScratchList<Int>()
    /// The columns that the current path search has reached.
    private var frontier = ScratchList<Int>()

    private static let nothing = Pair(column: -1, cost: 0)

    /// Returns the column that is assigned to a row, or -1. Valid after ``solve()``.
    func column(of row: Int) -> Int { rows[row].column }

    mutating func begin(columns: Int) {
        pairs.clear()
        rows.clear()
        waiting.clear()
        best = Self.nothing
        self.columns.reset(to: Column(), count: columns)
    }

    @inline(__always)
    mutating func offer(column: Int, gain: Double) {
        guard gain > 0 else { return }
        let pair = Pair(column: column, cost: -gain)
        if pair.cost < best.cost { best = pair }
        pairs.append(pair)
    }

    /// If the best column of the completed row is still free, as usual, the column is assigned immediately.
    @inline(__always)
    mutating func endRow() {
        var column = best.column
        if column >= 0, columns[column].row >= 0 {
            waiting.append(rows.count)
            column = -1
        } else if column >= 0 {
            columns[column].row = rows.count
        }
        rows.append(Row(end: pairs.count, potential: best.cost, column: column))
        best = Self.nothing
    }

    mutating func solve() {
        for index in waiting.indices { augment(from: waiting[index]) }
    }

    /// Adds one row to the assignment along the augmenting path with the lowest cost. The path ends at a free column,
    /// or at a row that gives up its column. If the path already ends at `first`, this row stays unassigned and the
    /// assignment does not change.
    private mutating func augment(from first: Int) {
        var (row, reached) = (first, 0.0)
        var (lonelyRow, end) = (first, Double.infinity)
        var freeColumn: Int?
        while freeColumn == nil {
            let base = reached - rows[row].potential
            if base < end { (lonelyRow, end) = (row, base) }
            for index in (row == 0 ? 0 : rows[row - 1].end)..<rows[row].end {
                let column = pairs[index].column
                if columns[column].isSettled { continue }
                let through = base + pairs[index].cost - columns[column].potential
                if through < columns[column].distance {
                    if columns[column].distance == .infinity { frontier.append(column) }
                    columns[column].distance = through
                    columns[column].reachedFrom = row
                }
            }
            var nearest = -1
            reached = end
            for index in frontier.indices {
                let column = frontier[index]
                if !columns[column].isSettled, columns[column].distance < reached {
                    (nearest, reached) = (column, columns[column].distance)
                }
            }
            if nearest < 0 { break }
            row = columns[nearest].row
            if row < 0 { freeColumn = nearest } else { columns[nearest].isSettled = true }
        }
        // Without a free column, `reached` is the distance of `lonelyRow`.
        rows[first].potential += reached
        for index in frontier.indices {
            let column = frontier[index]
            if columns[column].isSettled {
                let slack = reached - columns[column].distance
                rows[columns[column].row].potential += slack
                columns[column].potential -= slack
            }
            columns[column].distance = .infinity
            columns[column].isSettled = false
        }
        frontier.clear()
        // Exchanges the matched and the unmatched pairs along the path, from its end to `first`.
        var column = freeColumn ?? rows[lonelyRow].column
        if freeColumn == nil { rows[lonelyRow].column = -1 }
        while column >= 0 {
            let row = columns[column].reachedFrom
            let next = rows[row].column
            rows[row].column = column
            columns[column].row = row
            column = next
        }
    }
}
