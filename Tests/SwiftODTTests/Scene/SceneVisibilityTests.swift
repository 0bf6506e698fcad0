import Testing

@testable import SwiftODT

/// Protects reports from objects of which nothing is in the picture.
@Suite struct SceneVisibilityTests {
    /// Where not every frame is looked at, whoever goes out of the picture is carried on beyond its edge until somebody looks.
    @Test func objectExtrapolatedOutsidePictureIsNotReported() throws {
        var options = SceneOptions()
        options.multipleObjects = true
        let scene = Scene(options: options)
        var widths: [Double] = []
        for frame in 0..<40 {
            let time = Nanoseconds(frame) * 40_000_000
            scene.advance(to: time, width: 640, height: 360, luma: nil)
            let box = Box(x: 300 + 16 * Double(frame), y: 100, width: 60, height: 120)
            if frame < 18 { scene.observe([Detection(box: box, score: 0.9)], seenAt: time) }
            for object in try scene.objects(in: nil) where object.track.state != .lost {
                widths.append(object.track.box.clipped(width: 640, height: 360).width)
            }
        }
        #expect(widths.count > 18)
        #expect(widths.allSatisfy { $0 >= 1 }, "\(widths)")
        #expect(scene.trackCount > 0)
    }
}
