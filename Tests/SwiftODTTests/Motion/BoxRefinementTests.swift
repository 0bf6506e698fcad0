import Testing

@testable import SwiftODT

/// Tests the subpixel refinement of box edges.
@Suite struct BoxRefinementTests {
    /// Returns the refined box of a square with a left column that is covered by `share`.
    private func refined(left share: Float, of height: Int = 12) -> Box {
        let (width, top) = (24, 4)
        let marks = PixelGrid<UInt8>(width: width, height: 24, filled: 0)
        let difference = PixelGrid<Float>(width: width, height: 24, filled: 0)
        var region = Region()
        for y in top..<top + height {
            for x in 6..<18 {
                marks.base[y * width + x] = BackgroundModel.Mark.strong
                difference.base[y * width + x] = x == 6 ? 80 * share : 80
                region.add(x, y, strong: true)
            }
        }
        return BoxRefinement(marks: marks, difference: difference).refine(region)
    }

    @Test func fullPixelsAreKept() { #expect(refined(left: 1) == Box(minX: 6, minY: 4, maxX: 18, maxY: 16)) }

    @Test(arguments: [Float(0.25), 0.5, 0.75])
    func partiallyCoveredColumnCountsPartially(_ share: Float) {
        let box = refined(left: share)
        #expect(abs(box.minX - (7 - Double(share))) < 1e-6)
        #expect(box.maxX == 18 && box.minY == 4 && box.maxY == 16)
    }

    /// Smoothing can mark columns beside an object that differ very little from the background.
    @Test func emptyColumnIsCut() { #expect(refined(left: 0.05).minX == 7) }

    @Test func smallRegionIsUnchanged() {
        let box = refined(left: 0.05, of: 3)
        #expect(box.minY == 4 && box.maxY == 7)
    }
}
