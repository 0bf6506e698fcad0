import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests that consecutive colours differ, objects keep their colour, and text has contrast.
@Suite struct PaletteTests {
    private func distance(_ one: Paint, _ other: Paint) -> Float {
        let (red, green, blue) = (one.red - other.red, one.green - other.green, one.blue - other.blue)
        return (red * red + green * green + blue * blue).squareRoot()
    }

    @Test func consecutiveColorsDiffer() {
        for first in 1..<200 {
            for second in (first + 1)..<(first + 8) {
                #expect(distance(Palette.distinct(first), Palette.distinct(second)) > 0.12, "\(first) and \(second)")
            }
        }
    }

    @Test func anyNumberHasAColor() {
        for id in [Int.min, -1, 0, 4096, Int.max] {
            let paint = Palette.distinct(id)
            #expect([paint.red, paint.green, paint.blue].allSatisfy { (0...1).contains($0) })
        }
    }

    @Test func colorModeSelectsColor() {
        var options = AnnotatorOptions()
        options.boxColor = 0x00_FF8000
        let box = Box(x: 0, y: 0, width: 1, height: 1)
        let plant = AnnotatedObject(id: 1, box: box, label: "tree", category: .plant)
        let dish = AnnotatedObject(id: 2, box: box, label: "soup", category: .food)
        let nameless = AnnotatedObject(box: box)
        #expect(Palette.paint(for: plant, options: options) == Palette.distinct(1))
        #expect(Palette.paint(for: nameless, options: options) == Paint(argb: 0xFFFF_8000))
        options.colorMode = .category
        #expect(Palette.paint(for: plant, options: options) != Palette.paint(for: dish, options: options))
        options.colorMode = .fixed
        #expect(Palette.paint(for: plant, options: options) == Paint(argb: 0xFFFF_8000))
    }

    @Test func textContrastsWithBackground() {
        #expect(Paint.white.contrast == .black)
        #expect(Paint.black.contrast == .white)
        #expect(Paint(argb: 0xFF00_00FF).contrast == .white)
        #expect(Paint(argb: 0xFFFF_FF00).contrast == .black)
    }

    @Test(arguments: [true, false]) func labelsOfTranslucentBoxesAreReadable(_ hasBackground: Bool) throws {
        var options = AnnotatorOptions()
        options.colorMode = .fixed
        options.boxColor = 0x40FF_FFFF
        options.labelBackground = hasBackground
        let annotator = Annotator()
        let picture = Painting(width: 160, height: 120, background: 0)
        let object = AnnotatedObject(id: 1, box: Box(x: 40, y: 40, width: 80, height: 60), label: "dog")
        picture.withFrame { annotator.draw([object], options: options, into: $0) }
        let place = try #require(annotator.placedLabels.first).place
        let levels = (place.y..<place.maxY).flatMap { y in (place.x..<place.maxX).map { picture[$0, y] & 0xFF } }
        // The panel, or the ink without a panel, is white.
        #expect(levels.max() ?? 0 >= 0xD0)
    }
}
