/// The tiles that are inferred in addition to the full frame to find small objects.
///
/// Tiles overlap, so that an object cut by one tile is complete in another. Each level has about twice the
/// magnification of the previous one; an object too large for a tile is found at a lower level. Levels are added until
/// the network receives the picture's native resolution, or up to 1.5 times that while there are at most eight tiles
/// along the longer side. The total number of tiles is limited.
///
///     TileGrid(width: 1920, height: 1080, input: InputSize(width: 320, height: 320)).tiles.count // 54
///     TileGrid(width: 3840, height: 2160, input: InputSize(width: 320, height: 320)).tiles.count // 198
package struct TileGrid: Hashable, Sendable {
    /// The tiles in buffer pixels, by level, without the full frame.
    package let tiles: [Box]

    /// Minimum overlap of adjacent tiles as a share of their side.
    private static let overlap = 0.2
    /// Share of a tile's side by which the overlap may fall short before another tile is added.
    private static let slack = 0.1
    /// Maximum number of tiles. A level that exceeds it is omitted.
    private static let maximum = 500
    /// Number of tiles along the longer side up to which a level is considered cheap.
    private static let few = 8
    /// Input pixels per picture pixel beyond which no level is added: for cheap levels, and for levels with many tiles.
    private static let (nearest, nearestOfMany) = (1.5, 1.0)

    /// Creates the tiles for a picture.
    /// - Parameters:
    ///   - turned: whether the orientation exchanges the buffer's width and height.
    ///   - input: the detector's input size.
    package init(
        width: Int, height: Int, pixelAspectRatio: Double = 1, turned: Bool = false, input: InputSize
    ) {
        let across = Double(max(1, turned ? input.height : input.width))
        let down = Double(max(1, turned ? input.width : input.height))
        let aspect = Self.clampedToRange(pixelAspectRatio)
        // The picture's sides in input pixels at native resolution.
        let (wide, high) = (Double(width) * aspect, Double(height))
        let whole = min(across / wide, down / high)
        var (scale, count) = (whole, 2)
        var tiles: [Box] = []
        while scale < (count <= Self.few ? Self.nearest : Self.nearestOfMany), width > 1, height > 1 {
            // The magnification is the ratio of the picture's longer side to the tile's.
            scale = whole * (Double(count) - Double(count - 1) * Self.overlap)
            let columns = Self.ranges(over: Double(width), each: across / scale / aspect)
            let rows = Self.ranges(over: Double(height), each: down / scale)
            guard tiles.count + columns.count * rows.count <= Self.maximum else { break }
            for row in rows {
                tiles += columns.map { Box(x: $0.start, y: row.start, width: $0.side, height: row.side) }
            }
            count *= 2
        }
        self.tiles = tiles
    }

    /// Returns a pixel aspect ratio limited to a valid range, because it is external input.
    static func clampedToRange(_ pixelAspectRatio: Double) -> Double {
        pixelAspectRatio.isFinite && pixelAspectRatio > 0 ? min(max(pixelAspectRatio, 1e-3), 1e3) : 1
    }

    /// Covers a length with evenly spread ranges of equal size.
    private static func ranges(over length: Double, each side: Double) -> [(start: Double, side: Double)] {
        let side = min(length, max(1, side.rounded()))
        let step = (1 - overlap) * side
        let count = 1 + Int(max(0, ((length - side) / step - slack).rounded(.up)))
        // A single range is extended to the full length.
        guard count > 1 else { return [(0, length)] }
        return (0..<count).map { (((length - side) * Double($0) / Double(count - 1)).rounded(), side) }
    }
}
