extension Box {
    /// Centre x, centre y, width and height.
    var vector: SIMD4<Double> { SIMD4(centerX, centerY, width, height) }

    init(_ vector: SIMD4<Double>) {
        self.init(centerX: vector.x, centerY: vector.y, width: vector.z, height: vector.w)
    }
}

// These lane-wise operations compile to a single instruction. Those of the standard library compile to a call or a
// branch for each lane.

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

    /// Limits each lane to the range from `low` to `high`.
    @inline(__always)
    func bounded(_ low: SIMD4<Double>, _ high: SIMD4<Double>) -> SIMD4<Double> {
        SIMD4(
            lowHalf: lowHalf.larger(low.lowHalf).smaller(high.lowHalf),
            highHalf: highHalf.larger(low.highHalf).smaller(high.highHalf))
    }

    func squareRoot() -> SIMD4<Double> { SIMD4(x.squareRoot(), y.squareRoot(), z.squareRoot(), w.squareRoot()) }
}
