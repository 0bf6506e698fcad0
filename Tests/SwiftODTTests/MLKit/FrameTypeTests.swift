import Foundation
import SwiftODT
import SwiftODTMLKit
import Testing

/// Tests compatibility with code for iOS: `frame` is a `CGRect`, and `box` is still available.
@Suite struct FrameTypeTests {
    @Test func frameConvertsToCGRect() throws {
        let size = 96
        let pixels = UnsafeMutableRawPointer.allocate(byteCount: size * size, alignment: 1)
        defer { pixels.deallocate() }
        let options = VisionObjectDetectorOptions()
        options.detector.method = .motion
        let objectDetector = VisionObjectDetector(options: options)
        var found: [VisionObject] = []
        // A white square that moves over a black background.
        for number in 0..<20 {
            pixels.initializeMemory(as: UInt8.self, repeating: 0, count: size * size)
            for y in 30..<54 {
                (pixels + y * size + 3 * number).initializeMemory(as: UInt8.self, repeating: 255, count: 24)
            }
            let frame = Frame(
                format: .gray8, width: size, height: size, planes: [.init(base: pixels, stride: size)],
                time: Nanoseconds(number) * 33_333_333)
            found += try objectDetector.results(in: VisionImage(buffer: frame))
        }
        let object = try #require(found.last)
        let inferred = object.frame
        let rect: CGRect = object.frame
        let box: Box = object.box
        #expect(inferred == rect && inferred.width > 10 && inferred.intersects(rect))
        #expect(rect == CGRect(x: box.x, y: box.y, width: box.width, height: box.height))
    }
}
