// Lane-wise operations in a form that compiles to a single instruction; those of the standard library compile to a
// call or a branch for each lane.

extension SIMD2<Double> {
    @inline(__always)
    func smaller(_ other: SIMD2<Double>) -> SIMD2<Double> {
        SIMD2(x < other.x ? x : other.x, y < other.y ? y : other.y)
    }

    @inline(__always)
    func larger(_ other: SIMD2<Double>) -> SIMD2<Double> {
        SIMD2(x > other.x ? x : other.x, y > other.y ? y : other.y)
    }
}

extension SIMD4<Double> {
    var squared: SIMD4<Double> { self * self }

    /// Limits each lane to a range.
    @inline(__always)
    func bounded(_ low: SIMD4<Double>, _ high: SIMD4<Double>) -> SIMD4<Double> {
        SIMD4(
            lowHalf: lowHalf.larger(low.lowHalf).smaller(high.lowHalf),
            highHalf: highHalf.larger(low.highHalf).smaller(high.highHalf))
    }

    func squareRoot() -> SIMD4<Double> { SIMD4(x.squareRoot(), y.squareRoot(), z.squareRoot(), w.squareRoot()) }
}
