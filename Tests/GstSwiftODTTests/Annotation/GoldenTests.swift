import Foundation
import SwiftODT
import Testing

@testable import GstSwiftODT

/// Compares drawings of each style, orientation and edge case with golden images that were reviewed.
///
/// After an intended change, `SWIFTODT_RECORD_GOLDEN=1 swift test --filter GoldenTests` records them again; review each
/// one before committing it. A drawing that differs is written to `.build/golden/NAME.png`.
@Suite(.enabled(if: DejaVuSans.isTheUsualFont, "the pictures were drawn with DejaVu Sans"))
struct GoldenTests {
    struct Scene: CustomTestStringConvertible, Sendable {
        let name: String
        var size = (width: 320, height: 200)
        var orientation = Orientation.identity
        var pixelAspectRatio = 1.0
        var objects = GoldenTests.street
        var change: @Sendable (inout AnnotatorOptions) -> Void = { _ in }
        /// The number of frames before the tested one, for traces.
        var frames = 1

        var testDescription: String { name }
    }

    static let street: [AnnotatedObject] = [
        .init(
            id: 1, box: Box(x: 30, y: 50, width: 60, height: 110), label: "person", score: 0.87, prominent: true),
        .init(id: 2, box: Box(x: 120, y: 70, width: 80, height: 60), label: "Tom & <Jerry>", score: 0.64),
        .init(id: 3, box: Box(x: 180, y: 100, width: 110, height: 70), label: "car", score: .nan, coasting: true),
    ]

    /// Boxes at and beyond all edges and corners, a box of the whole picture, tiny boxes, and overlapping ones.
    static let edges: [AnnotatedObject] = {
        let boxes: [(Double, Double, Double, Double)] = [
            (-20, -20, 60, 50), (280, -10, 60, 40), (-10, 160, 70, 60), (270, 170, 80, 60), (130, 0, 60, 30),
            (140, 180, 50, 20), (0, 80, 30, 40), (300, 85, 20, 30), (0, 0, 320, 200), (100, 90, 3, 3),
            (160, 90, 40, 30), (166, 94, 40, 30), (172, 98, 40, 30),
        ]
        return boxes.enumerated().map { index, box in
            AnnotatedObject(id: index + 1, box: Box(x: box.0, y: box.1, width: box.2, height: box.3), label: "dog")
        }
    }()

    private static let anisotropic: [AnnotatedObject] = [
        .init(id: 1, box: Box(x: 20, y: 40, width: 60, height: 50), label: "wide", score: 0.5),
        .init(id: 4, box: Box(x: 100, y: 40, width: 50, height: 50), label: "round", score: .nan, coasting: true),
    ]

    /// The styles that draw lines; ``RedactionTests`` covers the others.
    private static let styles = AnnotatorOptions.BoxStyle.allCases.filter { $0.redaction == nil }.map { style in
        Scene(name: "style-\(style)", change: { $0.boxStyle = style })
    }

    private static let orientations = Orientation.allCases.map { orientation in
        Scene(
            name: "orientation-\(orientation)", size: (160, 120), orientation: orientation,
            objects: [
                .init(id: 1, box: Box(x: 30, y: 30, width: 50, height: 60), label: "up", score: 0.9),
                .init(id: 2, box: Box(x: 120, y: 70, width: 60, height: 30), label: "edge", score: 0.9),
            ], change: { $0.boxStyle = .rounded })
    }

    private static let cases: [Scene] = [
        Scene(name: "edges", objects: edges),
        Scene(name: "wide-pixels", size: (160, 120), pixelAspectRatio: 2, objects: anisotropic) {
            $0.boxStyle = .rounded
        },
        Scene(name: "tall-pixels", size: (160, 120), pixelAspectRatio: 0.5, objects: anisotropic) {
            $0.boxStyle = .rounded
        },
        Scene(name: "no-background") { $0.labelBackground = false },
        Scene(name: "own-colours") {
            $0.colorMode = .fixed
            $0.boxColor = 0xB0FF_4000
            $0.labelColor = 0xFFFF_FFFF
            $0.lineWidth = 5
            $0.font = "Sans Bold"
            $0.fontSize = 16
            $0.labelFormat = "{id}: {label}"
        },
        Scene(
            name: "long-label",
            objects: [
                .init(
                    id: 12, box: Box(x: 40, y: 80, width: 90, height: 70),
                    label: "a label that goes on and on and on, far beyond what fits", score: 0.5)
            ]),
        Scene(name: "traces", change: { $0.drawTraces = true }, frames: 30),
    ]

    @Test(arguments: styles + orientations + cases)
    func drawingMatchesGoldenImage(_ scene: Scene) throws { try Self.check(scene) }

    /// Tests the shaping of scripts with named fonts, so that other installed fonts do not matter.
    @Test func arabicTextIsShapedRightToLeft() throws {
        try Self.check(Self.script("arabic", ["سيارة إسعاف", "سيارة BMW 3"], font: "DejaVu Sans"))
    }

    @Test(.enabled(if: hasFont("Lohit Devanagari"), "needs Debian's fonts-lohit-deva"))
    func devanagariTextIsReorderedAndShaped() throws {
        try Self.check(Self.script("devanagari", ["हिन्दी गाड़ी", "क्षत्रिय"], font: "DejaVu Sans, Lohit Devanagari"))
    }

