import Glibc
import ODTTestSupport

@testable import SwiftODT

/// A synthetic scene of textured objects that move over a textured background, with luma planes and true boxes.
struct SyntheticScene {
    /// A textured object. `place` returns its upper left corner at a time in seconds, in buffer pixels.
    struct Thing {
        var width: Double
        var height: Double
        var place: @Sendable (Double) -> (x: Double, y: Double)
        var seed: UInt64
        /// The value that is added to the object's samples.
        var light: Double = 0
    }

    var objects: [Thing] = []
    /// Returns the camera's offset at a time in seconds, in buffer pixels.
    var camera: @Sendable (Double) -> (x: Double, y: Double) = { _ in (0, 0) }
    var seed: UInt64 = 1
    /// The value that is added to all samples.
    var light: Double = 0

    static let width = 1280
    static let height = 720
    private static let scale = 4

    func boxes(at time: Double) -> [Box] {
        let eye = camera(time)
        return objects.map { object in
            let place = object.place(time)
            return Box(x: place.x - eye.x, y: place.y - eye.y, width: object.width, height: object.height)
        }
    }

    func plane(at time: Double) -> LumaPlane {
        let (width, height) = (Self.width / Self.scale, Self.height / Self.scale)
        let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: width * height)
        let eye = camera(time)
        Self.paint(pixels, Box(x: 0, y: 0, width: Double(Self.width), height: Double(Self.height)), eye, seed, light)
        for (box, object) in zip(boxes(at: time), objects) {
            Self.paint(pixels, box, (-box.minX, -box.minY), object.seed, light + object.light)
        }
        return LumaPlane(
            adopting: pixels, width: width, height: height, scaleX: Double(Self.scale), scaleY: Double(Self.scale),
            time: Nanoseconds(time * 1e9))
    }

    /// Fills a box with a sum of waves that does not repeat within a picture. Each wave is a product of a horizontal
    /// and a vertical factor, so that few sines are computed.
    private static func paint(
        _ pixels: UnsafeMutableBufferPointer<UInt8>, _ box: Box, _ origin: (x: Double, y: Double), _ seed: UInt64,
        _ light: Double
    ) {
        let (width, height) = (Self.width / scale, Self.height / scale)
        let inside = box.clipped(width: Self.width, height: Self.height)
        let phase = Double(seed % 1009)
        let pitch = 0.7 + 0.1 * Double(seed % 10)
        let across = (0..<width).map { column in
            let x = (Double(column * scale) + 2 + origin.x) * pitch
            return SIMD4(
                sin(x * 0.011 + phase), sin(x * 0.053 + phase * 3), cos(x * 0.07 + phase), sin(x * 0.17 + phase * 7))
        }
        let down = (0..<height).map { row in
            let y = (Double(row * scale) + 2 + origin.y) * pitch
            return SIMD4(
                cos(y * 0.013 + phase), cos(y * 0.031 + phase * 5), sin(y * 0.061 + phase), cos(y * 0.19 + phase * 11))
                * SIMD4(40, 30, 30, 25)
        }
        PixelLoops.waves(
            in: pixels, columns: Int(inside.minX) / scale..<Int(inside.maxX) / scale,
            rows: Int(inside.minY) / scale..<Int(inside.maxY) / scale, mean: 128 + light, across: across, down: down)
    }
}

extension Tracker {
    /// Advances the tracker by one frame with its detections and returns the tracks.
    func step(_ time: Nanoseconds, _ detections: [Detection], luma: LumaPlane? = nil) -> [Track] {
        advance(to: time, width: SyntheticScene.width, height: SyntheticScene.height, luma: luma)
        update(detections, seenAt: time)
        return tracks
    }
}
