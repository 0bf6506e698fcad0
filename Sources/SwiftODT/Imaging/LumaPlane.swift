/// A grey copy of a frame with reduced resolution, in the orientation of the buffer.
///
/// `@unchecked Sendable`: the plane owns its memory and is immutable after initialisation.
package final class LumaPlane: @unchecked Sendable {
    package let width: Int
    package let height: Int
    /// Buffer pixels per plane pixel.
    package let scaleX: Double
    package let scaleY: Double
    /// The running time of the source frame, in nanoseconds.
    package let time: Nanoseconds
    /// The grey levels, 0 to 255, in row order. The pointer is valid during the lifetime of the plane. Use
    /// ``withPixels(_:)`` if nothing else keeps the plane alive.
    package let pixels: UnsafeBufferPointer<UInt8>

    /// Takes ownership of `pixels`. The buffer must have `width * height` elements.
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

    /// A checksum of the grey levels. It is not cryptographic.
    package var checksum: String { withPixels { String(FileBlock.sum(UnsafeRawBufferPointer($0)), radix: 16) } }

    /// Keeps the plane alive until `body` returns.
    package func withPixels<Answer>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Answer) rethrows -> Answer {
        try withExtendedLifetime(self) { try body(pixels) }
    }
}

/// The mean luma of each cell of a grid, for coarse comparisons of whole frames.
enum CellMeans {
    static let (columns, rows) = (32, 18)

    /// Replaces `means` by the mean luma of each cell, in row-major order.
    ///
    /// - Returns: `false` if the plane has fewer pixels than cells along an axis. `means` is unchanged in this case.
    static func take(of plane: LumaPlane, into means: inout ContiguousArray<Float>) -> Bool {
        guard plane.width >= columns, plane.height >= rows else { return false }
        means.removeAll(keepingCapacity: true)
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: plane.width) { sums in
            guard let sum = sums.baseAddress, let pixels = plane.pixels.baseAddress else { return }
            for row in 0..<rows {
                let (top, bottom) = (row * plane.height / rows, (row + 1) * plane.height / rows)
                // The pixels in each column of this row of cells are summed first. This is one sequential pass over
                // memory.
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
