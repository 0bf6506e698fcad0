/// How light a picture is, coarsely: the means of 32 by 18 cells, for those who compare pictures as a whole.
///
/// Costs one pass over the plane, some ten microseconds.
enum CellMeans {
    static let (columns, rows) = (32, 18)

    /// Takes them, row by row.
    ///
    /// - Returns: whether the plane is large enough to have them.
    static func take(of plane: LumaPlane, into means: inout ContiguousArray<Float>) -> Bool {
        guard plane.width >= columns, plane.height >= rows else { return false }
        means.removeAll(keepingCapacity: true)
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: plane.width) { sums in
            guard let sum = sums.baseAddress, let pixels = plane.pixels.baseAddress else { return }
            for row in 0..<rows {
                let (top, bottom) = (row * plane.height / rows, (row + 1) * plane.height / rows)
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
                for column in 0..<columns {
                    let (left, right) = (column * plane.width / columns, (column + 1) * plane.width / columns)
                    let total = sums[left..<right].reduce(0, &+)
                    means.append(Float(total) / Float((bottom - top) * (right - left)))
                }
            }
        }
        return true
    }
}
