import Testing

@testable import SwiftODT

/// Protects which parts a picture is looked at in, and what of a part's edges is said to cut.
@Suite struct PartTests {
    @Test func onlyEdgesWithinThePictureCut() {
        let part = SeenPart(Box(x: 0, y: 100, width: 400, height: 300), width: 1000, height: 400)
        #expect(!part.cuts(Box(x: 0, y: 150, width: 50, height: 250)))
        #expect(part.cuts(Box(x: 10, y: 100, width: 50, height: 50)))
        #expect(part.cuts(Box(x: 380, y: 200, width: 20, height: 50)))
        #expect(part.cuts(Box(x: 300, y: 200, width: 300, height: 50)))
        #expect(part.magnification == 2.5)
        let whole = SeenPart(nil, width: 1000, height: 400)
        #expect(whole.isWhole && whole.magnification == 1)
        #expect(!whole.cuts(Box(x: -5, y: -5, width: 2000, height: 2000)))
    }

    /// A square part as high as the picture shows things larger than the whole does, which has to go into the same square.
    @Test func partsAsHighAsThePictureAreNearer() {
        let input = InputSize(width: 320, height: 320)
        for (width, height) in [(1920, 1080), (1080, 1920), (768, 576)] {
            let parts = PartGrid(width: width, height: height, input: input).parts
            let first = SeenPart(parts[0], width: width, height: height)
            #expect(abs(first.magnification - 1.8) < 0.05)
        }
    }

    /// A network as wide as a film sees little of a portrait: its parts, which have its shape, are nearer than their longer side says.
    @Test func theNetworksShapeSaysHowNearAPartIs() {
        let picture = PartChoice.Picture(width: 1080, height: 1920, input: InputSize(width: 640, height: 384))
        let views = PictureViews(of: picture)
        for view in views.parts {
            let (whole, part) = (384 / 1920.0, min(640 / view.box.width, 384 / view.box.height))
            #expect(abs(views.seen(in: view).magnification / (part / whole) - 1) < 0.02)
        }
    }

    /// Television's pixels are not square: the choice, and what is made of its looks, reckon with the picture as it is shown.
    @Test(arguments: [(16, 11), (64, 45), (8, 9), (1, 2), (2, 1)])
    func magnificationIsThatOfThePictureAsItIsShown(_ across: Int, _ down: Int) {
        let aspect = Double(across) / Double(down)
        let input = InputSize(width: 320, height: 320)
        for (width, height) in [(720, 576), (704, 480), (576, 720)] {
            let picture = PartChoice.Picture(width: width, height: height, pixelAspectRatio: aspect, input: input)
            let views = PictureViews(of: picture)
            for view in views.parts {
                let shown = (Double(width) * aspect, Double(height))
                let part = (view.box.width * aspect, view.box.height)
                let magnification = max(shown.0, shown.1) / max(part.0, part.1)
                #expect(abs(views.seen(in: view).magnification / magnification - 1) < 0.02)
                #expect(views.seen(in: view).magnification > 1.5)
            }
        }
        for odd in [Double.nan, .infinity, 0, -1, 1e300] {
            let part = SeenPart(Box(x: 0, y: 0, width: 10, height: 10), width: 100, height: 100, pixelAspectRatio: odd)
            #expect(part.magnification.isFinite && part.magnification >= 1)
        }
    }

    /// What comes from a file may be anything.
    @Test func whatIsNoPartIsTheWhole() {
        for box in [
            Box(x: .nan, y: 0, width: 1, height: 1), Box(x: 5000, y: 0, width: 10, height: 10),
            Box(x: 0, y: 0, width: .infinity, height: 1), Box(x: 10, y: 10, width: -5, height: 5),
        ] {
            let part = SeenPart(box, width: 1000, height: 400)
            #expect(part.isWhole && part.magnification == 1)
        }
    }

    @Test(arguments: [
        (640, 480, false), (1920, 1080, false), (3840, 2160, false), (375, 1000, true), (5000, 300, false),
        (426, 329, false),
    ])
    func partsCoverThePictureAndOverlap(_ width: Int, _ height: Int, _ turned: Bool) {
        let grid = PartGrid(width: width, height: height, turned: turned, input: InputSize(width: 416, height: 320))
        #expect(!grid.parts.isEmpty && grid.parts.count <= 500)
        for part in grid.parts {
            #expect(part.minX >= 0 && part.minY >= 0 && part.maxX <= Double(width) && part.maxY <= Double(height))
        }
        // Of each level, by its parts' size.
        for level in Dictionary(grouping: grid.parts, by: { $0.width * 10_000 + $0.height }).values {
            for x in stride(from: 0.5, to: Double(width), by: 7) {
                for y in stride(from: 0.5, to: Double(height), by: 7) {
                    #expect(level.contains { $0.minX <= x && x <= $0.maxX && $0.minY <= y && y <= $0.maxY })
                }
            }
            // What is as wide as a tenth of a part is whole in one of them, wherever it lies.
            let side = level[0].width / 10
            for x in stride(from: 0.0, to: Double(width) - side, by: 5) {
                #expect(level.contains { $0.minX <= x && x + side <= $0.maxX })
            }
        }
    }

    @Test func thePartsOfTheLastLevelShowThePicturesOwnPixels() {
        let grid = PartGrid(width: 1920, height: 1080, input: InputSize(width: 416, height: 416))
        #expect(grid.parts.contains { $0.width <= 416 })
        #expect(PartGrid(width: 200, height: 200, input: InputSize(width: 416, height: 416)).parts.isEmpty)
        #expect(PartGrid(width: 1, height: 1, input: InputSize(width: 416, height: 416)).parts.isEmpty)
        #expect(!PartGrid(width: 100_000, height: 2, input: InputSize(width: 4, height: 4)).parts.isEmpty)
    }

    /// Those of 4K and of panoramas, too.
    @Test(arguments: [(3840, 2160), (4000, 3000), (12_000, 200), (200, 12_000)])
    func aLargePicturesLastLevelShowsItsOwnPixels(_ width: Int, _ height: Int) {
        let parts = PartGrid(width: width, height: height, input: InputSize(width: 320, height: 320)).parts
        #expect(parts.contains { max($0.width, $0.height) <= 320 })
        #expect(!parts.contains { max($0.width, $0.height) < 200 })
    }

    /// However large a picture is, it is not looked at for ever.
    @Test(arguments: [(20_000, 5000), (65_500, 60), (30_000, 30_000), (1_000_000, 2)])
    func noPictureHasMorePartsThanCanBeLookedAt(_ width: Int, _ height: Int) {
        let parts = PartGrid(width: width, height: height, input: InputSize(width: 320, height: 320)).parts
        #expect(parts.count > 100 && parts.count <= 500)
    }
}
