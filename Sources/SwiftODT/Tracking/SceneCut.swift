/// Notices that the picture has become another one.
///
/// Compares coarse thumbnails by their correlation, which a change of light does not disturb, at several offsets, so
/// that a pan does not either. A cut is a picture that hardly correlates with the one before and does so suddenly.
/// A picture all of one grey is no scene: what comes after a flash, or a frame that was lost, is compared with what was before it.
struct SceneCut {
    private var previous: ContiguousArray<Float> = []
    private var current: ContiguousArray<Float> = []
    private var next: ContiguousArray<Float> = []
    /// How unlike neighbouring pictures have been lately.
    private var restlessness: Float = 0

    /// Of grey levels: what noise, and a compressor, leave of one grey.
    private static let minimumVariance: Float = 4

    /// Looks at the next plane; whether a new scene begins with it.
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

    /// Whether the next picture is all of one grey.
    private var isFlat: Bool {
        let mean = next.reduce(0, +) / Float(next.count)
        return next.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } < Self.minimumVariance * Float(next.count)
    }

    mutating func reset() {
        previous.removeAll(keepingCapacity: true)
        current.removeAll(keepingCapacity: true)
        restlessness = 0
    }

    /// Of the parts that the two thumbnails share when one is moved by whole cells.
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
        // One grey level of noise in each, so that two flat pictures are alike rather than undefined.
        let varianceA = sumAA - sumA * sumA / count + count
        let varianceB = sumBB - sumB * sumB / count + count
        return (sumAB - sumA * sumB / count + count) / (varianceA * varianceB).squareRoot()
    }
}
