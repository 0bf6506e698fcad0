/// The parts that a picture is looked at in, besides whole, where nothing small is to be missed.
///
/// Parts overlap, so that what one of them cuts another has whole, and come in levels, each about twice as near as the one before:
/// what is too large for a part of one level is seen by the level before. The last is the one in which the network sees the
/// picture's own pixels, or a little more than that where it takes no more than eight parts along the longer side; unless there
/// would be too many parts to look at.
///
///     TileGrid(width: 1920, height: 1080, input: InputSize(width: 320, height: 320)).tiles.count  // 54
///     TileGrid(width: 3840, height: 2160, input: InputSize(width: 320, height: 320)).tiles.count  // 198
public struct TileGrid: Hashable, Sendable {
    /// In buffer pixels, level by level; the whole picture is none of them.
    public let tiles: [Box]

    /// At least so much of a part's side it shares with its neighbour.
    private static let overlap = 0.2
    /// Of a part's side: it overlaps less rather than that there is another for it.
    private static let slack = 0.1
    /// Parts in all: a level that would make them more is left out.
    private static let maximum = 500
    /// Parts along the longer side up to which a level costs little.
    private static let few = 8
    /// Input pixels for a pixel of the picture, from which on there is nothing more to be seen nearer by; on levels of many parts, each of
    /// which has three times as many as all before it, the picture's own pixels are enough.
    private static let (nearest, nearestOfMany) = (1.5, 1.0)

    /// - Parameters:
    ///   - turned: whether the picture's width is the buffer's height.
    ///   - input: how much a detector takes in at once.
    public init(
        width: Int, height: Int, pixelAspectRatio: Double = 1, turned: Bool = false, input: InputSize
    ) {
        let across = Double(max(1, turned ? input.height : input.width))
        let down = Double(max(1, turned ? input.width : input.height))
        let aspect = Self.clampedToRange(pixelAspectRatio)
        // Sides in input pixels as the picture's own pixels would be fed.
        let (wide, high) = (Double(width) * aspect, Double(height))
        let whole = min(across / wide, down / high)
        var (scale, count) = (whole, 2)
        var tiles: [Box] = []
        while scale < (count <= Self.few ? Self.nearest : Self.nearestOfMany), width > 1, height > 1 {
            // As many times as near as the parts of the longer side are smaller than it.
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

    /// A pixel aspect ratio as far as one may reckon with it: it comes from outside.
    static func clampedToRange(_ pixelAspectRatio: Double) -> Double {
        pixelAspectRatio.isFinite && pixelAspectRatio > 0 ? min(max(pixelAspectRatio, 1e-3), 1e3) : 1
    }

    /// Covers a side with ranges of one length, evenly spread.
    private static func ranges(over length: Double, each side: Double) -> [(start: Double, side: Double)] {
        let side = min(length, max(1, side.rounded()))
        let step = (1 - overlap) * side
        let count = 1 + Int(max(0, ((length - side) / step - slack).rounded(.up)))
        // One that is a little longer leaves no edge out.
        guard count > 1 else { return [(0, length)] }
        return (0..<count).map { (((length - side) * Double($0) / Double(count - 1)).rounded(), side) }
    }
}
