import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests that shadows are removed from boxes, and that dark objects are not treated as shadows.
@Suite struct ShadowFilterTests {
    private static let (width, height) = (60, 40)

    private static func ground(_ x: Int, _ y: Int) -> Int { 120 + (x * 11 + y * 17) % 60 }

    /// Returns the marks of a frame before and after the shadow filter.
    private func cleared(_ seen: (_ x: Int, _ y: Int) -> Int) -> (before: [String], after: [String]) {
        let background = DrawnGrid.background(
            DrawnGrid.pixels(width: Self.width, height: Self.height, Self.ground), width: Self.width)
        let frame = DrawnGrid.pixels(width: Self.width, height: Self.height, seen)
        background.compare(frame, light: LightChange())
        let marks = SpeckFilter(width: Self.width, height: Self.height).filter(background.marks)
        let labeler = RegionLabeler(width: Self.width, height: Self.height)
        labeler.label(marks, gap: 1)
        let before = DrawnGrid.rows(marks)
        _ = ShadowFilter(width: Self.width, height: Self.height).clear(marks, of: labeler, background, frame)
        return (before, DrawnGrid.rows(marks))
    }

    private func count(_ rows: [String], columns: Range<Int>) -> Int {
        rows.reduce(0) { sum, row in sum + zip(0..., row).count { columns.contains($0) && $1 == "#" } }
    }

    @Test func translucentShadowIsCleared() {
        let marks = cleared { x, y in
            let isShadow = (15..<45).contains(x) && (10..<30).contains(y)
            return isShadow ? Self.ground(x, y) * 6 / 10 : Self.ground(x, y)
        }
        #expect(count(marks.before, columns: 17..<43) > 400)
        #expect(count(marks.after, columns: 17..<43) < 30)
    }

    @Test func darkObjectIsKept() {
        let marks = cleared { x, y in (15..<45).contains(x) && (10..<30).contains(y) ? 40 : Self.ground(x, y) }
        #expect(count(marks.after, columns: 17..<43) > 400)
    }

    @Test func brightObjectIsKeptWithoutShadow() {
        let marks = cleared { x, y in
            guard (10..<30).contains(y) else { return Self.ground(x, y) }
            return (15..<30).contains(x) ? 245 : (30..<45).contains(x) ? Self.ground(x, y) * 6 / 10 : Self.ground(x, y)
        }
        #expect(count(marks.after, columns: 17..<28) > 180)
        #expect(count(marks.before, columns: 34..<44) > 150)
        #expect(count(marks.after, columns: 34..<44) < 30)
    }

    /// The large noise of water in one area must not make the filter treat dark objects elsewhere as uniform shadows.
    @Test func darkObjectIsKeptBesideActiveWater() {
        var dice = RandomNumbers(7)
        func frame(_ isThere: Bool) -> [UInt8] {
            DrawnGrid.pixels(width: Self.width, height: Self.height) { x, y in
                if y >= 26 { return 120 + Int(dice.noise() * 14) }
                let ground = 100 + (x * 11 + y * 17) % 8
                guard isThere, (15..<45).contains(x), (6..<20).contains(y) else { return ground }
                // The bright part could cast the dark part beside it as a shadow.
                return (x < 25 ? 210 : 50) + (x * 7 + y * 5) % 12
            }
        }
        let background = BackgroundModel(width: Self.width, height: Self.height)
        let nothing = [UInt8](repeating: 0, count: Self.width * Self.height)
        background.restart(frame(false))
        for _ in 0..<80 {
            let seen = frame(false)
            background.compare(seen, light: LightChange())
            background.learn(seen, causes: nothing, elapsed: 0.1)
        }
        let seen = frame(true)
        background.compare(seen, light: LightChange())
        let marks = SpeckFilter(width: Self.width, height: Self.height).filter(background.marks)
        for y in 22..<Self.height { for x in 0..<Self.width { marks.base[y * Self.width + x] = 0 } }
        let labeler = RegionLabeler(width: Self.width, height: Self.height)
        labeler.label(marks, gap: 1)
        _ = ShadowFilter(width: Self.width, height: Self.height).clear(
            marks, of: labeler, background, seen, locally: true)
        #expect(count(DrawnGrid.rows(marks), columns: 27..<43) > 180)
    }
}
