import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests that redaction removes all detail in every pixel format and changes no other pixels.
@Suite struct RedactionTests {
    private static let configuration = [Redaction.Method.blur, .pixelate]

    private static func redacted(
        _ picture: FormatPicture, _ method: Redaction.Method, _ box: Box
    ) -> FormatPicture {
        picture.withFrame { Redaction.apply(method, to: box, in: $0) }
        return picture
    }

    /// A checkerboard and its inverse have equal block means and differ in every sample, so their redactions must be
    /// equal.
    @Test(arguments: PixelFormat.allCases, configuration)
    func redactionKeepsOnlyBlockMeans(_ format: PixelFormat, _ method: Redaction.Method) {
        let pictures = [0, 1].map { reverse in
            let picture = FormatPicture(format, width: 128, height: 96)
            picture.fill(grey: 128)
            let levels = [format.depth.white / 4, format.depth.white / 2]
            for component in format.layout.stored {
                for y in 0..<96 {
                    for x in 0..<128 {
                        let field = (x >> component.shiftX) + (y >> component.shiftY) + reverse
                        picture.set(component, x, y, to: levels[field % 2])
                    }
                }
            }
            // With the margin the box is 96 x 64 pixels: twelve by eight blocks of eight pixels.
            return Self.redacted(picture, method, Box(centerX: 64, centerY: 48, width: 80, height: 160.0 / 3))
        }
        var different: [String] = []
        for y in 20..<76 {
            for x in 20..<108 {
                for component in format.layout.stored
                where pictures[0].sample(component, x, y) != pictures[1].sample(component, x, y) {
                    different.append("\(x), \(y)")
                }
            }
        }
        #expect(different == [])
    }

    @Test(arguments: PixelFormat.allCases, configuration)
    func redactionLeavesPixelsOutsideUnchanged(_ format: PixelFormat, _ method: Redaction.Method) {
        let (before, after) = (
            FormatPicture(format, width: 61, height: 47, padding: 5),
            FormatPicture(format, width: 61, height: 47, padding: 5)
        )
        before.fillWithNoise(opaque: false)
        after.fillWithNoise(opaque: false)
        _ = Self.redacted(after, method, Box(centerX: 30, centerY: 22, width: 20, height: 15))
        // Chroma that is shared with pixels inside may change.
        let changed = Box(centerX: 30, centerY: 22, width: 28, height: 22)
        var touched = Set<Int>()
        for component in format.layout.stored {
            for y in 0..<47 {
                for x in 0..<61 where changed.contains(x, y) {
                    let start = after.index(component, x, y)
                    touched.formUnion(start..<start + format.depth.bytes)
                }
            }
        }
        let (old, new) = (before.bytes, after.bytes)
        #expect(old.indices.allSatisfy { old[$0] == new[$0] || touched.contains($0) })
        #expect(old != new)
    }

    /// In an interlaced frame, the pixel rows 4n and 4n + 2 share a chroma row. The rows 4n + 1 and 4n + 3 share the next.
    @Test(arguments: 18...21)
    func chromaOfInterlacedRowsIsRedacted(_ top: Int) {
        let (before, after) = (FormatPicture(.i420, width: 64, height: 60), FormatPicture(.i420, width: 64, height: 60))
        before.fillWithNoise()
        after.fillWithNoise()
        // With the margin the box has 20 rows.
        _ = Self.redacted(after, .pixelate, Box(centerX: 32, centerY: Double(top) + 10, width: 40, height: 20 / 1.2))
        for component in PixelFormat.i420.layout.stored where component.shiftY == 1 {
            for y in top..<top + 20 {
                let shared = y / 4 * 4 + y % 2 * 2
                let isChanged = (16..<48).contains { x in
                    before.sample(component, x, shared) != after.sample(component, x, shared)
                }
                #expect(isChanged, "the chroma of row \(y)")
            }
        }
    }

