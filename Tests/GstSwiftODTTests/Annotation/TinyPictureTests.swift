import ODTTestSupport
import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests that drawing into pictures smaller than a chroma sample accesses no memory outside them.
@Suite struct TinyPictureTests {
    /// A format, a size, and whether it is interlaced.
    struct Picture: Sendable {
        let format: PixelFormat
        let width: Int
        let height: Int
        var interlaced = false
        var orientation = Orientation.identity
    }

    private static let pictures = [
        Picture(format: .i420, width: 1, height: 17), Picture(format: .nv12, width: 1, height: 480),
        Picture(format: .yuy2, width: 1, height: 16), Picture(format: .p010, width: 1, height: 16),
        Picture(format: .i420, width: 5, height: 2, interlaced: true),
        Picture(format: .i420, width: 5, height: 3, interlaced: true),
        Picture(format: .i420, width: 17, height: 1), Picture(format: .nv12, width: 1, height: 1),
    ]

    private func blender(_ picture: Picture) -> Blender {
        // Only the geometry is used; the planes are not read.
        let memory = GuardedMemory(size: 8 * picture.width * picture.height + 4096)
        let plane = Frame.Plane(base: memory.bytes.baseAddress!, stride: 2 * picture.width + 4)
        let frame = Frame(
            format: picture.format, width: picture.width, height: picture.height,
            planes: .init(repeating: plane, count: picture.format.planeCount), orientation: picture.orientation,
            pixelAspectRatio: 1, time: 0)
        return Blender(canvas: Canvas(frame, interlaced: picture.interlaced))
    }

    @Test(arguments: pictures) func conversionReadsNoPixelOutsideDrawing(_ picture: Picture) {
        for orientation in Orientation.allCases {
            var turned = picture
            turned.orientation = orientation
            let blender = blender(turned)
            let (width, height) = (blender.canvas.region.width, blender.canvas.region.height)
            let memory = GuardedMemory(size: 4 * width * height)
            let pixels = memory.bytes.bindMemory(to: UInt32.self)
            // Opaque white.
            pixels.update(repeating: 0xFFFF_FFFF)
            let view = BufferView(
                UnsafePointer(pixels.baseAddress!), stride: width, width: width, height: height,
                orientation: orientation)
            for (plane, layout) in zip(blender.convert(view), blender.planes) {
                // All samples are covered: the weights of the destination are 0.
                #expect(plane.units == layout.units(across: view.width))
                #expect(plane.lines == layout.lines(down: view.height))
                #expect(plane.bytes[(plane.bytes.count / 2)...].allSatisfy { $0 == 0 }, "\(orientation)")
            }
        }
    }
}
