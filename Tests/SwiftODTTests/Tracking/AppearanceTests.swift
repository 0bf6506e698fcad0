import Testing

@testable import SwiftODT

/// Tests the appearance cue: it distinguishes objects, keeps ids where motion alone cannot, and has a low weight if all
/// objects look alike.
@Suite struct AppearanceTests {
    private let bright = SyntheticScene.Thing(width: 80, height: 200, place: { _ in (300, 200) }, seed: 3, light: 70)
    private let dark = SyntheticScene.Thing(width: 80, height: 200, place: { _ in (800, 300) }, seed: 4, light: -70)

    @Test func appearanceMatchesSameObjectOnly() throws {
        let scene = SyntheticScene(objects: [bright, dark])
        let (plane, boxes) = (scene.plane(at: 0), scene.boxes(at: 0))
        let look = try #require(Appearance(of: boxes[0], in: plane))
        let larger = Box(x: boxes[0].x - 4, y: boxes[0].y - 10, width: 88, height: 215)
        #expect(look.similarity(look) > 0.999)
        #expect(try look.similarity(#require(Appearance(of: larger, in: plane))) > 0.8)
        #expect(try look.similarity(#require(Appearance(of: boxes[1], in: plane))) < 0.5)
    }

    @Test(arguments: [
        Box(x: 2000, y: 0, width: 80, height: 200), Box(x: -79, y: 0, width: 80, height: 200),
        Box(x: 10, y: 10, width: 3, height: 200), Box(x: 0, y: -1000, width: 80, height: 10),
    ])
    func mostlyInvisibleBoxHasNoAppearance(_ box: Box) {
        #expect(Appearance(of: box, in: SyntheticScene().plane(at: 0)) == nil)
    }

    @Test func clippedBoxUsesVisiblePart() throws {
        let plane = SyntheticScene(objects: [bright]).plane(at: 0)
        for box in [Box(x: -100, y: -50, width: 300, height: 300), Box(x: 1100, y: 500, width: 400, height: 800)] {
            let look = try #require(Appearance(of: box, in: plane))
            #expect(abs(look.similarity(look) - 1) < 0.001)
        }
    }

    @Test func appearanceWeightDropsForUniformObjects() {
        var costumes = DetectionAppearances()
        var clothes = DetectionAppearances()
        for number in 0..<500 {
            let sway = number % 2 == 0 ? 0.05 : -0.05
            costumes.learn(same: 0.8 + sway, other: 0.79 - sway)
            clothes.learn(same: 0.85 + sway, other: 0.5 - sway)
        }
        let (low, high) = (costumes.weight, clothes.weight)
        #expect(low < 2 && high > 4)
    }

    /// Two objects approach, overlap for a moment with one common box, and turn back. Motion alone predicts that they
    /// pass each other.
    @Test func objectsThatMeetAndReturnKeepIDs() throws {
        var left = bright
        var right = dark
        left.place = { time in (time < 2 ? 300 + 140 * time : 860 - 140 * time, 200) }
        right.place = { time in (time < 2 ? 900 - 140 * time : 340 + 140 * time, 200) }
        let scene = SyntheticScene(objects: [left, right])
        let tracker = Tracker()
        var ids: [[Int?]] = []
        for frame in 0..<40 {
            let time = Double(frame) / 10
            let boxes = scene.boxes(at: time)
            let seen = abs(boxes[0].x - boxes[1].x) < 75 ? [boxes[0].union(boxes[1])] : boxes
            let tracks = tracker.step(
                Nanoseconds(time * 1e9), seen.map { Detection(box: $0, score: 0.9) }, luma: scene.plane(at: time))
            if seen.count == 2 {
                ids.append(boxes.map { box in tracks.max { $0.box.iou(box) < $1.box.iou(box) }?.id })
            }
        }
        #expect(ids.first == [1, 2])
        #expect(ids.last == [1, 2])
    }
}
