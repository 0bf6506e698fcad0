/// Moves the sides of a region's box to the edges of the object, with subpixel accuracy.
///
/// The region is larger than the object, because the foreground is smoothed. A pixel that the object covers only in
/// part differs less from the background than a completely covered one. The ratio of the two differences gives the
/// position of the edge within the pixel.
struct BoxRefinement {
    let marks: PixelGrid<UInt8>
    let difference: PixelGrid<Float>

    /// The maximum number of columns or rows by which a side moves inwards.
    private static let maximum = 3
    /// The minimum ``coverage(_:isColumn:_:_:)`` of an outermost column or row. With less, the column or row does not
    /// belong to the object.
    private static let minimum: Float = 0.12

    /// Returns the refined box of a region, in plane pixels.
    func refine(_ region: Region) -> Box {
        let left = inset(region, isColumn: true, from: region.minX, towards: 1)
        let right = inset(region, isColumn: true, from: region.maxX - 1, towards: -1)
        let top = inset(region, isColumn: false, from: region.minY, towards: 1)
        let bottom = inset(region, isColumn: false, from: region.maxY - 1, towards: -1)
        return Box(
            minX: Double(region.minX) + left, minY: Double(region.minY) + top,
            maxX: Double(region.maxX) - right, maxY: Double(region.maxY) - bottom)
    }

    /// Returns the distance in pixels by which a side moves inwards.
    ///
    /// - Parameters:
    ///   - start: the outermost column or row of the region on this side.
    ///   - step: 1 or -1, the direction inwards.
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

    /// Returns the fraction of an outermost column or row that the object covers: its maximum difference from the
    /// background, divided by that of its neighbours further inside, at most 1.
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
