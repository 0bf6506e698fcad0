import Testing

@testable import SwiftODT

/// Tests which cells form one moving region, and the region's size.
@Suite struct MovingRegionTests {
    private static func regions(_ cells: [(column: Int, row: Int, began: Nanoseconds)]) -> [MovingRegion] {
        var began = [Nanoseconds?](repeating: nil, count: CoverageAge.columns * CoverageAge.rows)
        for cell in cells { began[cell.row * CoverageAge.columns + cell.column] = cell.began }
        return MovingRegion.all(in: began)
    }

    @Test func adjacentCellsFormRegionWithEarliestStart() {
        let regions = Self.regions([(3, 3, 50), (4, 4, 20), (4, 5, 70), (6, 5, 10)])
        #expect(regions.map(\.cells.count) == [3, 1])
        #expect(regions.map(\.began) == [20, 10])
    }

    @Test func regionsDoNotWrapAroundEdges() {
        let last = CoverageAge.columns - 1
        #expect(Self.regions([(last, 3, 0), (0, 4, 0)]).count == 2)
    }

    @Test func regionCutByEdgeUsesLongerSide() {
        let column = (4..<10).map { (column: 0, row: $0, began: Nanoseconds(0)) }
        let inside = (4..<10).map { (column: 9, row: $0, began: Nanoseconds(0)) }
        let (width, height) = (10 * Double(CoverageAge.columns), 10 * Double(CoverageAge.rows))
        #expect(abs(Self.regions(column)[0].side(width: width, height: height) - 60) < 1e-9)
        #expect(abs(Self.regions(inside)[0].side(width: width, height: height) - 600.0.squareRoot()) < 1e-9)
    }
}
