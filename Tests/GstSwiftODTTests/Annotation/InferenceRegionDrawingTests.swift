import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests the drawing of inference regions.
@Suite struct InferenceRegionDrawingTests {
    private static let inferredRegion = InferredRegion(
        Box(x: 40, y: 20, width: 80, height: 60), width: 200, height: 150)

    @Test func inferenceRegionFadesOut() {
        var recent = RecentInferenceRegions()
        recent.note(Self.inferredRegion, at: 1_000_000_000)
        let fresh = recent.drawn(at: 1_000_000_000)
        #expect(
            fresh.map(\.box) == [Self.inferredRegion.box] && fresh[0].strength == 1 && fresh[0].magnification == 2.5)
        let later = recent.drawn(at: 1_200_000_000)
        #expect(later[0].strength < 1 && later[0].strength > 0.2)
        #expect(recent.drawn(at: 1_500_000_000).isEmpty)
        // A new epoch with earlier times.
        recent.note(Self.inferredRegion, at: 9_000_000_000)
        #expect(recent.drawn(at: 0).isEmpty)
    }

    @Test func inferenceRegionIsDrawnAsOutline() {
        let annotator = Annotator()
        // Without labels, because the magnification would be drawn inside the region.
        var options = AnnotatorOptions()
        options.drawLabels = false
        let region = AnnotatedRegion(box: Self.inferredRegion.box, magnification: 2.5, strength: 1)
        #expect(!annotator.needsDrawing([], options: AnnotatorOptions(), width: 200, height: 150, time: 0))
        #expect(
            annotator.needsDrawing(
                [], inferenceRegions: [region], options: AnnotatorOptions(), width: 200, height: 150, time: 0))
        let picture = Painting(width: 200, height: 150)
        var edge: [UInt8] = []
        var middle: [UInt8] = []
        picture.withFrame(time: 0) { frame in
            annotator.draw([], inferenceRegions: [region], options: options, into: frame)
            func blue(_ x: Int, _ y: Int) -> UInt8 {
                let plane = frame.plane(0)
                return plane.base.load(fromByteOffset: y * plane.stride + 4 * x, as: UInt8.self)
            }
            edge = [blue(40, 22), blue(60, 20), blue(119, 78)]
            middle = [blue(80, 50), blue(10, 10), blue(150, 120)]
        }
        #expect(edge.allSatisfy { $0 > 0x90 })
        #expect(middle.allSatisfy { $0 == 0x90 })
    }

    /// A region as high as the picture is not a full frame.
    @Test func fullHeightRegionIsMagnified() {
        var recent = RecentInferenceRegions()
        recent.note(InferredRegion(Box(x: 60, y: 0, width: 100, height: 100), width: 200, height: 100), at: 0)
        recent.note(InferredRegion(nil, width: 200, height: 100), at: 0)
        #expect(recent.drawn(at: 0).map(\.magnification) == [2, nil])
    }

    /// The dark line beside the white one keeps the region visible on a white background.
    @Test func outlineIsVisibleOnWhite() {
        var options = AnnotatorOptions()
        options.drawLabels = false
        let region = AnnotatedRegion(box: Self.inferredRegion.box, magnification: 2.5, strength: 1)
        let picture = Painting(width: 200, height: 150, background: 0xFFFF_FFFF)
        var darkest: UInt8 = 255
        picture.withFrame(time: 0) { frame in
            Annotator().draw([], inferenceRegions: [region], options: options, into: frame)
            let plane = frame.plane(0)
            for x in 30..<60 {
                darkest = min(darkest, plane.base.load(fromByteOffset: 50 * plane.stride + 4 * x, as: UInt8.self))
            }
        }
        #expect(darkest < 200)
    }
}
