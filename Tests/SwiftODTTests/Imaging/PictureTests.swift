import Foundation
import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests picture input: colours and orientation of PNG and JPEG files, errors for other files, and copies of frames
/// that outlive the frame.
@Suite struct PictureTests {
    /// Returns the red, green and blue levels of a pixel, 0 to 255.
    static func pixel(_ picture: Picture, _ x: Int, _ y: Int) -> [Int] {
        picture.withFrame { frame in
            let c = frame.format.components
            return [c.first, c.second, c.third].map {
                let (plane, depth) = (frame.plane($0.plane), frame.format.depth)
                let place = (x >> $0.shiftX) * $0.step + $0.offset
                let sample = plane.base + (y >> $0.shiftY) * plane.stride + place * depth.bytes
                if depth.bytes == 1 { return Int(sample.load(as: UInt8.self)) }
                let value = Int(sample.loadUnaligned(as: UInt16.self)) >> depth.shift & depth.white
                return (value * 255 + depth.white / 2) / depth.white
            }
        }
    }

    static func isClose(_ a: [Int], _ b: [Int], within tolerance: Int = 6) -> Bool {
        zip(a, b).allSatisfy { abs($0 - $1) <= tolerance }
    }

    @Test func pngColorsAreDecoded() throws {
        let picture = try Picture(encoded: EncodedPictures.pngRedAndBlue)
        #expect(picture.width == 4 && picture.height == 2 && picture.view.orientation == .identity)
        #expect(Self.pixel(picture, 1, 1) == [255, 0, 0])
        #expect(Self.pixel(picture, 2, 0) == [0, 0, 255])
    }

    @Test func transparentPixelsBecomeWhite() throws {
        let picture = try Picture(encoded: EncodedPictures.pngTransparent)
        #expect(Self.pixel(picture, 0, 0) == [255, 0, 0])
        #expect(Self.pixel(picture, 1, 0) == [255, 255, 255])
        #expect(Self.isClose(Self.pixel(picture, 2, 0), [127, 127, 127], within: 2))
    }

    /// Cairo cannot read such a file. The error names the limit instead of calling the file corrupt.
    @Test func widePNGIsUnsupported() {
        var header = Array(EncodedPictures.pngRedAndBlue.prefix(24))
        header.replaceSubrange(16..<24, with: [0, 0, 0x9C, 0x40, 0, 0, 0, 200])
        let error = #expect(throws: ODTError.self) { try Picture(encoded: header) }
        #expect(error?.reason == .unsupported)
    }

    @Test func sixteenBitPNGIsReducedToEight() throws {
        let picture = try Picture(encoded: EncodedPictures.pngDeepGray)
        #expect(Self.pixel(picture, 0, 0) == [0, 0, 0])
        #expect(Self.isClose(Self.pixel(picture, 1, 0), [128, 128, 128], within: 1))
        #expect(Self.pixel(picture, 2, 0) == [255, 255, 255])
    }

    @Test(arguments: [EncodedPictures.jpegRedAndBlue, EncodedPictures.jpegInks])
    func jpegColorsAreDecoded(_ bytes: [UInt8]) throws {
        let picture = try Picture(encoded: bytes)
        #expect(picture.width == 16 && picture.height == 8 && picture.view.orientation == .identity)
        #expect(Self.isClose(Self.pixel(picture, 2, 3), [255, 0, 0]))
        #expect(Self.isClose(Self.pixel(picture, 13, 7), [0, 0, 255]))
    }

    @Test func grayJPEGIsDecoded() throws {
        let picture = try Picture(encoded: EncodedPictures.jpegGray)
        #expect(Self.isClose(Self.pixel(picture, 2, 3), [76, 76, 76]))
    }

    @Test(
        arguments: zip(
            UInt8(1)...8,
            [
                Orientation.identity, .flipHorizontal, .rotate180, .flipVertical, .transpose, .rotate90, .transverse,
                .rotate270,
            ]))
    func exifOrientationIsRead(_ number: UInt8, _ orientation: Orientation) throws {
        for bigEndian in [false, true] {
            let bytes = EncodedPictures.jpeg(exifOrientation: number, bigEndian: bigEndian)
            let picture = try Picture(encoded: bytes)
            #expect(picture.view.orientation == orientation)
            #expect(picture.width == 16, "the pixels stay as stored")
        }
    }

    @Test func damagedExifIsIgnored() {
        let sound = EncodedPictures.jpeg(exifOrientation: 6, bigEndian: true)
        #expect(Orientation(jpeg: sound) == .rotate90)
        for length in 0..<40 { #expect(Orientation(jpeg: Array(sound.prefix(length))) == nil || length > 31) }
        for at in 2..<48 {
            for value in [UInt8(0), 0x7F, 0xFF] {
                var damaged = sound
                damaged[at] = value
                _ = Orientation(jpeg: damaged)
            }
        }
        #expect(Orientation(jpeg: EncodedPictures.jpeg(exifOrientation: 9, bigEndian: true)) == nil)
    }

    @Test func otherFileTypesAreRejectedWithReason() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func reason(_ path: String) -> ODTError.Reason? {
            do {
                _ = try Picture(contentsOfFile: path)
                return nil
            } catch let error as ODTError {
                #expect(error.description.hasPrefix(path), "\(error)")
                return error.reason
            } catch {
                return nil
            }
        }
        #expect(reason(folder.path + "/none.png") == .fileNotFound)
        #expect(reason(folder.path) == .invalidFile)
        #expect(try reason(folder.write("empty.png", [])) == .unsupported)
        #expect(try reason(folder.write("text.jpg", Array("hello".utf8))) == .unsupported)
        #expect(try reason(folder.write("cut.png", Array(EncodedPictures.pngRedAndBlue.prefix(50)))) == .invalidFile)
        #expect(try reason(folder.write("cut.jpg", Array(EncodedPictures.jpegGray.prefix(60)))) == .invalidFile)
        #expect(try Picture(contentsOfFile: folder.write("sound", EncodedPictures.pngRedAndBlue)).width == 4)
    }

    /// The missing part would be grey. Without the end marker only, the picture is complete.
    @Test func truncatedJPEGIsAnError() throws {
        let whole = EncodedPictures.jpegGray
        #expect(try Picture(encoded: whole.dropLast(2)).width == Picture(encoded: whole).width)
        #expect(throws: ODTError.self) { try Picture(encoded: whole.dropLast(4)) }
    }

    @Test(arguments: PixelFormat.allCases)
    func copyKeepsEveryPixel(_ format: PixelFormat) throws {
        let source = TestPicture(format, width: 7, height: 5, padding: 3, bottomUp: true)
        source.paint { x, y in UInt8(x * 30 + y) }
        let copy = try source.withFrame(orientation: .rotate90, time: 9) { try Picture(copying: $0) }
        source.paint { _, _ in 0 }
        #expect(copy.view.orientation == .rotate90 && copy.view.time == 9 && copy.view.format == format)
        for (x, y) in [(0, 0), (6, 0), (3, 2), (6, 4)] { #expect(Self.pixel(copy, x, y)[0] == x * 30 + y) }
    }
}
