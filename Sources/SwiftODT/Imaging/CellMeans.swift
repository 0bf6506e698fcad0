/// The mean luma of each cell in a grid of 32 by 18 cells, for comparing whole frames coarsely.
///
/// One pass over the plane.
enum CellMeans {
    static let (columns, rows) = (32, 18)

    /// Replaces `means` with the mean luma of each cell, row by row.
    ///
    /// - Returns: `false`, leaving `means` unchanged, if the plane has fewer pixels than cells along either axis.
    static func take(of plane: LumaPlane, into means: inout ContiguousArray<Float>) -> Bool {
        guard plane.width >= columns, plane.height >= rows else { return false }
        means.removeAll(keepingCapacity: true)
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: plane.width) { sums in
            guard let sum = sums.baseAddress, let pixels = plane.pixels.baseAddress else { return }
            for row in 0..<rows {
                let (top, bottom) = (row * plane.height / rows, (row + 1) * plane.height / rows)
                // Sum the columns of the band first: one sequential pass over memory.
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
