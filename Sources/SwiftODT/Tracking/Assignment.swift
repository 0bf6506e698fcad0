/// Finds the assignment of rows to columns with the greatest total gain; a row or column may stay alone, at gain 0.
///
/// Shortest augmenting paths with potentials, as Jonker and Volgenant do it, on the pairs that were offered instead
/// of a full matrix: what lies far apart costs nothing, so that many objects cost little more than their number.
/// Memory is kept and only grows; once it has, nothing is allocated.
struct Assignment {
    private struct Pair {
        var column: Int32
        var cost: Double
    }

    /// What is known of a column: its match, and how the search that is under way has reached it.
    private struct Column {
        var potential = 0.0
        var distance = Double.infinity
        var reachedFrom: Int32 = -1
        var row: Int32 = -1
        var isSettled = false
    }

    private var pairs: ContiguousArray<Pair> = []
    /// Where a row's pairs begin; one entry more than rows.
    private var starts: ContiguousArray<Int> = [0]
    private var rowPotential: ContiguousArray<Double> = []
    private var columns: ContiguousArray<Column> = []
    private var frontier: ContiguousArray<Int32> = []
    private var settled: ContiguousArray<Int32> = []
    /// The column of every row, -1 for rows that stay alone. Valid after ``solve()``.
    private(set) var columnOfRow: ContiguousArray<Int32> = []

    /// Begins a new problem.
    mutating func begin(columns: Int) {
        pairs.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        starts.append(0)
        self.columns.reset(to: Column(), count: columns)
    }

    /// Offers the row being built a column. Gains that are not above 0 are no offer.
    mutating func offer(column: Int, gain: Double) {
        if gain > 0 { pairs.append(Pair(column: Int32(truncatingIfNeeded: column), cost: -gain)) }
    }

    /// The row being built is complete.
    mutating func endRow() { starts.append(pairs.count) }

    mutating func solve() {
        let rows = starts.count - 1
        columnOfRow.reset(to: -1, count: rows)
        rowPotential.reset(to: 0, count: rows)
        for row in 0..<rows {
            var best: Pair?
            for index in starts[row]..<starts[row + 1] where pairs[index].cost < best?.cost ?? 0 { best = pairs[index] }
            guard let best else { continue }
            rowPotential[row] = best.cost
            if columns[Int(best.column)].row < 0 { match(row, Int(best.column)) }
        }
        for row in 0..<rows where columnOfRow[row] < 0 && starts[row] < starts[row + 1] { augment(from: row) }
    }

    private mutating func match(_ row: Int, _ column: Int) {
        columnOfRow[row] = Int32(truncatingIfNeeded: column)
        columns[column].row = Int32(truncatingIfNeeded: row)
    }

    /// Brings one more row in along the cheapest path, which ends at a free column or leaves some row alone.
    private mutating func augment(from first: Int) {
        var row = first
        var reached = 0.0
        var (lonelyRow, lonelyDistance) = (first, Double.infinity)
        var freeColumn: Int?
        while true {
            let base = reached - rowPotential[row]
            if base < lonelyDistance { (lonelyRow, lonelyDistance) = (row, base) }
            for index in starts[row]..<starts[row + 1] {
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
            settled.append(Int32(truncatingIfNeeded: nearest))
            row = Int(columns[nearest].row)
        }
        let end = freeColumn == nil ? lonelyDistance : reached
        rowPotential[first] += end
        for column in settled {
            let slack = end - columns[Int(column)].distance
            rowPotential[Int(columns[Int(column)].row)] += slack
            columns[Int(column)].potential -= slack
        }
        flip(first: first, freeColumn: freeColumn, lonelyRow: lonelyRow)
        forgetPath()
    }

    private func nearestOfFrontier() -> Int? {
        var nearest: Int?
        var least = Double.infinity
        for column in frontier where !columns[Int(column)].isSettled && columns[Int(column)].distance < least {
            (nearest, least) = (Int(column), columns[Int(column)].distance)
        }
        return nearest
    }

    /// Turns matched and unmatched pairs along the path into each other.
    private mutating func flip(first: Int, freeColumn: Int?, lonelyRow: Int) {
        var column: Int
        if let freeColumn {
            column = freeColumn
        } else {
            if lonelyRow == first { return }
            column = Int(columnOfRow[lonelyRow])
            columnOfRow[lonelyRow] = -1
        }
        while true {
            let row = Int(columns[column].reachedFrom)
            let next = Int(columnOfRow[row])
            match(row, column)
            if row == first { return }
            column = next
        }
    }

    private mutating func forgetPath() {
        for column in frontier {
            columns[Int(column)].distance = .infinity
            columns[Int(column)].isSettled = false
        }
        frontier.removeAll(keepingCapacity: true)
        settled.removeAll(keepingCapacity: true)
    }
}

extension ContiguousArray {
    /// Sets the count and all elements, in the memory that is there.
    fileprivate mutating func reset(to value: Element, count: Int) {
        removeAll(keepingCapacity: true)
        append(contentsOf: repeatElement(value, count: count))
    }
}
