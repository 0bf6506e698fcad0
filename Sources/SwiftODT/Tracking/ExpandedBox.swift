/// A box with a margin, prepared for computing overlaps.
struct ExpandedBox {
    /// The upper left and the lower right corner.
    let low: SIMD2<Double>
    let high: SIMD2<Double>
    private let area: Double

    /// Widens the box by `share` of its size on every side.
    @inline(__always)
    init(_ box: Box, by share: Double) {
        let size = SIMD2(box.width, box.height)
        let wideSize = size * (1 + 2 * share)
        low = SIMD2(box.x, box.y) - share * size
        high = low + wideSize
        area = wideSize.x * wideSize.y
    }

    /// Returns the areas of intersection and union. The intersection is 0 if the boxes do not touch.
    @inline(__always)
    func overlap(_ other: ExpandedBox) -> (shared: Double, whole: Double) {
        let size = (high.smaller(other.high) - low.larger(other.low)).larger(.zero)
        let shared = size.x * size.y
        return (shared, area + other.area - shared)
    }
}
