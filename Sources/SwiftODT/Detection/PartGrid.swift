/// The parts that a picture is looked at in, besides whole, where nothing small is to be missed.
///
/// Parts overlap, so that what one of them cuts another has whole, and come in levels, each about twice as near as the one before:
/// what is too large for a part of one level is seen by the level before. The last is the one in which the network sees the
/// picture's own pixels, or a little more than that, if that takes no more than eight parts along the longer side.
///
/// A large picture is seen so at a fraction of its pixels, and a panorama at a small one. Where all parts are looked at in every detection,
/// quality is all: a deep grid goes on to the picture's own pixels, until there are too many parts to look at.
///
///     PartGrid(width: 3840, height: 2160, input: InputSize(width: 320, height: 320)).parts.count                // 54
///     PartGrid(width: 3840, height: 2160, input: InputSize(width: 320, height: 320), isDeep: true).parts.count  // 198
public struct PartGrid: Hashable, Sendable {
    /// In buffer pixels, level by level; the whole picture is none of them.
    public let parts: [Box]

    /// At least so much of a part's side it shares with its neighbour.
    private static let overlap = 0.2
    /// Of a part's side: it overlaps less rather than that there is another for it.
    private static let slack = 0.1
    /// Parts along the longer side on the last level of a grid that is not deep: looks that come one a frame get round no more of them.
    private static let shallow = 8
    /// Parts of a deep grid: a level that would make it more is left out.
    private static let most = 500
    /// Input pixels for a pixel of the picture, from which on there is nothing more to be seen nearer by; on the levels that a deep grid
    /// has beyond the others, each of which costs three times what all before it do, the picture's own pixels are enough.
    private static let (nearest, nearestOfDeep) = (1.5, 1.0)

    /// - Parameters:
    ///   - turned: whether the picture's width is the buffer's height.
    ///   - input: how much a detector takes in at once.
    ///   - isDeep: whether it goes on beyond eight parts along the longer side.
    public init(
        width: Int, height: Int, pixelAspectRatio: Double = 1, turned: Bool = false, input: InputSize,
        isDeep: Bool = false
    ) {
        let across = Double(max(1, turned ? input.height : input.width))
        let down = Double(max(1, turned ? input.width : input.height))
        let aspect = pixelAspectRatio.isFinite && pixelAspectRatio > 0 ? min(max(pixelAspectRatio, 1e-3), 1e3) : 1
        // Sides in input pixels as the picture's own pixels would be fed.
        let (wide, high) = (Double(width) * aspect, Double(height))
        let whole = min(across / wide, down / high)
        var (scale, count) = (whole, 2)
        var parts: [Box] = []
        while scale < (count <= Self.shallow ? Self.nearest : Self.nearestOfDeep), count <= Self.shallow || isDeep,
            width > 1, height > 1
        {
            // As many times as near as the parts of the longer side are smaller than it.
            scale = whole * (Double(count) - Double(count - 1) * Self.overlap)
            let columns = Self.ranges(over: Double(width), each: across / scale / aspect)
            let rows = Self.ranges(over: Double(height), each: down / scale)
            guard count <= Self.shallow || parts.count + columns.count * rows.count <= Self.most else { break }
            for row in rows {
                parts += columns.map { Box(x: $0.start, y: row.start, width: $0.side, height: row.side) }
            }
            count *= 2
        }
        self.parts = parts
    }

    /// Covers a side with ranges of one length, evenly spread.
    private static func ranges(over length: Double, each side: Double) -> [(start: Double, side: Double)] {
        let side = min(length, max(1, side.rounded()))
        let step = (1 - overlap) * side
        let count = 1 + Int(max(0, ((length - side) / step - slack).rounded(.up)))
        guard count > 1 else { return [(((length - side) / 2).rounded(), side)] }
        return (0..<count).map { (((length - side) * Double($0) / Double(count - 1)).rounded(), side) }
    }
}
