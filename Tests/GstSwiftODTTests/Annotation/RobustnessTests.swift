import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests that no box, option or label crashes drawing, and that caches are bounded.
@Suite struct RobustnessTests {
    @Test(arguments: AnnotatorOptions.BoxStyle.allCases)
    func anyBoxCanBeDrawn(_ style: AnnotatorOptions.BoxStyle) {
        let figures = [-1e300, -7.5, 0, 0.3, 31.9, 1e9, 1e300, .infinity, .nan, Double.leastNonzeroMagnitude]
        var options = AnnotatorOptions()
        options.boxStyle = style
        options.drawTraces = true
        let annotator = Annotator()
        for (width, height) in [(1, 1), (32, 24)] {
            let picture = Painting(width: width, height: height)
            for (number, x) in figures.enumerated() {
                for size in figures {
                    let object = AnnotatedObject(
                        id: number, box: Box(x: x, y: size, width: size, height: x), label: "x", score: size)
                    picture.withFrame(time: Int64(number)) { annotator.draw([object], options: options, into: $0) }
                }
            }
        }
        #expect(Self.plainPicture(by: annotator) == Self.plainPicture(by: Annotator()))
    }

    @Test func anyOptionCanBeSet() {
        let figures = [-.infinity, -3, 0, 1e-300, 1, 3, 1e9, .infinity, .nan]
        let picture = Painting(width: 96, height: 64)
        let object = AnnotatedObject(id: 1, box: Box(x: 10, y: 20, width: 50, height: 30), label: "label")
        for figure in figures {
            for aspect in [1, figure] {
                var options = AnnotatorOptions()
                options.lineWidth = figure
                options.fontSize = figure
                options.font = ["", "no such font 0 Bold", "Sans Italic 9", "\u{0}, 12"][Int(aspect == 1 ? 1 : 2)]
                options.traceDuration = .max
                options.drawTraces = true
                options.boxStyle = .rounded
                options.labelBackground = aspect == 1
                let annotator = Annotator()
                for time in [Nanoseconds.min, .max] {
                    picture.withFrame(pixelAspectRatio: aspect, time: time) {
                        annotator.draw([object], options: options, into: $0)
                    }
                }
                #expect(Self.plainPicture(by: annotator) == Self.plainPicture(by: Annotator()))
            }
        }
    }

    @Test func anyTextCanBeDrawn() {
        let texts = [
            "", "& < > \"", "物体检测", "مرحبا", "🚲👩‍👩‍👧‍👦🇩🇪", "e\u{301}\u{301}\u{301}", "\u{10FFFF}\u{E000}\u{1FFFE}",
            "\u{FFFD}", "\u{202E}over\u{2066}\u{2067}\u{2068}", "a\nb\u{2028}c\u{0}\u{7F}\u{85}", "\u{FDFD}\u{FDFD}",
            String(repeating: "سيارة ", count: 20_000), "e" + String(repeating: "\u{301}", count: 100_000),
            String(repeating: "\u{200D}", count: 1000), "\u{0E49}\u{0E49}\u{0E33}", "\u{94D}\u{930}\u{94D}",
        ]
        let picture = Painting(width: 320, height: 240)
        for background in [true, false] {
            for size in [0, 0.01, 1024] {
                var options = AnnotatorOptions()
                options.labelBackground = background
                options.fontSize = size
                let annotator = Annotator()
                for text in texts {
                    options.labelFormat = size == 0 ? "{label} \(text)" : "{label}"
                    let object = AnnotatedObject(
                        id: 1, box: Box(x: 10, y: 20, width: 50, height: 30), label: text, score: 0.5)
                    picture.withFrame { annotator.draw([object], options: options, into: $0) }
                }
                #expect(Self.plainPicture(by: annotator) == Self.plainPicture(by: Annotator()))
            }
        }
    }

