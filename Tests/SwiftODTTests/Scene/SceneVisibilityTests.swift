import Testing

@testable import SwiftODT

/// Tests that objects outside the picture are not reported.
@Suite struct SceneVisibilityTests {
    /// Between inferences, the tracker extrapolates an object that leaves the picture beyond its edge.
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
