import Testing

@testable import SwiftODT

/// Tests that noise is removed and small objects are kept.
@Suite struct SpeckFilterTests {
    @Test func fewerThanFourOfNineMarksAreRemoved() {
        let marks = DrawnGrid.marks(
            "#.......",
            "......##",
            "......#.",
            "..#.....",
            ".##.....",
            ".#......")
        // Only the pixels in the bend of the middle shape have at least three marked neighbours.
        #expect(
            DrawnGrid.rows(SpeckFilter(width: 8, height: 6).filter(marks)) == [
                "........",
                "........",
                "........",
                "........",
                ".##.....",
                "........",
            ])
    }

    @Test func squareOfFourMarksIsKept() {
        let marks = DrawnGrid.marks("....", ".##.", ".#+.", "....")
        let kept = SpeckFilter(width: 4, height: 4).filter(marks)
        #expect(DrawnGrid.rows(kept) == DrawnGrid.rows(marks))
        #expect(kept.base[2 * 4 + 2] == BackgroundModel.Mark.weak)
    }

    @Test func bordersAndTinyPlanesAreFiltered() {
        let corner = DrawnGrid.marks("##..", "##..", "...#")
        #expect(DrawnGrid.rows(SpeckFilter(width: 4, height: 3).filter(corner)) == ["##..", "##..", "...."])
        #expect(DrawnGrid.rows(SpeckFilter(width: 1, height: 1).filter(DrawnGrid.marks("#"))) == ["."])
    }
}