    @Test(.enabled(if: hasFont("Loma"), "needs Debian's fonts-tlwg-loma-ttf"))
    func thaiMarksAreStacked() throws {
        try Self.check(Self.script("thai", ["รถจักรยาน", "ที่นี่ น้ำ ปั๊ม"], font: "DejaVu Sans, Loma"))
    }

    @Test(.enabled(if: hasFont("WenQuanYi Micro Hei"), "needs Debian's fonts-wqy-microhei"))
    func cjkTextIsDrawnWithFallbackFont() throws {
        try Self.check(Self.script("cjk", ["自転車 しんごう", "汽车 자전거"], font: "DejaVu Sans, WenQuanYi Micro Hei"))
    }

    @Test(.enabled(if: hasFont("Noto Color Emoji"), "needs Debian's fonts-noto-color-emoji"))
    func emojiAreDrawnInColor() throws {
        try Self.check(Self.script("emoji", ["🚲 dog 🐕", "👩‍👩‍👧 🚦"], font: "DejaVu Sans"))
    }

    @Test func missingFontIsReplaced() throws {
        try Self.check(Self.script("missing-font", ["person", "Ångström"], font: "Nobodys Bold 16"))
    }

    private static func hasFont(_ name: String) -> Bool { NamedFont(name).find() == .found }

    private static func script(_ name: String, _ labels: [String], font: String) -> Scene {
        Scene(
            name: name, size: (240, 120),
            objects: labels.enumerated().map { index, label in
                AnnotatedObject(
                    id: index + 1, box: Box(x: 20, y: 30 + 50 * Double(index), width: 200, height: 26), label: label,
                    score: 0.87)
            }
        ) {
            $0.font = font
            $0.fontSize = font.last?.isNumber == true ? 0 : 16
        }
    }

    private static func check(_ scene: Scene) throws {
        let drawn = Self.draw(scene)
        let golden = Self.folder.appendingPathComponent("\(scene.name).png").path
        if ProcessInfo.processInfo.environment["SWIFTODT_RECORD_GOLDEN"] != nil {
            #expect(drawn.write(golden))
            return
        }
        let wanted = try #require(Painting(png: golden), "no picture \(scene.name).png yet")
        try #require(wanted.width == drawn.width && wanted.height == drawn.height)
        let different = (0..<drawn.height).reduce(0) { sum, y in
            sum + (0..<drawn.width).count { Self.distance(drawn[$0, y], wanted[$0, y]) > 48 }
        }
        // Other versions of the font renderer change the antialiasing of some letters.
        let accepted = drawn.width * drawn.height / 400
        #expect(different <= accepted, "\(scene.name): \(different) pixels")
        if different > accepted { Self.keep(drawn, scene.name) }
    }

    /// Tests that drawing on a rotated frame equals rotating a drawing, pixel for pixel, text included.
    @Test(arguments: Orientation.allCases)
    func orientationRotatesDrawingOnly(_ orientation: Orientation) {
        let style = AnnotatorOptions.BoxStyle.allCases[orientation.rawValue % 4]
        var upright = Scene(name: "", change: { $0.boxStyle = style })
        upright.objects += Self.edges.prefix(4)
        // Moves boxes off the midpoint between two aligned positions, where rounding would depend on the orientation.
        for index in upright.objects.indices {
            upright.objects[index].box = upright.objects[index].box.offset(x: 0.3, y: 0.3)
        }
        var turned = upright
        turned.orientation = orientation
        if orientation.swapsAxes { turned.size = (upright.size.height, upright.size.width) }
        turned.objects = upright.objects.map { object in
            var object = object
            object.box = orientation.buffer(
                object.box, bufferWidth: Double(turned.size.width), bufferHeight: Double(turned.size.height))
            return object
        }
        let (one, other) = (Self.draw(upright), Self.draw(turned).turned(orientation))
        let same = (0..<one.height).allSatisfy { y in (0..<one.width).allSatisfy { one[$0, y] == other[$0, y] } }
        #expect(same)
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden")

    private static func keep(_ painting: Painting, _ name: String) {
        var root = folder
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let place = root.appendingPathComponent(".build/golden")
        try? FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        painting.write(place.appendingPathComponent("\(name).png").path)
    }

    private static func distance(_ one: UInt32, _ other: UInt32) -> Int {
        [0, 8, 16].map { abs(Int((one >> $0) & 255) - Int((other >> $0) & 255)) }.max() ?? 0
    }

    private static func draw(_ scene: Scene) -> Painting {
        var options = AnnotatorOptions()
        scene.change(&options)
        let annotator = Annotator()
        var painting = Painting(width: scene.size.width, height: scene.size.height)
        for number in 0..<scene.frames {
            painting = Painting(width: scene.size.width, height: scene.size.height)
            let back = Double(scene.frames - 1 - number)
            let objects = scene.objects.map { object in
                var object = object
                object.box = object.box.offset(x: -3 * back, y: back * back * 0.08)
                return object
            }
            painting.withFrame(
                orientation: scene.orientation, pixelAspectRatio: scene.pixelAspectRatio,
                time: Int64(number) * 50_000_000
            ) { annotator.draw(objects, options: options, into: $0) }
        }
        return painting
    }
}
