import Testing

@testable import SwiftODT

/// Protects small objects from being taken for noise, and the picture from noise that is taken for objects.
@Suite struct SpeckFilterTests {
    @Test func fewerThanFourOfNineMarksAreRemoved() {
        let marks = DrawnGrid.marks(
            "#.......",
            "......##",
            "......#.",
            "..#.....",
            ".##.....",
            ".#......")
        // Of the two rows of three in the middle no pixel has three others around it but those in the bend.
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
