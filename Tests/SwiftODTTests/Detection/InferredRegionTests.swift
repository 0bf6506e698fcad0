import Testing

@testable import SwiftODT

/// Tests the tiles of a picture, and which edges of a region cut objects.
@Suite struct InferredRegionTests {
    @Test func onlyInnerEdgesCut() {
        let region = InferredRegion(Box(x: 0, y: 100, width: 400, height: 300), width: 1000, height: 400)
        #expect(!region.cuts(Box(x: 0, y: 150, width: 50, height: 250)))
        #expect(region.cuts(Box(x: 10, y: 100, width: 50, height: 50)))
        #expect(region.cuts(Box(x: 380, y: 200, width: 20, height: 50)))
        #expect(region.cuts(Box(x: 300, y: 200, width: 300, height: 50)))
        #expect(region.magnification == 2.5)
        let whole = InferredRegion(nil, width: 1000, height: 400)
        #expect(whole.isWhole && whole.magnification == 1)
        #expect(!whole.cuts(Box(x: -5, y: -5, width: 2000, height: 2000)))
    }

    /// A square region with the picture's full height magnifies objects, because the full frame is scaled to the same
    /// square.
    @Test func fullHeightRegionsAreMagnified() {
        let input = InputSize(width: 320, height: 320)
        for (width, height) in [(1920, 1080), (1080, 1920), (768, 576)] {
            let tiles = TileGrid(width: width, height: height, input: input).tiles
            let first = InferredRegion(tiles[0], width: width, height: height)
            #expect(abs(first.magnification - 1.8) < 0.05)
        }
    }

    /// A wide network input leaves most of its width unused for a portrait frame. Regions have the input's shape, so
    /// their magnification exceeds the ratio of the longer sides.
    @Test func magnificationDependsOnNetworkInput() {
        let picture = RegionSelector.Geometry(width: 1080, height: 1920, input: InputSize(width: 640, height: 384))
        let views = RegionPyramid(of: picture)
        for view in views.tiles {
            let (whole, region) = (384 / 1920.0, min(640 / view.box.width, 384 / view.box.height))
            #expect(abs(views.inferredRegion(of: view).magnification / (region / whole) - 1) < 0.02)
        }
    }

    /// Broadcast video has non-square pixels; regions and magnification use the displayed size.
    @Test(arguments: [(16, 11), (64, 45), (8, 9), (1, 2), (2, 1)])
    func magnificationUsesPixelAspectRatio(_ across: Int, _ down: Int) {
        let aspect = Double(across) / Double(down)
        let input = InputSize(width: 320, height: 320)
        for (width, height) in [(720, 576), (704, 480), (576, 720)] {
            let picture = RegionSelector.Geometry(width: width, height: height, pixelAspectRatio: aspect, input: input)
            let views = RegionPyramid(of: picture)
            for view in views.tiles {
                let shown = (Double(width) * aspect, Double(height))
                let region = (view.box.width * aspect, view.box.height)
                let magnification = max(shown.0, shown.1) / max(region.0, region.1)
                #expect(abs(views.inferredRegion(of: view).magnification / magnification - 1) < 0.02)
                #expect(views.inferredRegion(of: view).magnification > 1.5)
            }
        }
        for odd in [Double.nan, .infinity, 0, -1, 1e300] {
            let region = InferredRegion(
                Box(x: 0, y: 0, width: 10, height: 10), width: 100, height: 100, pixelAspectRatio: odd)
            #expect(region.magnification.isFinite && region.magnification >= 1)
        }
    }

    /// Regions from a file can have any values.
    @Test func invalidRegionIsFullFrame() {
        for box in [
            Box(x: .nan, y: 0, width: 1, height: 1), Box(x: 5000, y: 0, width: 10, height: 10),
            Box(x: 0, y: 0, width: .infinity, height: 1), Box(x: 10, y: 10, width: -5, height: 5),
        ] {
            let region = InferredRegion(box, width: 1000, height: 400)
            #expect(region.isWhole && region.magnification == 1)
        }
    }

    @Test(arguments: [
        (640, 480, false), (1920, 1080, false), (3840, 2160, false), (375, 1000, true), (5000, 300, false),
        (426, 329, false),
    ])
    func tilesCoverPictureAndOverlap(_ width: Int, _ height: Int, _ turned: Bool) {
        let grid = TileGrid(width: width, height: height, turned: turned, input: InputSize(width: 416, height: 320))
        #expect(!grid.tiles.isEmpty && grid.tiles.count <= 500)
        for region in grid.tiles {
            #expect(
                region.minX >= 0 && region.minY >= 0 && region.maxX <= Double(width) && region.maxY <= Double(height))
        }
        // The size of its tiles identifies each level.
        for level in Dictionary(grouping: grid.tiles, by: { $0.width * 10_000 + $0.height }).values {
            for x in stride(from: 0.5, to: Double(width), by: 7) {
                for y in stride(from: 0.5, to: Double(height), by: 7) {
                    #expect(level.contains { $0.minX <= x && x <= $0.maxX && $0.minY <= y && y <= $0.maxY })
                }
            }
            // An object with a tenth of a tile's width is complete in at least one tile.
            let side = level[0].width / 10
            for x in stride(from: 0.0, to: Double(width) - side, by: 5) {
                #expect(level.contains { $0.minX <= x && x + side <= $0.maxX })
            }
        }
    }

    @Test func lastLevelHasOriginalResolution() {
        let grid = TileGrid(width: 1920, height: 1080, input: InputSize(width: 416, height: 416))
        #expect(grid.tiles.contains { $0.width <= 416 })
        #expect(TileGrid(width: 200, height: 200, input: InputSize(width: 416, height: 416)).tiles.isEmpty)
        #expect(TileGrid(width: 1, height: 1, input: InputSize(width: 416, height: 416)).tiles.isEmpty)
        #expect(!TileGrid(width: 100_000, height: 2, input: InputSize(width: 4, height: 4)).tiles.isEmpty)
    }

    /// Also for 4K frames and panoramas.
    @Test(arguments: [(3840, 2160), (4000, 3000), (12_000, 200), (200, 12_000)])
    func lastLevelOfLargePictureHasOriginalResolution(_ width: Int, _ height: Int) {
        let tiles = TileGrid(width: width, height: height, input: InputSize(width: 320, height: 320)).tiles
        #expect(tiles.contains { max($0.width, $0.height) <= 320 })
        #expect(!tiles.contains { max($0.width, $0.height) < 200 })
    }

    /// The cost of one frame is limited for any picture size.
    @Test(arguments: [(20_000, 5000), (65_500, 60), (30_000, 30_000), (1_000_000, 2)])
    func tileCountIsBounded(_ width: Int, _ height: Int) {
        let tiles = TileGrid(width: width, height: height, input: InputSize(width: 320, height: 320)).tiles
        #expect(tiles.count > 100 && tiles.count <= 500)
    }
}
