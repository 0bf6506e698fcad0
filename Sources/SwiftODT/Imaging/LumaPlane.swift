/// A reduced grey copy of a frame in buffer orientation, used by motion detection, point flow and scene-cut detection.
///
/// `@unchecked Sendable`: the plane owns its memory and is immutable after initialisation.
package final class LumaPlane: @unchecked Sendable {
    package let width: Int
    package let height: Int
    /// Buffer pixels per plane pixel, horizontally and vertically.
    package let scaleX: Double
    package let scaleY: Double
    /// Running time of the source frame, in nanoseconds.
    package let time: Nanoseconds
    /// `width * height` samples in row order, full range 0...255. They are valid as long as the plane is. Use
    /// ``withPixels(_:)`` if nothing else keeps the plane alive.
    package let pixels: UnsafeBufferPointer<UInt8>

    /// Takes ownership of `pixels`, which must hold `width * height` bytes.
    init(
        adopting pixels: UnsafeMutableBufferPointer<UInt8>, width: Int, height: Int, scaleX: Double, scaleY: Double,
        time: Nanoseconds
    ) {
        self.pixels = UnsafeBufferPointer(pixels)
        self.width = width
        self.height = height
        self.scaleX = scaleX
        self.scaleY = scaleY
        self.time = time
    }

    deinit { pixels.deallocate() }

    /// Calls `body` with the samples and keeps the plane alive until `body` returns.
    package func withPixels<Answer>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Answer) rethrows -> Answer {
        try withExtendedLifetime(self) { try body(pixels) }
    }
}

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
