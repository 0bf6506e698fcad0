/// Detects scene cuts.
///
/// Compares coarse thumbnails of consecutive pictures by correlation, at several offsets. Correlation is robust against
/// changes of brightness, and the offsets make the comparison robust against pans. A cut is a sudden drop of the
/// correlation. Uniform pictures are skipped: the picture after a flash or a lost frame is compared with the picture
/// before it.
struct SceneCut {
    private var previous: ContiguousArray<Float> = []
    private var current: ContiguousArray<Float> = []
    private var next: ContiguousArray<Float> = []
    /// The recent maximum of `1 - correlation`.
    private var restlessness: Float = 0

    /// The maximum variance of a uniform picture, in squared grey levels. It allows for noise and compression.
    private static let minimumVariance: Float = 4

    /// Adds the next picture and returns whether a new scene begins with it.
    mutating func isCut(_ plane: LumaPlane) -> Bool {
        guard CellMeans.take(of: plane, into: &next), !isFlat else { return false }
        swap(&previous, &current)
        swap(&current, &next)
        guard !previous.isEmpty else { return false }
        var similarity = correlation(0, 0)
        if similarity < 0.7 {
            for y in -2...2 {
                for x in -3...3 { similarity = max(similarity, correlation(x, y)) }
            }
        }
        let unlikeness = 1 - similarity
        let isCut = unlikeness > 0.5 && unlikeness > 2 * restlessness
        restlessness = isCut ? 0 : max(unlikeness, restlessness * 0.8)
        return isCut
    }

    /// Whether the next picture is uniform.
    private var isFlat: Bool {
        let mean = next.reduce(0, +) / Float(next.count)
        return next.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } < Self.minimumVariance * Float(next.count)
    }

    /// Forgets all pictures. The next picture therefore does not count as a cut.
    mutating func reset() {
        previous.removeAll(keepingCapacity: true)
        current.removeAll(keepingCapacity: true)
        restlessness = 0
    }

    /// Returns the correlation of the overlapping cells when one thumbnail is shifted by `dx` and `dy` cells.
    private func correlation(_ dx: Int, _ dy: Int) -> Float {
        var (sumA, sumB, sumAA, sumBB, sumAB) = (Float(0), Float(0), Float(0), Float(0), Float(0))
        var count: Float = 0
        for y in max(0, dy)..<CellMeans.rows + min(0, dy) {
            for x in max(0, dx)..<CellMeans.columns + min(0, dx) {
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
        // Adds a variance of one squared grey level to both variances and to the covariance. Two flat pictures thus
        // have a correlation of 1 instead of 0/0.
        let varianceA = sumAA - sumA * sumA / count + count
        let varianceB = sumBB - sumB * sumB / count + count
        return (sumAB - sumA * sumB / count + count) / (varianceA * varianceB).squareRoot()
    }
}
