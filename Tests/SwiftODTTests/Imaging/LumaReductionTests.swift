import Testing

@testable import SwiftODT

/// Tests the reduced luma plane that motion detection and image motion use: it must be the same for every pixel format.
@Suite struct LumaReductionTests {
    static func pattern(_ x: Int, _ y: Int) -> UInt8 { UInt8(truncatingIfNeeded: 20 + (x * 7 + y * 3) % 200) }

    /// Returns the block means, computed directly.
    static func expected(_ width: Int, _ height: Int, factor: Int) -> [Double] {
        var out: [Double] = []
        for top in stride(from: 0, to: height, by: factor) {
            for left in stride(from: 0, to: width, by: factor) {
                var sum = 0
                var count = 0
                for y in top..<min(top + factor, height) {
                    for x in left..<min(left + factor, width) {
                        sum += Int(pattern(x, y))
                        count += 1
                    }
                }
                out.append(Double(sum) / Double(count))
            }
        }
        return out
    }

    @Test(arguments: PixelFormat.allCases)
    func everyFormatIsReducedToBlockMeans(_ format: PixelFormat) {
        for (width, height, bottomUp) in [(64, 48, false), (41, 23, true), (78, 30, false), (77, 30, false)] {
            let picture = TestPicture(format, width: width, height: height, padding: 5, bottomUp: bottomUp)
            picture.paint(Self.pattern)
            let plane = picture.withFrame(time: 42) { LumaPlane.reduce($0, maximumSide: 20) }
            let factor = (width + 19) / 20
            let means = Self.expected(width, height, factor: factor)
            #expect(plane.scaleX == Double(factor) && plane.scaleY == Double(factor) && plane.time == 42)
            #expect(plane.width == (width + factor - 1) / factor && plane.height == (height + factor - 1) / factor)
            #expect(plane.pixels.count == means.count)
            #expect(plane.withPixels { zip($0, means).allSatisfy { abs(Double($0) - $1) <= 0.51 } })
        }
    }

    /// A caller that copies the frame during the reduction must have copied each row before the reduction reads it.
    @Test(arguments: PixelFormat.allCases)
    func readCallbackPrecedesEveryRead(_ format: PixelFormat) {
        for (width, height, bottomUp) in [(64, 48, false), (41, 23, true), (77, 30, false)] {
            let picture = TestPicture(format, width: width, height: height, padding: 5, bottomUp: bottomUp)
            picture.paint(Self.pattern)
            let plain = picture.withFrame { LumaPlane.reduce($0, maximumSide: 20).withPixels { Array($0) } }
            let bringBack = picture.takeAway()
            let told = picture.withFrame {
                LumaPlane.reduce($0, maximumSide: 20, aboutToRead: bringBack).withPixels { Array($0) }
            }
            #expect(told == plain)
        }
    }

    @Test(arguments: [(1, 1), (2, 2), (17, 13), (641, 361), (4096, 17), (3, 1000)])
    func oddSizesKeepTheirExtent(_ width: Int, _ height: Int) {
        let picture = TestPicture(.i420, width: width, height: height)
        picture.paint { _, _ in 77 }
        let plane = picture.withFrame { LumaPlane.reduce($0) }
        #expect(plane.width <= 320 && plane.height <= 320)
        #expect(Double(plane.width) * plane.scaleX >= Double(width))
        #expect(Double(plane.width - 1) * plane.scaleX < Double(width))
        #expect(Double(plane.height) * plane.scaleY >= Double(height))
        #expect(Double(plane.height - 1) * plane.scaleY < Double(height))
        #expect(plane.withPixels { $0.allSatisfy { $0 == 77 } })
    }

    /// Sums of 16-bit lanes must not overflow at the largest block size that is summed in one pass, nor above it.
    @Test(arguments: [126, 128, 130, 258])
    func largeWhiteBlockStaysWhite(_ side: Int) {
        let picture = TestPicture(.i420, width: side, height: side)
        picture.paint { _, _ in 255 }
        #expect(picture.withFrame { LumaPlane.reduce($0, maximumSide: 1).withPixels { Array($0) } } == [255])
    }

