/// An axis-aligned rectangle in buffer coordinates. The unit is pixels, the origin is the top left corner of the
/// buffer, and integer coordinates are edges between pixels. A box may extend beyond the picture.
///
///     let one = Box(x: 0, y: 0, width: 100, height: 100)
///     let other = Box(centerX: 100, centerY: 50, width: 100, height: 100)
///     print(one.iou(other), one.intersection(other).area)
public struct Box: Hashable, Sendable, BitwiseCopyable {
    /// The left edge.
    public var x: Double
    /// The upper edge.
    public var y: Double
    /// The width in pixels.
    public var width: Double
    /// The height in pixels.
    public var height: Double

    /// Creates a box from its upper left corner and its size.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates a box from its four edges.
    public init(minX: Double, minY: Double, maxX: Double, maxY: Double) {
        self.init(x: minX, y: minY, width: maxX - minX, height: maxY - minY)
    }

    /// Creates a box from its centre and its size.
    public init(centerX: Double, centerY: Double, width: Double, height: Double) {
        self.init(x: centerX - width / 2, y: centerY - height / 2, width: width, height: height)
    }
}

extension Box {
    /// Returns the box with edges moved to the borders of the picture at which the detected box of the object lay. An
    /// object that is cut by a border usually continues outside the picture, so its visible part grows or shrinks
    /// instead of moving away from the border.
    ///
    /// - Parameters:
    ///   - detected: the latest detected box. With `nil`, no edge is moved.
    ///   - width, height: the size of the picture.
    ///   - limit: the maximum distance by which an edge is moved, as a fraction of the box's size.
    func attached(toBordersOf detected: Box?, _ width: Int, _ height: Int, limit: Double) -> Box {
        guard let detected else { return self }
        let (right, bottom) = (Double(width), Double(height))
        let (across, down) = (max(1, 0.02 * detected.width), max(1, 0.02 * detected.height))
        let (mostAcross, mostDown) = (limit * self.width, limit * self.height)
        return Box(
            minX: detected.minX <= across && minX > 0 ? max(0, minX - mostAcross) : minX,
            minY: detected.minY <= down && minY > 0 ? max(0, minY - mostDown) : minY,
            maxX: detected.maxX >= right - across && maxX < right ? min(right, maxX + mostAcross) : maxX,
            maxY: detected.maxY >= bottom - down && maxY < bottom ? min(bottom, maxY + mostDown) : maxY)
    }

    /// Returns the box, enlarged on each side by a fraction of its size, but at least by `minimum` pixels.
    package func grown(by share: Double, minimum: Double = 0) -> Box {
        let (across, down) = (max(share * width, minimum), max(share * height, minimum))
        return Box(x: x - across, y: y - down, width: width + 2 * across, height: height + 2 * down)
    }

    /// The left edge.
    public var minX: Double { x }
    /// The upper edge.
    public var minY: Double { y }
    /// The right edge.
    public var maxX: Double { x + width }
    /// The lower edge.
    public var maxY: Double { y + height }
    /// The horizontal centre.
    public var centerX: Double { x + width / 2 }
    /// The vertical centre.
    public var centerY: Double { y + height / 2 }
    /// The area in square pixels; 0 for an empty box.
    public var area: Double { isEmpty ? 0 : width * height }

    /// Whether the box has no area. Also `true` if the width or the height is NaN.
    public var isEmpty: Bool { !(width > 0 && height > 0) }

    /// Whether all four values are finite. Detections from other elements can contain any value.
    public var isFinite: Bool { x.isFinite && y.isFinite && width.isFinite && height.isFinite }

    /// Returns the common part of both boxes. The result is empty if the boxes do not overlap.
    public func intersection(_ other: Box) -> Box {
        let left = max(minX, other.minX)
        let top = max(minY, other.minY)
        return Box(
            x: left, y: top,
            width: max(0, min(maxX, other.maxX) - left), height: max(0, min(maxY, other.maxY) - top))
    }

    /// Returns whether the other box extends beyond this box by at most `tolerance` pixels on each side.
    package func contains(_ other: Box, within tolerance: Double) -> Bool {
        minX - tolerance <= other.minX && minY - tolerance <= other.minY && maxX + tolerance >= other.maxX
            && maxY + tolerance >= other.maxY
    }

    /// Returns the smallest box that contains both boxes.
    public func union(_ other: Box) -> Box {
        Box(
            minX: min(minX, other.minX), minY: min(minY, other.minY),
            maxX: max(maxX, other.maxX), maxY: max(maxY, other.maxY))
    }

    /// Returns the intersection over union, 0 to 1.
    public func iou(_ other: Box) -> Double {
        let shared = intersection(other).area
        let whole = area + other.area - shared
        return whole > 0 ? shared / whole : 0
    }

    /// Returns the part of the box within a picture of the given size.
    public func clipped(width pictureWidth: Int, height pictureHeight: Int) -> Box {
        intersection(Box(x: 0, y: 0, width: Double(pictureWidth), height: Double(pictureHeight)))
    }

    /// Returns the box with its horizontal and vertical coordinates multiplied by `factorX` and `factorY`.
    public func scaled(x factorX: Double, y factorY: Double) -> Box {
        Box(x: x * factorX, y: y * factorY, width: width * factorX, height: height * factorY)
    }

    /// Returns the box moved by `dx` pixels to the right and `dy` pixels down.
    public func offset(x dx: Double, y dy: Double) -> Box {
        Box(x: x + dx, y: y + dy, width: width, height: height)
    }
}

extension Box {
    /// The elements are centre x, centre y, width and height.
    var vector: SIMD4<Double> { SIMD4(centerX, centerY, width, height) }

    func centerDistance(to other: Box) -> Double {
        let (dx, dy) = (centerX - other.centerX, centerY - other.centerY)
        return (dx * dx + dy * dy).squareRoot()
    }

    init(_ vector: SIMD4<Double>) {
        self.init(centerX: vector.x, centerY: vector.y, width: vector.z, height: vector.w)
    }
}

// `smaller` and `larger` work on both lanes with a single instruction. The corresponding operations of the standard
// library compile to a call or a branch for each lane.

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

    @inline(__always)
    func bounded(_ low: SIMD4<Double>, _ high: SIMD4<Double>) -> SIMD4<Double> {
        SIMD4(
            lowHalf: lowHalf.larger(low.lowHalf).smaller(high.lowHalf),
            highHalf: highHalf.larger(low.highHalf).smaller(high.highHalf))
    }

    func squareRoot() -> SIMD4<Double> { SIMD4(x.squareRoot(), y.squareRoot(), z.squareRoot(), w.squareRoot()) }
}
