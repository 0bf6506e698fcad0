import Testing

@testable import SwiftODT

/// Tests that all objects with a redacted label are redacted, including unreported ones.
@Suite struct PrivacyRegionTests {
    private func detection(_ x: Double, _ label: String, _ index: Int, score: Double = 0.9) -> Detection {
        Detection(
            box: Box(x: x, y: 50, width: 40, height: 80), score: score, label: Label(index: index, text: label))
    }

    private func step(_ scene: Scene, _ frame: Int, _ detections: [Detection]) throws {
        let time = Nanoseconds(frame) * 40_000_000
        scene.advance(to: time, width: 640, height: 480, luma: nil)
        scene.observe(detections, seenAt: time)
        _ = try scene.objects(in: nil)
    }

    /// One of three objects is reported; the last one is still tentative.
    @Test func unreportedObjectsAreRedacted() throws {
        let scene = Scene()
        for frame in 0..<5 { try step(scene, frame, [detection(100, "Person", 0), detection(300, "Person", 0)]) }
        try step(
            scene, 5, [detection(100, "Person", 0), detection(300, "Person", 0), detection(500, "Person", 0)])
        #expect(try scene.objects(in: nil).count == 1)
        #expect(scene.places(of: ["person"]).count == 3)
        #expect(scene.places(of: ["dog"]).isEmpty)
        #expect(scene.places(of: []).count == 3)
    }

    /// An object without a detection for some frames may still be there, and an uncertain label may be the right one.
    @Test func coastingAndTentativeObjectsAreRedacted() throws {
        let scene = Scene()
        for frame in 0..<6 { try step(scene, frame, [detection(100, frame % 2 == 0 ? "person" : "dog", frame % 2)]) }
        #expect(try scene.objects(in: nil).first?.track.label == nil)
        #expect(scene.places(of: ["person"]).count == 1)
        #expect(scene.places(of: ["dog"]).count == 1)
        try step(scene, 6, [])
        #expect(scene.places(of: ["person"]).count == 1)
    }

    /// An object without a label may have any label.
    @Test(arguments: [SceneOptions.Mode.stream, .singleImage])
    func unlabelledObjectsAreRedacted(_ mode: SceneOptions.Mode) throws {
        let scene = Scene()
        scene.options.mode = mode
        for frame in 0..<3 {
            try step(scene, frame, [Detection(box: Box(x: 100, y: 50, width: 40, height: 80), score: 0.9)])
        }
        #expect(scene.places(of: ["person"]).count == 1)
    }

    @Test func detectionsAreRedactedWithoutTracking() throws {
        let scene = Scene()
        scene.options.tracking = false
        try step(scene, 0, [detection(100, "person", 0), detection(300, "person", 0), detection(500, "dog", 1)])
        #expect(scene.places(of: ["person"]).count == 2)
    }
}
