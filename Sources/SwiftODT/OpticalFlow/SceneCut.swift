/// Detects scene cuts.
///
/// A cut is a sudden drop of the correlation of coarse thumbnails (``CellMeans``) of consecutive pictures. Correlation
/// is robust against changes of brightness. The maximum over several offsets makes it robust against pans. Uniform
/// pictures are skipped, so the pictures before and after a flash or a lost frame are compared. Bars at the edges, as
/// in letterboxed video, are not compared, because they would dominate the correlation.
struct SceneCut {
    /// The thumbnails of the two latest pictures that are not uniform, and of the picture that is being added (`next`).
    private var previous: ContiguousArray<Float> = []
    private var current: ContiguousArray<Float> = []
    private var next: ContiguousArray<Float> = []
    /// Whether the first pictures are uniform, for example black. The first scene then begins after them.
    private var startsUniform = false
    /// A recent maximum of `1 - correlation`, which decays with each picture. A picture counts as a cut only if its `1
    /// - correlation` exceeds twice this value.
    private var restlessness: Float = 0

    /// A picture counts as uniform if the variance of its cells is below this value, in squared grey levels. The value
    /// allows for noise and compression.
    private static let minimumVariance: Float = 4
    /// The grey levels of a bar are below this value. Black is 0 or 16.
    private static let maximumBarLevel: Float = 24
    /// The grey levels of a bar differ by less than this value.
    private static let maximumBarRange: Float = 4
    /// The minimum number of rows or columns between bars.
    private static let smallestSide = 10

    /// Returns whether a scene begins with this picture.
    ///
    /// - Parameter hasTracks: Whether the tracker has tracks. If so, the first picture after uniform ones begins no scene,
    ///   because the tracks would end. Upstream elements can detect objects in nearly uniform pictures.
    mutating func isCut(_ plane: LumaPlane, hasTracks: Bool = false) -> Bool {
        guard CellMeans.take(of: plane, into: &next) else { return false }
        guard !isFlat else {
            startsUniform = startsUniform || current.isEmpty
            return false
        }
        swap(&previous, &current)
        swap(&current, &next)
        guard !previous.isEmpty else { return startsUniform && !hasTracks }
        let area = areaBetweenBars
        var similarity = correlation(0, 0, in: area)
        if similarity < 0.7 {
            for y in -2...2 {
                for x in -3...3 { similarity = max(similarity, correlation(x, y, in: area)) }
            }
        }
        let unlikeness = 1 - similarity
        let isCut = unlikeness > 0.5 && unlikeness > 2 * restlessness
        restlessness = isCut ? 0 : max(unlikeness, restlessness * 0.8)
        return isCut
    }

    /// Whether the picture in `next` is uniform.
    private var isFlat: Bool {
        let mean = next.reduce(0, +) / Float(next.count)
        return next.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } < Self.minimumVariance * Float(next.count)
    }

    /// The cells between two dark bars at opposite edges of the picture, as in letterboxed video. A bar is uniform and
    /// the same in both thumbnails. The cells beside a bar are excluded, too, because they can contain its edge. A dark
    /// sky or a dark floor is at one edge only.
    private var areaBetweenBars: (rows: Range<Int>, columns: Range<Int>) {
        let (height, width) = (CellMeans.rows, CellMeans.columns)
        var (top, bottom, left, right) = (0, height, 0, width)
        while top < height, isBar(top..<top + 1, 0..<width) { top += 1 }
        while bottom > top, isBar(bottom - 1..<bottom, 0..<width) { bottom -= 1 }
        while left < width, isBar(0..<height, left..<left + 1) { left += 1 }
        while right > left, isBar(0..<height, right - 1..<right) { right -= 1 }
        return (Self.area(from: top, to: bottom, of: height), Self.area(from: left, to: right, of: width))
    }

    /// Returns the cells of one axis between two bars of about the same thickness, or all cells.
    private static func area(from start: Int, to end: Int, of length: Int) -> Range<Int> {
        let (first, last) = (start, length - end)
        guard first > 0, last > 0, abs(first - last) <= 1, end - start >= smallestSide else { return 0..<length }
        return start + 1..<end - 1
    }

    private func isBar(_ rows: Range<Int>, _ columns: Range<Int>) -> Bool {
        var (least, most) = (Float.infinity, -Float.infinity)
        for y in rows {
            for x in columns {
                let (a, b) = (current[y * CellMeans.columns + x], previous[y * CellMeans.columns + x])
                (least, most) = (min(least, a, b), max(most, a, b))
                if most >= Self.maximumBarLevel || most - least >= Self.maximumBarRange { return false }
            }
        }
        return true
    }

    /// Forgets all pictures. The next picture does not count as a cut.
    mutating func reset() {
        previous.removeAll(keepingCapacity: true)
        current.removeAll(keepingCapacity: true)
        (restlessness, startsUniform) = (0, false)
    }

    /// Returns the correlation of the two latest thumbnails in an area. `previous` is moved by `dx` cells to the right
    /// and `dy` cells down, and only the cells in which the thumbnails then overlap are compared.
    private func correlation(_ dx: Int, _ dy: Int, in area: (rows: Range<Int>, columns: Range<Int>)) -> Float {
        var (sumA, sumB, sumAA, sumBB, sumAB) = (Float(0), Float(0), Float(0), Float(0), Float(0))
        var count: Float = 0
        let (rows, columns) = area
        for y in rows.lowerBound + max(0, dy)..<rows.upperBound + min(0, dy) {
            for x in columns.lowerBound + max(0, dx)..<columns.upperBound + min(0, dx) {
                let a = current[y * CellMeans.columns + x]
                let b = previous[(y - dy) * CellMeans.columns + x - dx]
                sumA += a
                sumB += b
                sumAA += a * a
                sumBB += b * b
                sumAB += a * b
                count += 1
            }
        }
        // One squared grey level is added to both variances and to the covariance. Two uniform pictures thus have a
        // correlation of 1 instead of 0/0.
        let varianceA = sumAA - sumA * sumA / count + count
        let varianceB = sumBB - sumB * sumB / count + count
        return (sumAB - sumA * sumB / count + count) / (varianceA * varianceB).squareRoot()
    }
}
