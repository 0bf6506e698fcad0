import Testing

@testable import SwiftODT

/// Tests the compensation of global light changes, for example by a lamp or the camera's exposure.
@Suite struct LightChangeTests {
    private static let (width, height) = (80, 60)

    private func background(_ level: (Int, Int) -> Int) -> PixelGrid<Float> {
        let grid = PixelGrid<Float>(width: Self.width, height: Self.height, filled: 0)
        for i in 0..<grid.count { grid.base[i] = Float(level(i % Self.width, i / Self.width)) }
        return grid
    }

    private func change(
        _ background: PixelGrid<Float>, marks: PixelGrid<UInt8>? = nil, _ seen: (Int, Int) -> Double
    ) -> LightChange {
        let pixels = DrawnGrid.pixels(width: Self.width, height: Self.height) { Int(seen($0, $1).rounded()) }
        let unmarked = PixelGrid<UInt8>(width: Self.width, height: Self.height, filled: 0)
        return LightChange(from: background, to: pixels, ignoring: marks ?? unmarked)
    }

    @Test(arguments: [(1.0, 0.0), (1.0, 20.0), (0.8, 0.0), (1.3, -15.0)])
    func gainAndOffsetAreEstimated(_ gain: Double, _ offset: Double) {
        let ground = background { x, y in 40 + (x * 7 + y * 13) % 110 }
        let found = change(ground) { x, y in Double(40 + (x * 7 + y * 13) % 110) * gain + offset }
        for level: Float in [50, 100, 140] {
            #expect(abs(level * found.gain + found.offset - (level * Float(gain) + Float(offset))) < 2)
        }
    }

    @Test func foregroundIsOutvoted() {
        let ground = background { x, y in 60 + (x * 7 + y * 13) % 60 }
        let found = change(ground) { x, y in x < 25 ? 230 : Double(60 + (x * 7 + y * 13) % 60) + 10 }
        #expect(abs(90 * found.gain + found.offset - 100) < 2)
    }

    /// On a uniform background any gain fits. A wrong gain would mark all lighter or darker objects as foreground.
    @Test func lowContrastKeepsGainNearOne() {
        let found = change(background { _, _ in 100 }) { _, _ in 130 }
        #expect(abs(found.gain - 1) < 0.05)
        #expect(abs(100 * found.gain + found.offset - 130) < 1)
    }

    @Test func coveredPixelsAreIgnored() {
        let marks = PixelGrid<UInt8>(width: Self.width, height: Self.height, filled: BackgroundModel.Mark.strong)
        let found = change(background { _, _ in 100 }, marks: marks) { _, _ in 180 }
        #expect(found.gain == 1 && found.offset == 0)
    }
}
