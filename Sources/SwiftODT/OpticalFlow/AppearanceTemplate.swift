/// A grid of grey samples from an object's box. If the detector misses the object, the template shows whether the
/// object is still there.
///
/// Unlike ``Appearance``, a template keeps the position of each sample in the box.
struct AppearanceTemplate: Sendable {
    /// 16 rows of 8 samples.
    private var samples:
        (
            SIMD16<UInt8>, SIMD16<UInt8>, SIMD16<UInt8>, SIMD16<UInt8>, SIMD16<UInt8>, SIMD16<UInt8>, SIMD16<UInt8>,
            SIMD16<UInt8>
        ) = (.zero, .zero, .zero, .zero, .zero, .zero, .zero, .zero)

    /// Returns `nil` if too little of the box lies inside the picture, or if the box is too small.
    init?(of box: Box, in plane: LumaPlane) {
        let (stepX, stepY) = (Self.width * box.width / plane.scaleX / 8, box.height / plane.scaleY / 16)
        let left = (box.x + (1 - Self.width) / 2 * box.width) / plane.scaleX + stepX / 2
        let top = box.y / plane.scaleY + stepY / 2
        let (lastX, lastY) = (Double(plane.width - 1), Double(plane.height - 1))
        guard stepX * 8 >= 2, stepY * 16 >= 4 else { return nil }
        guard left + 5 * stepX >= 0, left + 2 * stepX <= lastX, top + 10 * stepY >= 0, top + 5 * stepY <= lastY
        else { return nil }
        withUnsafeMutableBytes(of: &samples) { samples in
            plane.withPixels { pixels in
                for row in 0..<16 {
                    let line = Int(min(max(top + Double(row) * stepY, 0), lastY)) * plane.width
                    for column in 0..<8 {
                        samples[row * 8 + column] =
                            pixels[line + Int(min(max(left + Double(column) * stepX, 0), lastX))]
                    }
                }
            }
        }
    }

    /// The halves of a box, in the order of the results of ``correlation(_:)``.
    enum Half: Int, CaseIterable {
        case left
        case right
        case upper
        case lower

        /// The raw values of opposite halves differ in the lowest bit.
        var opposite: Half { Half(rawValue: rawValue ^ 1) ?? self }
    }

    /// Returns the mean absolute difference between the samples, in grey levels.
    func difference(_ other: AppearanceTemplate) -> Double {
        Double(SIMD8<UInt32>(truncatingIfNeeded: differences(other, rows: 0..<16)).wrappedSum()) / 128
    }

    /// Returns the mean absolute difference between the samples of one half, in grey levels.
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

    /// Returns the sum of absolute differences for each column. The sum over a half, at most 64 × 255, fits into 16
    /// bits.
    private func differences(_ other: AppearanceTemplate, rows range: Range<Int>) -> SIMD8<UInt16> {
        var sum = SIMD8<UInt16>.zero
        forEachRow(in: range, with: other) { a, b in
            let (low, high) = (a.replacing(with: b, where: b .< a), a.replacing(with: b, where: b .> a))
            sum &+= SIMD8<UInt16>(truncatingIfNeeded: high &- low)
        }
        return sum
    }

    /// Calls `body` with the samples of each row of both templates.
    @inline(__always)
    private func forEachRow(
        in range: Range<Int>, with other: AppearanceTemplate, _ body: (SIMD8<UInt8>, SIMD8<UInt8>) -> Void
    ) {
        withUnsafeBytes(of: samples) { samples in
            withUnsafeBytes(of: other.samples) { others in
                for row in range {
                    body(
                        samples.load(fromByteOffset: row * 8, as: SIMD8<UInt8>.self),
                        others.load(fromByteOffset: row * 8, as: SIMD8<UInt8>.self))
                }
            }
        }
    }

    /// Returns the correlation coefficients over all samples, and over each ``Half``.
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

    /// The fraction of the box's width that is sampled. The left and right margins usually show the background.
    private static let width = 0.7
    private static let across = SIMD8<Float>(repeating: 1)
    private static let leftHalf = SIMD8<Float>(1, 1, 1, 1, 0, 0, 0, 0)

    /// The sums from which a correlation is computed. Each column of the templates has its own sums over `rows`.
    private struct Sums {
        private var first = SIMD8<Float>.zero
        private var second = SIMD8<Float>.zero
        private var squares = (first: SIMD8<Float>.zero, second: SIMD8<Float>.zero)
        private var products = SIMD8<Float>.zero
        private var count: Float

        init(of one: AppearanceTemplate, _ other: AppearanceTemplate, rows: Range<Int>) {
            count = Float(rows.count)
            one.forEachRow(in: rows, with: other) { one, other in
                let (x, y) = (SIMD8<Float>(one), SIMD8<Float>(other))
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

        /// Returns the correlation coefficient over the columns with the value 1 in `columns`. Adds a noise variance of
        /// 4 (a standard deviation of 2 grey levels) to both variances, so flat areas do not correlate.
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
