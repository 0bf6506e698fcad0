/// A box with a margin around it, as overlap wants it.
struct ExpandedBox {
    /// Left and upper, right and lower edge.
    let low: SIMD2<Double>
    let high: SIMD2<Double>
    private let area: Double

    /// The box with a margin of `share` of its own size on every side.
    @inline(__always)
    init(_ box: Box, by share: Double) {
        let size = SIMD2(box.width, box.height)
        let wideSize = size * (1 + 2 * share)
        low = SIMD2(box.x, box.y) - share * size
        high = low + wideSize
        area = wideSize.x * wideSize.y
    }

    /// Intersection and union; no intersection where they do not touch.
    @inline(__always)
    func overlap(_ other: ExpandedBox) -> (shared: Double, whole: Double) {
        let size = (high.smaller(other.high) - low.larger(other.low)).larger(.zero)
        let shared = size.x * size.y
        return (shared, area + other.area - shared)
    }
}
