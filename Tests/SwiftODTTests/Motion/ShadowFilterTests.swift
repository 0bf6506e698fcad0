import Testing

@testable import SwiftODT

/// Protects boxes from reaching over the shadow of what they are around, and dark things from being taken for one.
@Suite struct ShadowFilterTests {
    private static let (width, height) = (60, 40)

    private static func ground(_ x: Int, _ y: Int) -> Int { 120 + (x * 11 + y * 17) % 60 }

    /// What is left of the marks of a frame after shadows are cleared.
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

    @Test func aShadowThroughWhichTheGroundShowsGoes() {
        let marks = cleared { x, y in
            let isShadow = (15..<45).contains(x) && (10..<30).contains(y)
            return isShadow ? Self.ground(x, y) * 6 / 10 : Self.ground(x, y)
        }
        #expect(count(marks.before, columns: 17..<43) > 400)
        #expect(count(marks.after, columns: 17..<43) < 30)
    }

    @Test func aDarkThingStays() {
        let marks = cleared { x, y in (15..<45).contains(x) && (10..<30).contains(y) ? 40 : Self.ground(x, y) }
        #expect(count(marks.after, columns: 17..<43) > 400)
    }

    @Test func aLightThingKeepsItsPlaceAndLosesItsShadow() {
        let marks = cleared { x, y in
            guard (10..<30).contains(y) else { return Self.ground(x, y) }
            return (15..<30).contains(x) ? 245 : (30..<45).contains(x) ? Self.ground(x, y) * 6 / 10 : Self.ground(x, y)
        }
        #expect(count(marks.after, columns: 17..<28) > 180)
        #expect(count(marks.before, columns: 34..<44) > 150)
        #expect(count(marks.after, columns: 34..<44) < 30)
    }
}