    /// A pixelated block has one value; blurred blocks change in small steps.
    @Test func pixelateIsFlatAndBlurIsSmooth() {
        func row(_ method: Redaction.Method) -> [Int] {
            let picture = FormatPicture(.gray8, width: 256, height: 256)
            picture.fillWithNoise()
            for y in 0..<256 { for x in 128..<256 { picture.set(PixelFormat.gray8.components.first, x, y, to: 255) } }
            _ = Self.redacted(picture, method, Box(centerX: 128, centerY: 128, width: 300, height: 300))
            return (0..<256).map { picture.sample(PixelFormat.gray8.components.first, $0, 128) }
        }
        let (blocks, blur) = (row(.pixelate), row(.blur))
        #expect(Set(blocks).count <= 9)
        func largestStep(_ row: [Int]) -> Int { zip(row, row.dropFirst()).map { abs($0 - $1) }.max() ?? 0 }
        #expect(largestStep(blocks) > 60)
        #expect(largestStep(blur) < 8)
    }

    /// At the edge, the box contains only a part of the person, so its size is not that of the person.
    @Test func blocksAtTheEdgeOfThePictureAreLarger() {
        func count(_ x: Double) -> Int {
            let picture = FormatPicture(.gray8, width: 256, height: 256)
            picture.fillWithNoise()
            _ = Self.redacted(picture, .pixelate, Box(centerX: x, centerY: 128, width: 80, height: 80))
            let columns = max(0, Int(x) - 48)..<Int(x) + 48
            return Set(columns.map { picture.sample(PixelFormat.gray8.components.first, $0, 128) }).count
        }
        #expect(count(128) > 5 && count(40) < 5)
    }

    @Test func partlyCoveredPixelsAreRedacted() {
        let (before, after) = (
            FormatPicture(.gray8, width: 64, height: 48), FormatPicture(.gray8, width: 64, height: 48)
        )
        before.fillWithNoise()
        after.fillWithNoise()
        // With the margin the box begins at 17.7 and ends at 42.3.
        _ = Self.redacted(after, .pixelate, Box(centerX: 30, centerY: 24, width: 20.5, height: 20))
        let component = PixelFormat.gray8.components.first
        let columns = (0..<64).filter { x in
            (0..<48).contains { before.sample(component, x, $0) != after.sample(component, x, $0) }
        }
        #expect(columns == Array(17...42))
    }

    @Test(arguments: configuration)
    func anyBoxCanBeRedacted(_ method: Redaction.Method) {
        let figures = [-1e300, -7.5, 0, 0.3, 31.9, 1e9, 1e300, .infinity, .nan, Double.leastNonzeroMagnitude]
        for format in [PixelFormat.gray8, .i420, .uyvy, .p010, .argb64] {
            for (width, height) in [(1, 1), (2, 3), (33, 24)] {
                let picture = FormatPicture(format, width: width, height: height)
                picture.fill(grey: 100)
                let before = picture.bytes
                for x in figures {
                    for size in figures {
                        _ = Self.redacted(picture, method, Box(x: x, y: size, width: size, height: x))
                    }
                }
                // The mean of a uniform grey is the same grey.
                #expect(picture.bytes == before)
            }
        }
    }

    /// Redacted objects have no outline; other objects have one.
    @Test func objectsNotRedactedHaveARectangle() {
        var options = AnnotatorOptions()
        (options.boxStyle, options.privacyLabels, options.drawLabels) = (.pixelate, ["person"], false)
        func drawn(_ label: String) -> Bool {
            let picture = FormatPicture(.gray8, width: 64, height: 64)
            picture.fill(grey: 100)
            let before = picture.bytes
            picture.withFrame {
                Annotator().draw(
                    [AnnotatedObject(box: Box(x: 10, y: 10, width: 30, height: 30), label: label)], options: options,
                    into: $0)
            }
            return picture.bytes != before
        }
        #expect(!drawn("Person"))
        #expect(drawn("dog"))
        #expect(drawn(""))
        options.privacyLabels = []
        #expect(!drawn("dog"))
    }
}

extension Box {
    fileprivate func contains(_ x: Int, _ y: Int) -> Bool {
        Double(x) >= minX && Double(x) < maxX && Double(y) >= minY && Double(y) < maxY
    }
}
