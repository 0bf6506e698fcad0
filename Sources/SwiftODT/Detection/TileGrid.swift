/// The tiles on which inference runs in addition to the full frame, to detect small objects.
///
/// Adjacent tiles overlap. An object that is cut at the edge of one tile is complete in the next tile. There are
/// several levels of tiles, and each level has about twice the magnification of the previous level. An object that is
/// too large for the tiles of one level is complete in a tile of a previous level or in the full frame.
///
/// A level is added if the previous level has less than one input pixel per picture pixel along an axis. A level with
/// at most eight tiles along the longer side of the picture is added if the previous level has fewer than 1.5 input
/// pixels per picture pixel. The total number of tiles is limited to 500.
///
///     TileGrid(width: 1920, height: 1080, input: InputSize(width: 320, height: 320)).tiles.count // 54
///     TileGrid(width: 3840, height: 2160, input: InputSize(width: 320, height: 320)).tiles.count // 198
package struct TileGrid: Hashable, Sendable {
    /// The tiles in buffer pixels, in the order of the levels. The full frame is not included.
    package let tiles: [Box]

    /// The minimum overlap of adjacent tiles, relative to the side of a tile.
    private static let overlap = 0.2
    /// The tolerance of the minimum overlap, relative to the distance between adjacent tiles. Within this tolerance, a
    /// smaller overlap is accepted to save a tile.
    private static let overlapTolerance = 0.1
    /// The maximum number of tiles. A level that would exceed this number is omitted.
    private static let maximum = 500
    /// ``maximumScale`` applies to a level with at most this number of tiles along the longer side of the picture.
    private static let cheapTileCount = 8
    /// A level with at most ``cheapTileCount`` tiles along the longer side is added if the previous level has fewer
    /// than `maximumScale` input pixels per picture pixel. A level with more than ``cheapTileCount`` tiles is added if
    /// the previous level has fewer than `maximumScaleOfManyTiles`.
    private static let (maximumScale, maximumScaleOfManyTiles) = (1.5, 1.0)

    /// Creates the tiles for a picture of the given size in buffer pixels. `turned` means that the picture's
    /// orientation exchanges width and height. `input` is the size of the detector's input.
    package init(
        width: Int, height: Int, pixelAspectRatio: Double = 1, turned: Bool = false, input: InputSize
    ) {
        let across = Double(max(1, turned ? input.height : input.width))
        let down = Double(max(1, turned ? input.width : input.height))
        let aspect = Self.clampedToRange(pixelAspectRatio)
        // The width and height of the picture in units of the pixel height, because pixels may not be square.
        let (wide, high) = (Double(width) * aspect, Double(height))
        let whole = min(across / wide, down / high)
        var (scale, count) = (whole, 2)
        var tiles: [Box] = []
        while scale < (count <= Self.cheapTileCount ? Self.maximumScale : Self.maximumScaleOfManyTiles), width > 1,
            height > 1
        {
            // The longer side of the picture has `count` tiles with the minimum overlap. The magnification is the ratio
            // of this side to the side of a tile.
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

    /// Limits a pixel aspect ratio to the range from 0.001 to 1000. Returns 1 for an invalid ratio. The limits are
    /// necessary, because a stream can specify any ratio.
    static func clampedToRange(_ pixelAspectRatio: Double) -> Double {
        pixelAspectRatio.isFinite && pixelAspectRatio > 0 ? min(max(pixelAspectRatio, 1e-3), 1e3) : 1
    }

    /// Returns evenly spaced ranges of equal length that cover 0..<length.
    private static func ranges(over length: Double, each side: Double) -> [(start: Double, side: Double)] {
        let side = min(length, max(1, side.rounded()))
        let step = (1 - overlap) * side
        let count = 1 + Int(max(0, ((length - side) / step - overlapTolerance).rounded(.up)))
        // A single range is extended to the full length.
        guard count > 1 else { return [(0, length)] }
        return (0..<count).map { (((length - side) * Double($0) / Double(count - 1)).rounded(), side) }
    }
}
