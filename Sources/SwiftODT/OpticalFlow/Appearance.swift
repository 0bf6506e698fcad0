/// The grey-level histograms of three horizontal stripes of an object's box.
///
/// The stripes separate, for example, hair, jacket and trousers, or roof, windows and wheels. The histograms depend
/// little on the object's size and posture.
struct Appearance: Sendable {
    /// The histogram of the top stripe: for each of eight grey levels, the fraction of the samples with this level.
    private var top: SIMD8<Float>
    private var middle: SIMD8<Float>
    private var bottom: SIMD8<Float>

    /// Samples the inner part of a box, which shows the object rather than the background. Returns `nil` if the part
    /// inside the picture has a width of less than 2 or a height of less than 3 plane pixels.
    init?(of box: Box, in plane: LumaPlane) {
        let left = max(0, (box.x + 0.25 * box.width) / plane.scaleX)
        let right = min(Double(plane.width), (box.x + 0.75 * box.width) / plane.scaleX)
        let upper = max(0, (box.y + 0.05 * box.height) / plane.scaleY)
        let lower = min(Double(plane.height), (box.y + 0.85 * box.height) / plane.scaleY)
        guard right - left >= 2, lower - upper >= 3 else { return nil }
        let (stepX, stepY) = ((right - left) / Double(Self.columns), (lower - upper) / Double(Self.rows))
        let (startX, startY) = (left + stepX / 2, upper + stepY / 2)
        let stripes = plane.withPixels { pixels in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: 3 * Self.slots) { counts in
                counts.initialize(repeating: 0)
                for row in 0..<Self.rows {
                    let line = pixels.baseAddress! + Int(startY + Double(row) * stepY) * plane.width
                    let stripe = counts.baseAddress! + row / Self.rowsOfStripe * Self.slots
                    for column in 0..<Self.columns {
                        // Splits each sample between the two nearest levels, so a small change of brightness changes
                        // the histogram only a little.
                        let level = Int(line[Int(startX + Double(column) * stepX)]) + 16
                        let share = Int32(level & 31)
                        stripe[level >> 5] += 32 - share
                        stripe[level >> 5 + 1] += share
                    }
                }
                return (Self.shares(counts, 0), Self.shares(counts, 1), Self.shares(counts, 2))
            }
        }
        (top, middle, bottom) = stripes
    }

    /// Returns the histogram intersection, 0 to 1.
    func similarity(_ other: Appearance) -> Double {
        Double((top.common(other.top) + middle.common(other.middle) + bottom.common(other.bottom)).sum()) / 3
    }

    /// Moves the histograms towards newer ones, because objects turn and the light changes. `share` is the weight of
    /// the newer histograms, 0 to 1.
    mutating func follow(_ newer: Appearance, share: Double) {
        let share = Float(share)
        top += (newer.top - top) * share
        middle += (newer.middle - middle) * share
        bottom += (newer.bottom - bottom) * share
    }

    /// The sample grid has `rows` and `columns`. A stripe has `rowsOfStripe` rows and `slots` counters. There are
    /// counters for the eight levels and one more at either end, because each sample counts for two neighbouring
    /// levels.
    private static let (rows, columns, rowsOfStripe, slots) = (24, 8, 8, 10)

    private static func shares(_ counts: UnsafeMutableBufferPointer<Int32>, _ stripe: Int) -> SIMD8<Float> {
        let first = stripe * slots
        var levels = SIMD8<Float>()
        for level in 0..<8 { levels[level] = Float(counts[first + level + 1]) }
        levels[0] += Float(counts[first])
        levels[7] += Float(counts[first + slots - 1])
        return levels / Float(rowsOfStripe * columns * 32)
    }
}

extension SIMD8<Float> {
    fileprivate func common(_ other: Self) -> Self { replacing(with: other, where: other .< self) }
}
