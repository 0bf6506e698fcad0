/// What an object's box shows, as a few grey samples in their places: to see whether the object is still there when the
/// detector does not say so.
///
/// Unlike an ``Appearance`` it tells what is where in the box. Taking one costs some tenths of a microsecond, as does comparing
/// two.
struct Portrait: Sendable {
    private var rows = InlineArray<16, SIMD8<UInt8>>(repeating: .zero)

    /// - Returns: `nil` where too little of the box is in the picture, or it is too small to show anything.
    init?(of box: Box, in plane: LumaPlane) {
        let (stepX, stepY) = (Self.width * box.width / plane.scaleX / 8, box.height / plane.scaleY / 16)
        let left = (box.x + (1 - Self.width) / 2 * box.width) / plane.scaleX + stepX / 2
        let top = box.y / plane.scaleY + stepY / 2
        let (lastX, lastY) = (Double(plane.width - 1), Double(plane.height - 1))
        guard stepX * 8 >= 2, stepY * 16 >= 4 else { return nil }
        guard left + 5 * stepX >= 0, left + 2 * stepX <= lastX, top + 10 * stepY >= 0, top + 5 * stepY <= lastY
        else { return nil }
        plane.withPixels { pixels in
            for row in 0..<16 {
                let line = Int(min(max(top + Double(row) * stepY, 0), lastY)) * plane.width
                for column in 0..<8 {
                    rows[row][column] = pixels[line + Int(min(max(left + Double(column) * stepX, 0), lastX))]
                }
            }
        }
    }

    /// How far the samples are from each other's, in grey levels, on average.
    func difference(_ other: Portrait) -> Double {
        var sum = SIMD8<UInt16>.zero
        for row in 0..<16 {
            let (a, b) = (rows[row], other.rows[row])
            let (low, high) = (a.replacing(with: b, where: b .< a), a.replacing(with: b, where: b .> a))
            sum &+= SIMD8<UInt16>(truncatingIfNeeded: high &- low)
        }
        return Double(SIMD8<UInt32>(truncatingIfNeeded: sum).wrappedSum()) / 128
    }

    /// How well the whole correlates with another, and that half of it that does so best: left, right, upper or lower.
    func correlation(_ other: Portrait) -> (whole: Double, half: Double) {
        let (upper, lower) = (Sums(of: self, other, rows: 0..<8), Sums(of: self, other, rows: 8..<16))
        let both = upper.adding(lower)
        return (
            both.correlation(Self.across),
            max(
                upper.correlation(Self.across), lower.correlation(Self.across), both.correlation(Self.leftHalf),
                both.correlation(Self.across - Self.leftHalf))
        )
    }

    /// The inner part of the box is taken: at its sides there is what lies behind.
    private static let width = 0.7
    private static let across = SIMD8<Float>(repeating: 1)
    private static let leftHalf = SIMD8<Float>(1, 1, 1, 1, 0, 0, 0, 0)

    /// What correlation wants to know of some rows, column by column.
    private struct Sums {
        private var first = SIMD8<Float>.zero
        private var second = SIMD8<Float>.zero
        private var squares = (first: SIMD8<Float>.zero, second: SIMD8<Float>.zero)
        private var products = SIMD8<Float>.zero
        private var count: Float

        init(of one: Portrait, _ other: Portrait, rows: Range<Int>) {
            count = Float(rows.count)
            for row in rows {
                let (x, y) = (SIMD8<Float>(one.rows[row]), SIMD8<Float>(other.rows[row]))
                first += x
                second += y
                squares.first += x * x
                squares.second += y * y
                products += x * y
            }
        }

        func adding(_ other: Sums) -> Sums {
            var sum = self
            sum.first += other.first
            sum.second += other.second
            sum.squares.first += other.squares.first
            sum.squares.second += other.squares.second
            sum.products += other.products
            sum.count += other.count
            return sum
        }

        /// Over the columns that are marked by 1. Two grey levels of noise in each are taken for granted, so that flat ones do
        /// not correlate.
        func correlation(_ columns: SIMD8<Float>) -> Double {
            let samples = count * columns.sum()
            let means = ((first * columns).sum() / samples, (second * columns).sum() / samples)
            let variances = (
                max(0, (squares.first * columns).sum() / samples - means.0 * means.0) + 4,
                max(0, (squares.second * columns).sum() / samples - means.1 * means.1) + 4
            )
            let covariance = (products * columns).sum() / samples - means.0 * means.1
            return Double(covariance / (variances.0 * variances.1).squareRoot())
        }
    }
}
