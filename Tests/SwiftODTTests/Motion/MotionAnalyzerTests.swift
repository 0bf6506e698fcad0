import Testing

@testable import SwiftODT

/// Tests that a region counts as an object only if some of its pixels differ strongly.
@Suite struct MotionAnalyzerTests {
    private static let (width, height) = (96, 64)

    private static func plane(_ time: Double, core: Int?) -> LumaPlane {
        let pixels = DrawnGrid.pixels(width: width, height: height) { x, y in
            guard let core, (30..<54).contains(x), (20..<44).contains(y) else { return 90 }
            // A translucent region with weak differences, and a core with strong differences.
            return (30..<30 + core).contains(x - 8) && (20..<20 + core).contains(y - 8) ? 160 : 103
        }
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: pixels.count)
        _ = copy.initialize(from: pixels)
        return LumaPlane(
            adopting: copy, width: width, height: height, scaleX: 1, scaleY: 1, time: Nanoseconds(time * 1e9))
    }

    /// Returns whether the translucent region is reported within half a second, after one second without it.
    private static func seen(core: Int) -> Bool {
        let analyzer = MotionAnalyzer(plane(0, core: nil))
        for number in 1...15 { _ = analyzer.analyze(at: plane(Double(number) / 15, core: nil)) }
        return (16...23).contains { !analyzer.analyze(at: plane(Double($0) / 15, core: core)).isEmpty }
    }

    @Test(arguments: [(0, false), (2, false), (8, true)]) func translucentObjectNeedsATenthOfStrongPixels(
        _ core: Int, _ isForeground: Bool
    ) {
        #expect(Self.seen(core: core) == isForeground)
    }
}
