import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests that tracks near each other have colours that differ, and that a track keeps its colour.
@Suite struct TrackColorsTests {
    private func object(_ id: Int, x: Double) -> AnnotatedObject {
        AnnotatedObject(id: id, box: Box(x: x, y: 100, width: 40, height: 90))
    }

    private func distance(_ one: Paint?, _ other: Paint?) throws -> Float {
        let (one, other) = (try #require(one), try #require(other))
        let (red, green, blue) = (one.red - other.red, one.green - other.green, one.blue - other.blue)
        return (red * red + green * green + blue * blue).squareRoot()
    }

    /// The palette colours of IDs that differ by 21 are similar.
    @Test(arguments: [(1, 22), (5, 26), (20, 41), (2, 23)]) func neighbouringTracksHaveDifferentColors(
        _ first: Int, _ second: Int
    ) throws {
        #expect(try distance(Palette.distinct(first), Palette.distinct(second)) < 0.2)
        var colors = TrackColors()
        colors.assign([object(first, x: 100), object(second, x: 150)], at: 0)
        #expect(try distance(colors.paint(of: first), colors.paint(of: second)) > 0.35)
    }

    @Test func trackKeepsItsColor() throws {
        var colors = TrackColors()
        colors.assign([object(1, x: 100), object(22, x: 150)], at: 0)
        let (first, second) = (colors.paint(of: 1), colors.paint(of: 22))
        #expect(first == Palette.distinct(1))
        // Neither other tracks nearby nor minutes without drawing change its colour.
        for number in 2..<20 { colors.assign([object(number, x: 120), object(22, x: 150)], at: Int64(number) << 30) }
        colors.assign([object(22, x: 0)], at: 600_000_000_000)
        #expect(colors.paint(of: 1) == first && colors.paint(of: 22) == second)
    }

    @Test func colorsAreDeterministic() {
        func colours() -> [Paint?] {
            var colors = TrackColors()
            for frame in 0..<40 {
                colors.assign((frame..<frame + 12).map { object($0, x: Double($0 * 7 % 90)) }, at: Int64(frame) << 25)
            }
            return (0..<52).map { colors.paint(of: $0) }
        }
        #expect(colours() == colours())
    }

    @Test func storedColorsAreBounded() {
        var colors = TrackColors()
        for id in 1...5000 { colors.assign([object(id, x: 100)], at: Int64(id) << 20) }
        #expect(colors.paint(of: 5000) != nil && colors.paint(of: 1) == nil)
    }
}
