/// Removes isolated foreground pixels. Noise, insects and rain cause them.
final class SpeckFilter {
    private let across: PixelGrid<UInt8>
    private let kept: PixelGrid<UInt8>
    /// A row of zeros. It stands for the rows above and below the picture.
    private let none: PixelGrid<UInt8>

    init(width: Int, height: Int) {
        across = PixelGrid(width: width, height: height, filled: 0)
        kept = PixelGrid(width: width, height: height, filled: 0)
        none = PixelGrid(width: width, height: 1, filled: 0)
    }

    /// The minimum number of foreground pixels among a pixel and its eight neighbours. With fewer foreground pixels,
    /// the pixel is removed.
    private static let minimumCount: UInt8 = 4

    /// Returns the foreground without specks. The next call overwrites the returned grid.
    func filter(_ marks: PixelGrid<UInt8>) -> PixelGrid<UInt8> {
        let (width, height) = (marks.width, marks.height)
        for y in 0..<height {
            let from = marks.base + y * width
            let to = across.base + y * width
            let last = width - 1
            to[0] = (from[0] & 1) &+ (last > 0 ? from[1] & 1 : 0)
            var x = 1
            while x < last {
                to[x] = (from[x - 1] & 1) &+ (from[x] & 1) &+ (from[x + 1] & 1)
                x &+= 1
            }
            if last > 0 { to[last] = (from[last - 1] & 1) &+ (from[last] & 1) }
        }
        for y in 0..<height {
            let above = y > 0 ? across.base + (y - 1) * width : none.base
            let here = across.base + y * width
            let below = y + 1 < height ? across.base + (y + 1) * width : none.base
            let from = marks.base + y * width
            let to = kept.base + y * width
            var x = 0
            while x < width {
                to[x] = above[x] &+ here[x] &+ below[x] >= Self.minimumCount ? from[x] : 0
                x &+= 1
            }
        }
        return kept
    }
}