    /// Draws a simple object. The result must not depend on what the annotator has drawn before.
    private static func plainPicture(by annotator: Annotator) -> [UInt32] {
        let picture = Painting(width: 96, height: 64)
        let object = AnnotatedObject(id: 1, box: Box(x: 10, y: 20, width: 50, height: 30), label: "label", score: 0.5)
        picture.withFrame { annotator.draw([object], options: AnnotatorOptions(), into: $0) }
        return picture.pixels
    }

    /// The size is limited to a sixth of the picture's shorter side, also if the frame is rotated.
    @Test(arguments: [0, 60, 100, 150, 1024], ["Sans", "Sans 300"]) func labelsOfLargeFontAreDrawn(
        _ size: Double, _ font: String
    ) {
        var options = AnnotatorOptions()
        options.font = font
        options.fontSize = size
        let upright = [(30, 80, 100, 100), (200, 80, 100, 100), (400, 80, 150, 200)].map {
            Box(x: Double($0), y: Double($1), width: Double($2), height: Double($3))
        }
        for orientation in [Orientation.identity, .rotate90] {
            let (width, height) = orientation.swapsAxes ? (360, 640) : (640, 360)
            let objects = zip(["person", "dog", "truck"], upright).enumerated().map { index, object in
                let box = orientation.buffer(object.1, bufferWidth: Double(width), bufferHeight: Double(height))
                return AnnotatedObject(id: index + 1, box: box, label: object.0, score: 0.9)
            }
            let annotator = Annotator()
            let picture = Painting(width: width, height: height)
            picture.withFrame(orientation: orientation) { annotator.draw(objects, options: options, into: $0) }
            #expect(annotator.placedLabels.count == 3, "\(orientation)")
        }
    }

    @Test func hundredObjectsDrawHundredBoxes() {
        let picture = Painting(width: 320, height: 240, background: 0)
        let objects = (0..<100).map {
            AnnotatedObject(
                id: $0, box: Box(x: Double($0 % 10) * 30 + 5, y: Double($0 / 10) * 22 + 5, width: 20, height: 14))
        }
        var options = AnnotatorOptions()
        options.drawLabels = false
        picture.withFrame { Annotator().draw(objects, options: options, into: $0) }
        #expect(objects.allSatisfy { picture[Int($0.box.x), Int($0.box.centerY)] != 0 })
    }

    /// Tiles of the latest two frames are kept beyond the limit. Otherwise, each frame would draw all of its tiles again.
    @Test func tileCacheKeepsTilesOfFrame() throws {
        var cache = TileCache(byteLimit: 10_000)
        let picture = Painting(width: 64, height: 64)
        let blender = picture.withFrame { Blender(canvas: Canvas($0, interlaced: false)) }
        let surface = try #require(CairoSurface<UInt32>(width: 40, height: 20))
        var drawn = 0
        for _ in 0..<5 {
            cache.beginFrame()
            for number in 0..<20 {
                _ = cache.tile(.label(LabelStyle(text: "\(number)", panel: nil, ink: .black))) {
                    drawn += 1
                    return blender.tile(from: surface)
                }
            }
        }
        #expect(drawn == 20)
        for _ in 0..<3 { cache.beginFrame() }
        #expect(cache.count == 0)
    }

    @Test func tileCacheIsBounded() throws {
        var cache = TileCache(byteLimit: 100_000)
        let picture = Painting(width: 64, height: 64)
        let blender = picture.withFrame { Blender(canvas: Canvas($0, interlaced: false)) }
        let surface = try #require(CairoSurface<UInt32>(width: 40, height: 20))
        for number in 0..<200 {
            let style = LabelStyle(text: "\(number)", panel: nil, ink: .black)
            cache.beginFrame()
            #expect(cache.tile(.label(style)) { blender.tile(from: surface) } != nil)
        }
        #expect(cache.count <= 32)
        var drawn = 0
        for _ in 0..<3 {
            _ = cache.tile(.label(LabelStyle(text: "199", panel: nil, ink: .black))) {
                drawn += 1
                return nil
            }
        }
        #expect(drawn == 0)
    }
}
