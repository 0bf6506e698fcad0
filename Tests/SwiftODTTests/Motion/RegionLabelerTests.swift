import Testing

@testable import SwiftODT

/// Tests connected regions, including diagonal neighbours and small gaps.
@Suite struct RegionLabelerTests {
    @Test func separatePatchesAreOrderedByFirstPixel() {
        let labeler = labelled(
            DrawnGrid.marks(
                "......##..",
                "##....##..",
                "##........",
                ".........#"), gap: 0)
        #expect(
            labeler.regions.map(\.box) == [
                Box(minX: 6, minY: 0, maxX: 8, maxY: 2), Box(minX: 0, minY: 1, maxX: 2, maxY: 3),
                Box(minX: 9, minY: 3, maxX: 10, maxY: 4),
            ])
        #expect(labeler.regions.map(\.area) == [4, 4, 1])
    }

    @Test func diagonalPixelsAreConnected() {
        let labeler = labelled(DrawnGrid.marks("#..#", ".##.", "#..#"), gap: 0)
        #expect(labeler.regions.count == 1)
        #expect(labeler.regions.first?.area == 6)
    }

    /// The arms of a U are separate until the row that connects them.
    @Test func uShapeIsOneRegion() {
        let labeler = labelled(
            DrawnGrid.marks(
                "#...#..#",
                "#...#..#",
                "#####..#"), gap: 0)
        #expect(labeler.regions.map(\.area) == [9, 3])
        #expect(labeler.runs.map(\.region) == [0, 0, 1, 0, 0, 1, 0, 1])
    }

    @Test(arguments: [(0, 2), (1, 1)])
    func gapsUpToTwiceTheWidthAreBridged(_ gap: Int, _ count: Int) {
        #expect(labelled(DrawnGrid.marks("###..###"), gap: gap).regions.count == count)
        #expect(labelled(DrawnGrid.marks("##", "..", "..", "##"), gap: gap).regions.count == count)
        #expect(labelled(DrawnGrid.marks("##....##"), gap: gap).regions.count == 2)
    }

    /// Pixels that bridge a gap belong to no region.
    @Test func areaAndBoxMatchMarks() {
        let labeler = labelled(DrawnGrid.marks(".........", "..+#.#+..", "........."), gap: 1)
        #expect(labeler.regions.map(\.box) == [Box(minX: 2, minY: 1, maxX: 7, maxY: 2)])
        #expect(labeler.regions.map(\.area) == [4])
        #expect(labeler.regions.map(\.strong) == [2])
    }

    @Test func labelerIsResetBetweenFrames() {
        let labeler = RegionLabeler(width: 3, height: 1)
        labeler.label(DrawnGrid.marks("#.#"), gap: 0)
        labeler.label(DrawnGrid.marks("..."), gap: 0)
        #expect(labeler.regions.isEmpty && labeler.runs.isEmpty)
    }

    private func labelled(_ marks: PixelGrid<UInt8>, gap: Int) -> RegionLabeler {
        let labeler = RegionLabeler(width: marks.width, height: marks.height)
        labeler.label(marks, gap: gap)
        return labeler
    }
}