    @Test func smallFrameIsNotReduced() {
        let picture = TestPicture(.gray8, width: 320, height: 3)
        picture.paint(Self.pattern)
        let plane = picture.withFrame { LumaPlane.reduce($0) }
        #expect(plane.width == 320 && plane.scaleX == 1)
        #expect(plane.withPixels { pixels in (0..<320).allSatisfy { pixels[640 + $0] == Self.pattern($0, 2) } })
    }

    @Test func limitedRangeIsStretchedAndClamped() {
        let picture = TestPicture(.nv12, width: 8, height: 1)
        let levels: [UInt8] = [0, 16, 17, 125, 126, 234, 235, 255]
        picture.paint { x, _ in levels[x] }
        let plane = picture.withFrame(colorSpace: .standardDefinition) { LumaPlane.reduce($0) }
        #expect(plane.withPixels { Array($0) } == [0, 0, 1, 127, 128, 254, 255, 255])
    }

    /// Wider samples have the same black and white levels, scaled to their bit depth, at any position within their
    /// words.
    @Test(arguments: [PixelFormat.i420p10, .p010, .y210, .y444p12, .p016])
    func limitedRangeOfWiderSamplesIsStretchedAndClamped(_ format: PixelFormat) {
        let picture = TestPicture(format, width: 8, height: 1)
        for (x, level) in [0, 16, 17, 125, 126, 234, 235, 255].enumerated() {
            picture.put(format.components.first, x, 0, sample: level << (format.depth.bits - 8))
        }
        let plane = picture.withFrame(colorSpace: .standardDefinition) { LumaPlane.reduce($0) }
        #expect(plane.withPixels { Array($0) } == [0, 0, 1, 127, 128, 254, 255, 255])
    }

    /// PQ uses half of its code values for light above standard white, so unconverted motion in dark areas would be too
    /// faint.
    @Test func hdrIsToneMappedToSDR() {
        for format in [PixelFormat.p010, .nv12, .gbrp10, .bgrx] {
            let picture = TestPicture(format, width: 4, height: 1)
            // 0, 5, 49 and 202 cd/m².
            picture.paint { x, _ in [0, 64, 112, 148][x] }
            let space = ColorSpace(matrix: .bt2020, fullRange: true, transfer: .pq)
            let seen = picture.withFrame(colorSpace: space) { LumaPlane.reduce($0).withPixels { Array($0) } }
            for (level, expected) in zip(seen, [0, 56, 142, 223]) {
                #expect(abs(Int(level) - expected) <= 4, "\(seen)")
            }
        }
    }

    @Test func colorsUseLumaWeights() {
        let picture = TestPicture(.bgra, width: 3, height: 1)
        let c = PixelFormat.bgra.components
        picture.paint { _, _ in 0 }
        picture.put(c.first, 0, 0, 255)
        picture.put(c.second, 1, 0, 255)
        picture.put(c.third, 2, 0, 255)
        #expect(picture.withFrame { LumaPlane.reduce($0).withPixels { Array($0) } } == [76, 150, 29])
        for format in [PixelFormat.gbr, .gbrp10, .bgra64] {
            let picture = TestPicture(format, width: 3, height: 1)
            picture.paint { _, _ in 0 }
            picture.put(format.components.first, 0, 0, 255)
            picture.put(format.components.second, 1, 0, 255)
            picture.put(format.components.third, 2, 0, 255)
            #expect(picture.withFrame { LumaPlane.reduce($0).withPixels { Array($0) } } == [76, 150, 29], "\(format)")
        }
    }

    @Test func hugeBlocksDoNotOverflow() {
        let picture = TestPicture(.gray8, width: 700, height: 900)
        picture.paint { _, _ in 255 }
        let plane = picture.withFrame { LumaPlane.reduce($0, maximumSide: 1) }
        #expect(plane.withPixels { Array($0) } == [255])
        #expect(plane.scaleX == 900)
        let words = TestPicture(.gray16, width: 900, height: 700)
        words.paint { _, _ in 255 }
        #expect(words.withFrame { LumaPlane.reduce($0, maximumSide: 1).withPixels { Array($0) } } == [255])
    }
}
