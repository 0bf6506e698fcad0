/// Tests whether a box has really moved: all of its sides, and mostly in one direction. Boxes that sway, flicker,
/// grow or shrink do not pass.
struct DisplacementTest {
    /// Whether the box has moved.
    private(set) var isProof = false

    /// Whether the box no longer overlaps its first position. A swaying object never gets that far.
    private(set) var hasLeft = false

    private var first: Box
    /// The latest point of the path, which is sampled in steps of ``step``, and the length of the path.
    private var point: Box
    private var length = 0.0
    /// The largest area since the box has passed.
    private var largest = 0.0

    /// A box that shrinks below this share of its largest area is a remainder of the object, or uncovered background.
    private static let minimumRemainder = 0.25
    /// The minimum displacement of both sides, relative to the square root of the box's area.
    private static let minimum = 0.35
    /// A box that grew or shrank by more than this factor shows another object, or a part of one.
    private static let maximumGrowth = 1.8
    /// The distance between path points, relative to the square root of the box's area; larger than the usual jitter.
    private static let step = 0.15
    /// The minimum ratio of displacement to path length.
    private static let straightness = 0.7
    /// The distance from the picture's border, relative to the box, within which a side counts as cut off by the
    /// border.
    private static let border = 0.05

    init(from box: Box) { (first, point) = (box, box) }

    /// Adds the box's current position in a picture of the given size.
    mutating func follow(_ box: Box, width: Int, height: Int) {
        guard !isProof else { return advance(to: box, width, height) }
        let size = max(0, box.area).squareRoot()
        let stepped = Self.distance(point, box)
        guard stepped >= Self.step * size else { return }
        length += stepped
        point = box
        let growth = box.area / max(first.area, .leastNormalMagnitude)
        if growth > Self.maximumGrowth || growth * Self.maximumGrowth < 1, Self.isInside(box, width, height),
            Self.isInside(first, width, height)
        {
            (first, length) = (box, 0)
            return
        }
        let across = Self.displacement(
            (first.minX, first.maxX), (box.minX, box.maxX), within: Double(width), margin: Self.border * box.width)
        let down = Self.displacement(
            (first.minY, first.maxY), (box.minY, box.maxY), within: Double(height), margin: Self.border * box.height)
        isProof =
            (across * across + down * down).squareRoot() >= Self.minimum * size
            && Self.distance(first, box) >= Self.straightness * length
    }

    /// A small remainder of a box that has passed must pass again, unless the picture's border cuts it off.
    private mutating func advance(to box: Box, _ width: Int, _ height: Int) {
        hasLeft = hasLeft || box.intersection(first).isEmpty
        largest = max(largest, box.area)
        if box.area < Self.minimumRemainder * largest, Self.isInside(box, width, height) {
            self = DisplacementTest(from: box)
        }
    }

    /// Returns the smaller displacement of both sides in the same direction. A side at the border does not count.
    private static func displacement(
        _ from: (low: Double, high: Double), _ to: (low: Double, high: Double), within size: Double, margin: Double
    ) -> Double {
        let (low, high) = (to.low - from.low, to.high - from.high)
        if from.low <= margin || to.low <= margin { return abs(high) }
        if from.high >= size - margin || to.high >= size - margin { return abs(low) }
        return low * high > 0 ? min(abs(low), abs(high)) : 0
    }

    private static func distance(_ a: Box, _ b: Box) -> Double {
        let (dx, dy) = (a.centerX - b.centerX, a.centerY - b.centerY)
        return (dx * dx + dy * dy).squareRoot()
    }

    /// Returns whether no side is cut off by the border. Propagated boxes are not exact: an entering object keeps a
    /// side a fraction of a pixel off the border.
    private static func isInside(_ box: Box, _ width: Int, _ height: Int) -> Bool {
        let (across, down) = (border * box.width, border * box.height)
        return box.minX > across && box.minY > down && box.maxX < Double(width) - across
            && box.maxY < Double(height) - down
    }
}
