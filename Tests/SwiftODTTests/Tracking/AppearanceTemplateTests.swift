import Testing

@testable import SwiftODT

/// Tests the templates that determine whether an object is still at its position.
@Suite struct AppearanceTemplateTests {
    private let object = SyntheticScene.Thing(width: 80, height: 200, place: { _ in (300, 200) }, seed: 3)

    @Test func templateMatchesObjectNotBackground() throws {
        let (with, without) = (SyntheticScene(objects: [object]).plane(at: 0), SyntheticScene().plane(at: 0))
        let box = SyntheticScene(objects: [object]).boxes(at: 0)[0]
        let template = try #require(AppearanceTemplate(of: box, in: with))
        let ground = try #require(AppearanceTemplate(of: box, in: without))
        #expect(template.difference(template) == 0)
        #expect(template.correlation(template).whole > 0.95)
        #expect(template.difference(ground) > 6)
        #expect(template.correlation(ground).whole < 0.6)
    }

    /// A change of brightness changes the difference, but not the correlation.
    @Test func templateCorrelationIgnoresBrightness() throws {
        var scene = SyntheticScene(objects: [object])
        let template = try #require(AppearanceTemplate(of: scene.boxes(at: 0)[0], in: scene.plane(at: 0)))
        scene.light = -25
        let darker = try #require(AppearanceTemplate(of: scene.boxes(at: 0)[0], in: scene.plane(at: 0)))
        #expect(template.difference(darker) > 15)
        #expect(template.correlation(darker).whole > 0.9)
    }

    @Test func halfOccludedTemplateMatchesHalf() throws {
        let cover = SyntheticScene.Thing(width: 100, height: 400, place: { _ in (340, 100) }, seed: 77)
        let box = SyntheticScene(objects: [object]).boxes(at: 0)[0]
        let template = try #require(AppearanceTemplate(of: box, in: SyntheticScene(objects: [object]).plane(at: 0)))
        let covered = try #require(
            AppearanceTemplate(of: box, in: SyntheticScene(objects: [object, cover]).plane(at: 0)))
        let similarity = template.correlation(covered)
        #expect(similarity.whole < 0.6)
        #expect(similarity.halves.max() > 0.9)
    }

    /// The largest possible difference does not overflow.
    @Test func blackAndWhiteDifferMost() throws {
        func flat(_ level: UInt8) -> LumaPlane {
            let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64 * 48)
            pixels.initialize(repeating: level)
            return LumaPlane(adopting: pixels, width: 64, height: 48, scaleX: 1, scaleY: 1, time: 0)
        }
        let box = Box(x: 10, y: 10, width: 20, height: 30)
        let (black, white) = try (
            #require(AppearanceTemplate(of: box, in: flat(0))), #require(AppearanceTemplate(of: box, in: flat(255)))
        )
        #expect(black.difference(white) == 255)
        #expect(abs(black.correlation(white).whole) < 0.01)
    }

    @Test(arguments: [
        Box(x: 2000, y: 0, width: 80, height: 200), Box(x: -79, y: 0, width: 80, height: 200),
        Box(x: 10, y: 10, width: 3, height: 200), Box(x: 0, y: -1000, width: 80, height: 10),
        Box(x: -1e6, y: -1e6, width: 1e-3, height: 1e7), Box(x: 0, y: 0, width: 1e7, height: 1e7),
    ])
    func mostlyInvisibleBoxHasNoTemplate(_ box: Box) {
        #expect(AppearanceTemplate(of: box, in: SyntheticScene().plane(at: 0)) == nil)
    }
}
