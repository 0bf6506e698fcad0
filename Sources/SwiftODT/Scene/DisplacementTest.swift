/// Tests whether a box has really moved: opposite sides must move in the same direction, mostly along a straight path.
/// Boxes that sway, flicker, grow or shrink do not pass.
struct DisplacementTest {
    private(set) var isPassed = false

    /// Whether the box has completely left its first position after it passed the test. A swaying object never moves
    /// this far.
    private(set) var hasLeft = false

    private var first: Box
    /// The box at the latest sample of its path. The distance between two samples is at least ``step``.
    private var point: Box
    private var length = 0.0
    /// The largest area that the box has had since it passed the test.
    private var largest = 0.0

    /// After a box has passed, the test restarts if the area of the box falls below this fraction of its largest area.
    /// A smaller box shows only the remainder of the object, or background that the object has uncovered.
    private static let minimumRemainder = 0.25
    /// The minimum displacement of the box, relative to the square root of its area. Of two opposite sides (left and
    /// right, top and bottom), the side with the smaller displacement counts.
    private static let minimum = 0.35
    /// The maximum factor by which the area may grow or shrink. Beyond this factor, the box shows another object or
    /// only a part of the object, so the test restarts.
    private static let maximumGrowth = 1.8
    /// The minimum distance between two samples of the path, relative to the square root of the box's area. It is
    /// larger than the usual jitter.
    private static let step = 0.15
    private static let straightness = 0.7
    /// A side of the box counts as cut off by the picture's border if its distance from the border is at most this
    /// value. The value is relative to the box's width (left and right sides) or height (top and bottom sides).
    private static let border = 0.05

    init(from box: Box) { (first, point) = (box, box) }

    mutating func follow(_ box: Box, width: Int, height: Int) {
        guard !isPassed else { return advance(to: box, width, height) }
        let size = max(0, box.area).squareRoot()
        let stepped = point.centerDistance(to: box)
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
        isPassed =
            (across * across + down * down).squareRoot() >= Self.minimum * size
            && first.centerDistance(to: box) >= Self.straightness * length
    }

    /// Updates the state of a box that has passed. The test restarts if only a small remainder of the box is left,
    /// unless the picture's border cuts off the box.
    private mutating func advance(to box: Box, _ width: Int, _ height: Int) {
        hasLeft = hasLeft || box.intersection(first).isEmpty
        largest = max(largest, box.area)
        if box.area < Self.minimumRemainder * largest, Self.isInside(box, width, height) {
            self = DisplacementTest(from: box)
        }
    }

    /// Returns the smaller displacement of two opposite sides; 0 if they move in different directions. A side at the
    /// border is ignored.
    private static func displacement(
        _ from: (low: Double, high: Double), _ to: (low: Double, high: Double), within size: Double, margin: Double
    ) -> Double {
        let (low, high) = (to.low - from.low, to.high - from.high)
        if from.low <= margin || to.low <= margin { return abs(high) }
        if from.high >= size - margin || to.high >= size - margin { return abs(low) }
        return low * high > 0 ? min(abs(low), abs(high)) : 0
    }

    /// Returns whether no side is at the border. A margin is included, because the sides of propagated boxes are
    /// inexact while an object enters the picture.
    private static func isInside(_ box: Box, _ width: Int, _ height: Int) -> Bool {
        let (across, down) = (border * box.width, border * box.height)
        return box.minX > across && box.minY > down && box.maxX < Double(width) - across
            && box.maxY < Double(height) - down
    }
}
