/// Fits a region's box to the object's edges, finer than a pixel of the plane.
///
/// Smoothing widens what it marks, and a pixel of the plane that the object covers in part differs in part. How much the
/// outermost pixels differ, compared with those further in, tells where between two pixels the edge lies.
struct BoxRefinement {
    let marks: PixelGrid<UInt8>
    let difference: PixelGrid<Float>

    /// Columns or rows that a side may move inwards.
    private static let maximum = 3
    /// A line none of whose pixels differs by this share of those further in is not the object's.
    private static let minimum: Float = 0.12

    func refine(_ region: Region) -> Box {
        let left = inset(region, isColumn: true, from: region.minX, towards: 1)
        let right = inset(region, isColumn: true, from: region.maxX - 1, towards: -1)
        let top = inset(region, isColumn: false, from: region.minY, towards: 1)
        let bottom = inset(region, isColumn: false, from: region.maxY - 1, towards: -1)
        return Box(
            minX: Double(region.minX) + left, minY: Double(region.minY) + top,
            maxX: Double(region.maxX) - right, maxY: Double(region.maxY) - bottom)
    }

    /// How far a side moves inwards.
    private func inset(_ region: Region, isColumn: Bool, from start: Int, towards step: Int) -> Double {
        let extent = isColumn ? region.maxX - region.minX : region.maxY - region.minY
        let maximum = min(Self.maximum, (extent - 3) / 2)
        var line = start
        for moved in 0..<max(0, maximum) {
            let share = coverage(region, isColumn: isColumn, line, step)
            if share >= Self.minimum { return Double(moved) + Double(max(0, 1 - share)) }
            line += step
        }
        return Double(max(0, maximum))
    }

    /// How much the pixels of an outermost line differ at most, as a share of what their neighbours further in do.
    private func coverage(_ region: Region, isColumn: Bool, _ line: Int, _ step: Int) -> Float {
        let width = marks.width
        var (outer, inner): (Float, Float) = (0, 0)
        for along in isColumn ? region.minY..<region.maxY : region.minX..<region.maxX {
            let i = isColumn ? along * width + line : line * width + along
            guard marks.base[i] != 0 else { continue }
            let stride = isColumn ? step : step * width
            outer = max(outer, abs(difference.base[i]))
            inner = max(inner, abs(difference.base[i + stride]), abs(difference.base[i + 2 * stride]))
        }
        return inner > 0 ? min(1, outer / inner) : 1
    }
}
