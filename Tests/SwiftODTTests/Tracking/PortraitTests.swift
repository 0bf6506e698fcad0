import Testing

@testable import SwiftODT

/// Protects what is compared to see whether an object is still there.
@Suite struct PortraitTests {
    private let thing = SyntheticScene.Thing(width: 80, height: 200, place: { _ in (300, 200) }, seed: 3)

    @Test func aThingIsLikeItselfAndNotLikeTheGroundBehindIt() throws {
        let (with, without) = (SyntheticScene(things: [thing]).plane(at: 0), SyntheticScene().plane(at: 0))
        let box = SyntheticScene(things: [thing]).boxes(at: 0)[0]
        let portrait = try #require(Portrait(of: box, in: with))
        let ground = try #require(Portrait(of: box, in: without))
        #expect(portrait.difference(portrait) == 0)
        #expect(portrait.correlation(portrait).whole > 0.95)
        #expect(portrait.difference(ground) > 6)
        #expect(portrait.correlation(ground).whole < 0.6)
    }

    /// Light makes a picture brighter and not another one.
    @Test func aDarkerPictureOfAThingCorrelates() throws {
        var scene = SyntheticScene(things: [thing])
        let portrait = try #require(Portrait(of: scene.boxes(at: 0)[0], in: scene.plane(at: 0)))
        scene.light = -25
        let darker = try #require(Portrait(of: scene.boxes(at: 0)[0], in: scene.plane(at: 0)))
        #expect(portrait.difference(darker) > 15)
        #expect(portrait.correlation(darker).whole > 0.9)
    }

    @Test func whatIsHalfCoveredIsHalfAlike() throws {
        let cover = SyntheticScene.Thing(width: 100, height: 400, place: { _ in (340, 100) }, seed: 77)
        let box = SyntheticScene(things: [thing]).boxes(at: 0)[0]
        let portrait = try #require(Portrait(of: box, in: SyntheticScene(things: [thing]).plane(at: 0)))
        let covered = try #require(Portrait(of: box, in: SyntheticScene(things: [thing, cover]).plane(at: 0)))
        let likeness = portrait.correlation(covered)
        #expect(likeness.whole < 0.6)
        #expect(likeness.halves.max() > 0.9)
    }

    /// Levels 255 apart fit into what they are summed in.
    @Test func blackAndWhiteAreFarthestApart() throws {
        func flat(_ level: UInt8) -> LumaPlane {
            let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64 * 48)
            pixels.initialize(repeating: level)
            return LumaPlane(adopting: pixels, width: 64, height: 48, scaleX: 1, scaleY: 1, time: 0)
        }
        let box = Box(x: 10, y: 10, width: 20, height: 30)
        let (black, white) = try (#require(Portrait(of: box, in: flat(0))), #require(Portrait(of: box, in: flat(255))))
        #expect(black.difference(white) == 255)
        #expect(abs(black.correlation(white).whole) < 0.01)
    }

    @Test(arguments: [
        Box(x: 2000, y: 0, width: 80, height: 200), Box(x: -79, y: 0, width: 80, height: 200),
        Box(x: 10, y: 10, width: 3, height: 200), Box(x: 0, y: -1000, width: 80, height: 10),
        Box(x: -1e6, y: -1e6, width: 1e-3, height: 1e7), Box(x: 0, y: 0, width: 1e7, height: 1e7),
    ])
    func whatIsHardlyInThePictureHasNone(_ box: Box) {
        #expect(Portrait(of: box, in: SyntheticScene().plane(at: 0)) == nil)
    }
}
