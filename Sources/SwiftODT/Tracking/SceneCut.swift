/// Notices that the picture has become another one.
///
/// Compares coarse thumbnails by their correlation, which a change of light does not disturb, at several offsets, so
/// that a pan does not either. A cut is a picture that hardly correlates with the one before and does so suddenly.
/// Costs one pass over the plane, some ten microseconds.
struct SceneCut {
    private static let columns = 32
    private static let rows = 18
    private var previous: ContiguousArray<Float> = []
    private var current: ContiguousArray<Float> = []
    /// How unlike neighbouring pictures have been lately.
    private var restlessness: Float = 0

    /// Looks at the next plane; whether a new scene begins with it.
    mutating func isCut(_ plane: LumaPlane) -> Bool {
        guard plane.width >= Self.columns, plane.height >= Self.rows else { return false }
        swap(&previous, &current)
        shrink(plane)
        guard !previous.isEmpty else { return false }
        var likeness = correlation(0, 0)
        if likeness < 0.7 {
            for y in -2...2 {
                for x in -3...3 { likeness = max(likeness, correlation(x, y)) }
            }
        }
        let unlikeness = 1 - likeness
        let isCut = unlikeness > 0.5 && unlikeness > 2 * restlessness
        restlessness = isCut ? 0 : max(unlikeness, restlessness * 0.8)
        return isCut
    }

    mutating func reset() {
        previous.removeAll(keepingCapacity: true)
        current.removeAll(keepingCapacity: true)
        restlessness = 0
    }

    private mutating func shrink(_ plane: LumaPlane) {
        current.removeAll(keepingCapacity: true)
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: plane.width) { sums in
            guard let sum = sums.baseAddress, let pixels = plane.pixels.baseAddress else { return }
            for row in 0..<Self.rows {
                let (top, bottom) = (row * plane.height / Self.rows, (row + 1) * plane.height / Self.rows)
                // Down first, which is one straight pass.
                sums.initialize(repeating: 0)
                for y in top..<bottom {
                    let line = pixels + y * plane.width
                    var x = 0
                    while x < sums.count {
                        sum[x] &+= UInt32(truncatingIfNeeded: line[x])
                        x &+= 1
                    }
                }
                for column in 0..<Self.columns {
                    let (left, right) = (column * plane.width / Self.columns, (column + 1) * plane.width / Self.columns)
                    let total = sums[left..<right].reduce(0, &+)
                    current.append(Float(total) / Float((bottom - top) * (right - left)))
                }
            }
        }
    }

    /// Of the parts that the two thumbnails share when one is moved by whole cells.
    private func correlation(_ dx: Int, _ dy: Int) -> Float {
        var (sumA, sumB, sumAA, sumBB, sumAB) = (Float(0), Float(0), Float(0), Float(0), Float(0))
        var count: Float = 0
        for y in max(0, dy)..<Self.rows + min(0, dy) {
            for x in max(0, dx)..<Self.columns + min(0, dx) {
                let a = current[y * Self.columns + x]
                let b = previous[(y - dy) * Self.columns + x - dx]
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
