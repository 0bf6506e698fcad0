/// Whether a box has gone somewhere, as things do: all of it, and more ahead than to and fro. What sways, flickers, grows
/// or shrinks does not.
struct DisplacementTest {
    /// Whether it has.
    private(set) var isProof = false

    /// Whether nothing of it is where it first was any more, as nothing that only sways, however far.
    private(set) var hasLeft = false

    private var first: Box
    /// The latest of the points a step apart that it came by, and how long the way is by these.
    private var point: Box
    private var length = 0.0
    /// The largest area it has had since it has been proved.
    private var largest = 0.0

    /// What shrinks to less than this share of its area is the rest of a thing, or a place that was laid bare.
    private static let minimumRemainder = 0.25
    /// Both sides have to move by this share of the box's size, the root of its area.
    private static let minimum = 0.35
    /// What has become so many times larger or smaller is another thing, or a part of one.
    private static let maximumGrowth = 1.8
    /// The points' distance as such a share: what a box trembles by is less.
    private static let step = 0.15
    /// Share of the way that has to lead ahead.
    private static let straightness = 0.7
    /// A side this near to the picture's border, as a share of the box, shows only where the picture ends.
    private static let border = 0.05

    init(from box: Box) { (first, point) = (box, box) }

    /// The box is here now, in a picture of the given size.
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

    /// A small rest of what has been proved has to prove itself anew, unless the picture's border cuts it off.
    private mutating func advance(to box: Box, _ width: Int, _ height: Int) {
        hasLeft = hasLeft || box.intersection(first).isEmpty
        largest = max(largest, box.area)
        if box.area < Self.minimumRemainder * largest, Self.isInside(box, width, height) { self = DisplacementTest(from: box) }
    }

    /// How far both sides have gone the same way; of one that lies at the border only the other one counts.
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

    /// Whether all sides show where the thing ends, none of them where the picture does. Followed boxes are not exact: what comes in
    /// keeps a side a fraction of a pixel off the border.
    private static func isInside(_ box: Box, _ width: Int, _ height: Int) -> Bool {
        let (across, down) = (border * box.width, border * box.height)
        return box.minX > across && box.minY > down && box.maxX < Double(width) - across
            && box.maxY < Double(height) - down
    }
}
