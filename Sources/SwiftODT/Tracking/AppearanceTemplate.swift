/// What an object's box shows, as a few grey samples in their places: to see whether the object is still there when the
/// detector does not say so.
///
/// Unlike an ``Appearance`` it tells what is where in the box. Taking one costs some tenths of a microsecond, as does comparing
/// two.
struct AppearanceTemplate: Sendable {
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

    /// The halves of a box, in the order in which they are told of.
    enum Half: Int, CaseIterable {
        case left
        case right
        case upper
        case lower

        var opposite: Half {
            switch self {
            case .left: .right
            case .right: .left
            case .upper: .lower
            case .lower: .upper
            }
        }
    }

    /// How far the samples are from each other's, in grey levels, on average.
    func difference(_ other: AppearanceTemplate) -> Double {
        Double(SIMD8<UInt32>(truncatingIfNeeded: differences(other, rows: 0..<16)).wrappedSum()) / 128
    }

    /// The same of a half.
    func difference(_ other: AppearanceTemplate, in half: Half) -> Double {
        let rows = half == .upper ? 0..<8 : half == .lower ? 8..<16 : 0..<16
        let columns = differences(other, rows: rows)
        let sum =
            switch half {
            case .left: columns.lowHalf.wrappedSum()
            case .right: columns.highHalf.wrappedSum()
            case .upper, .lower: columns.wrappedSum()
            }
        return Double(sum) / 64
    }

    /// Column by column; the sum of a half fits, too.
    private func differences(_ other: AppearanceTemplate, rows range: Range<Int>) -> SIMD8<UInt16> {
        var sum = SIMD8<UInt16>.zero
        for row in range {
            let (a, b) = (rows[row], other.rows[row])
            let (low, high) = (a.replacing(with: b, where: b .< a), a.replacing(with: b, where: b .> a))
            sum &+= SIMD8<UInt16>(truncatingIfNeeded: high &- low)
        }
        return sum
    }

    /// How well the whole correlates with another, and each ``Half``.
    func correlation(_ other: AppearanceTemplate) -> (whole: Double, halves: SIMD4<Double>) {
        let (upper, lower) = (Sums(of: self, other, rows: 0..<8), Sums(of: self, other, rows: 8..<16))
        let both = upper.adding(lower)
        return (
            both.correlation(Self.across),
            SIMD4(
                both.correlation(Self.leftHalf), both.correlation(Self.across - Self.leftHalf),
                upper.correlation(Self.across), lower.correlation(Self.across))
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

        init(of one: AppearanceTemplate, _ other: AppearanceTemplate, rows: Range<Int>) {
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
