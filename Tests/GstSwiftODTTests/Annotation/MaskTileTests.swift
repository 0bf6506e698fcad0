import CODTCairo
import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests that blending two colours by a mask equals Cairo's drawing in colour, in every pixel format and orientation,
/// and that values and weights never exceed white.
@Suite struct MaskTileTests {
    private static let size = (width: 48, height: 20)

    /// Coverages of all kinds, in blocks that are not aligned with chroma samples.
    private static func coverage(_ x: Int, _ y: Int) -> Double {
        x < 16 ? Double((x * 7 + y * 13) % 16) / 15 : x < 32 ? Double((x / 3 + y / 5) % 2) : Double(x - 32) / 15
    }

    /// Draws the pattern in one colour over the existing content.
    private static func draw<Pixel>(_ paint: Paint, on surface: CairoSurface<Pixel>) {
        for y in 0..<size.height {
            for x in 0..<size.width {
                surface.setPaint(paint.faded(Float(coverage(x, y))))
                cairo_rectangle(surface.context, Double(x), Double(y), 1, 1)
                cairo_fill(surface.context)
            }
        }
    }

    @Test(arguments: PixelFormat.allCases, [Float(1), 0.65])
    func maskTileMatchesCairoBlending(_ format: PixelFormat, _ opacity: Float) throws {
        let (panel, ink) = (Paint(argb: 0xFF20_B060).faded(opacity), Paint.white)
        for orientation in [Orientation.identity, .rotate90, .rotate180, .flipHorizontal] {
            let picture = FormatPicture(format, width: 64, height: 64)
            let blender = picture.withFrame(orientation: orientation, time: 0) {
                Blender(canvas: Canvas($0, interlaced: false))
            }
            let mask = try #require(CairoSurface<UInt8>(width: Self.size.width, height: Self.size.height))
            Self.draw(.white, on: mask)
            let colored = try #require(CairoSurface<UInt32>(width: Self.size.width, height: Self.size.height))
            colored.setPaint(panel)
            cairo_paint(colored.context)
            Self.draw(ink, on: colored)

            let (mixed, converted) = (blender.tile(from: mask, ground: panel, ink: ink), blender.tile(from: colored))
            #expect(mixed.planes.count == converted.planes.count)
            for (one, other) in zip(mixed.planes, converted.planes) {
                #expect(one.units == other.units && one.lines == other.lines)
                let (samples, wanted) = (Self.samples(one, format), Self.samples(other, format))
                let white = Int(format.depth.white)
                // Cairo rounds each pixel to a byte, and chroma is a mean of pixels: two levels of 8 bits.
                let tolerance = 2 * (white + 1) / 256
                #expect(zip(samples, wanted).allSatisfy { abs($0 - $1) <= tolerance }, "\(format) \(orientation)")
                let half = samples.count / 2
                #expect(zip(samples[..<half], samples[half...]).allSatisfy { $0 + $1 <= white })
            }
        }
    }

    private static func samples(_ plane: Tile.Plane, _ format: PixelFormat) -> [Int] {
        plane.bytes.withUnsafeBytes { bytes in
            format.depth.bytes == 1 ? bytes.map(Int.init) : bytes.bindMemory(to: UInt16.self).map(Int.init)
        }
    }
}
