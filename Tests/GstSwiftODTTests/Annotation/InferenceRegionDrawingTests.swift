import SwiftODT
import Testing

@testable import GstSwiftODT

/// Protects what `draw-inference-regions` shows: the frame of a look, for a moment, and nothing where it is off.
@Suite struct InferenceRegionDrawingTests {
    private static let inferredRegion = InferredRegion(Box(x: 40, y: 20, width: 80, height: 60), width: 200, height: 150)

    @Test func inferenceRegionFadesOut() {
        var looks = RecentInferenceRegions()
        looks.note(Self.inferredRegion, at: 1_000_000_000)
        let fresh = looks.drawn(at: 1_000_000_000)
        #expect(fresh.map(\.box) == [Self.inferredRegion.box] && fresh[0].strength == 1 && fresh[0].magnification == 2.5)
        let later = looks.drawn(at: 1_200_000_000)
        #expect(later[0].strength < 1 && later[0].strength > 0.2)
        #expect(looks.drawn(at: 1_500_000_000).isEmpty)
        // Another epoch, whose time begins anew.
        looks.note(Self.inferredRegion, at: 9_000_000_000)
        #expect(looks.drawn(at: 0).isEmpty)
    }

    @Test func inferenceRegionIsDrawnAsOutline() {
        let annotator = Annotator()
        // Without labels: how much nearer stands in the frame.
        var options = AnnotatorOptions()
        options.drawLabels = false
        let region = AnnotatedRegion(box: Self.inferredRegion.box, magnification: 2.5, strength: 1)
        #expect(!annotator.needsDrawing([], options: AnnotatorOptions(), width: 200, height: 150, time: 0))
        #expect(
            annotator.needsDrawing([], inferenceRegions: [region], options: AnnotatorOptions(), width: 200, height: 150, time: 0))
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

    /// Protects that parts of wide pictures that are as high as these are parts: they were drawn as if the whole was looked at.
    @Test func fullHeightRegionIsMagnified() {
        var looks = RecentInferenceRegions()
        looks.note(InferredRegion(Box(x: 60, y: 0, width: 100, height: 100), width: 200, height: 100), at: 0)
        looks.note(InferredRegion(nil, width: 200, height: 100), at: 0)
        #expect(looks.drawn(at: 0).map(\.magnification) == [2, nil])
    }

    /// Protects that a frame is told from ground as white as itself, by the dark line beside it.
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
