import Testing

@testable import SwiftODT

/// Tests stationary regions: the ghost of a removed object disappears immediately, and a stopped object is reported for
/// a while.
@Suite struct StationaryRegionsTests {
    private static let (width, height) = (60, 40)
    private static let plain = DrawnGrid.pixels(width: width, height: height) { x, y in 120 + (x + y) % 4 }
    private static let withThing = DrawnGrid.pixels(width: width, height: height) { x, y in
        (20..<40).contains(x) && (12..<28).contains(y) ? 30 + (x * 7 + y * 3) % 20 : 120 + (x + y) % 4
    }

    private let place = 20 * width + 30

    /// Returns for how many of `frames` frames, at 10 frames per second, the centre of the object is marked.
    private func markedFrames(learnt: [UInt8], seen: [UInt8], of frames: Int) -> Int {
        let background = DrawnGrid.background(learnt, width: Self.width)
        let still = StationaryRegions(width: Self.width, height: Self.height)
        let labeler = RegionLabeler(width: Self.width, height: Self.height)
        var count = 0
        for _ in 0..<frames {
            background.compare(seen, light: LightChange())
            if background.marks.base[place] != BackgroundModel.Mark.background { count += 1 }
            labeler.label(background.marks, gap: 1)
            let objects = (0..<seen.count).map { background.marks.base[$0] == 0 ? UInt8(0) : 1 }
            background.learn(seen, causes: objects, elapsed: 0.1)
            still.absorbStoppedObjects(background.marks, of: labeler, background, seen)
            still.absorbGhosts(background, seen)
        }
        return count
    }

    @Test func ghostIsAbsorbedImmediately() {
        #expect(markedFrames(learnt: Self.withThing, seen: Self.plain, of: 30) <= 2)
    }

    @Test func stoppedObjectIsReportedForTenSeconds() {
        let seconds = markedFrames(learnt: Self.plain, seen: Self.withThing, of: 200) / 10
        #expect((6...12).contains(seconds))
    }

    @Test func stationaryRegionInNewSceneIsAbsorbedSoon() {
        let background = DrawnGrid.background(Self.plain, width: Self.width)
        let still = StationaryRegions(width: Self.width, height: Self.height)
        for _ in 0..<4 {
            background.compare(Self.withThing, light: LightChange())
            let objects = [UInt8](repeating: 0, count: Self.plain.count)
            background.learn(Self.withThing, causes: objects, elapsed: 0.1)
            still.absorbAll(background, Self.withThing)
        }
        background.compare(Self.withThing, light: LightChange())
        #expect(background.marks.base[place] == BackgroundModel.Mark.background)
    }
}
