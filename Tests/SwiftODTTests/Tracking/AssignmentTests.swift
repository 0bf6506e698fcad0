import ODTTestSupport
import Testing

@testable import SwiftODT

/// Compares the assignment with exhaustive search for problems of any shape.
@Suite struct AssignmentTests {
    @Test(arguments: 0..<200)
    func assignmentEqualsExhaustiveSearch(_ seed: Int) {
        var dice = RandomNumbers(UInt64(seed + 1))
        let (rows, columns) = (Int.random(in: 1...5, using: &dice), Int.random(in: 1...5, using: &dice))
        var gains = [[Double]](repeating: [Double](repeating: 0, count: columns), count: rows)
        for row in 0..<rows {
            for column in 0..<columns where Bool.random(using: &dice) {
                // Few distinct values make ties common.
                gains[row][column] = Double(Int.random(in: 0...6, using: &dice)) / 4
            }
        }
        var assignment = Assignment()
        let total = Self.solve(&assignment, gains, columns: columns)
        #expect(abs(total - Self.best(gains, row: 0, taken: [])) < 1e-9)
    }

    @Test func assignmentIsReusable() {
        var assignment = Assignment()
        let square = Self.solve(&assignment, [[1, 2], [2, 3]], columns: 2)
        let empty = Self.solve(&assignment, [], columns: 0)
        let tall = Self.solve(&assignment, [[0, 0, 5], [0, 0, 4], [0, 0, 3]], columns: 3)
        #expect([square, empty, tall] == [4, 0, 5])
        #expect((0..<3).map { assignment.column(of: $0) } == [2, -1, -1])
    }

    private static func solve(_ assignment: inout Assignment, _ gains: [[Double]], columns: Int) -> Double {
        assignment.begin(columns: columns)
        for row in gains {
            for (column, gain) in row.enumerated() { assignment.offer(column: column, gain: gain) }
            assignment.endRow()
        }
        assignment.solve()
        let columnOfRow = gains.indices.map { assignment.column(of: $0) }
        let chosen = columnOfRow.filter { $0 >= 0 }
        #expect(Set(chosen).count == chosen.count)
        return zip(gains, columnOfRow).reduce(0) { $0 + ($1.1 < 0 ? 0 : $1.0[$1.1]) }
    }

    private static func best(_ gains: [[Double]], row: Int, taken: Set<Int>) -> Double {
        guard row < gains.count else { return 0 }
        var maximum = best(gains, row: row + 1, taken: taken)
        for column in gains[row].indices where !taken.contains(column) {
            maximum = max(maximum, gains[row][column] + best(gains, row: row + 1, taken: taken.union([column])))
        }
        return maximum
    }
}
