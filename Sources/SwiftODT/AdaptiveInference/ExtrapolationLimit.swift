/// For how long a box may be carried before it is looked at again.
///
/// As long as it was carried before, the longer the better that went. Those who are near each other are easily taken for each
/// other: they are carried for less long, and those who overlap for a moment only. Of whoever leaves the picture sideways little
/// is left to carry the box by.
enum ExtrapolationLimit {
    /// Seconds for one whose box has not been carried yet.
    private static let first = 0.2
    /// Seconds at most, and for those who overlap.
    private static let maximum = 4.0
    private static let overlapping = 0.1
    /// And for those whom an edge along their longer side cuts: a narrow piece is soon out.
    private static let leaving = 0.5
    /// What may be missing of the overlap with where the object is found then: of those who are near another, and of others.
    private static let tolerance = 0.4
    private static let toleranceAlone = 0.55
    /// Errors are as large at least: boxes tremble.
    private static let minimumError = 0.02
    /// Share of a box that another one covers where they overlap; by how much of its size each is widened to be near.
    private static let cover = 0.1
    private static let margin = 0.5
    /// Pixels of the plane within which a box ends with the picture.
    private static let edge = 1.0
    /// Frames come a little early or late.
    private static let slack = 0.01

    /// - Parameters:
    ///   - seconds: since it was looked at last.
    ///   - boxes: where all `places` are now.
    ///   - picture: what is seen, as the boxes have it.
    static func isReached(
        after seconds: Double, _ index: Int, of places: [TrackerSnapshot.ObjectState], at boxes: ContiguousArray<Box>,
        in picture: Box
    ) -> Bool {
        let place = places[index]
        guard place.carried.span > 0 else { return seconds >= first - slack }
        // What it would be if errors grew as they did.
        let scale = Double(place.carried.span) / 1e9 / max(place.carried.error, minimumError)
        if seconds >= min(maximum, scale * toleranceAlone) - slack { return true }
        let box = boxes[index]
        if seconds >= leaving - slack, isCutAlong(box, by: picture) { return true }
        let isClose = seconds >= scale * tolerance - slack
        guard isClose || seconds >= overlapping - slack else { return false }
        for other in boxes.indices where other != index {
            if isClose, near(boxes[other], box) { return true }
            if boxes[other].intersection(box).area > cover * box.area { return true }
        }
        return false
    }

    private static func isCutAlong(_ box: Box, by picture: Box) -> Bool {
        box.width <= box.height
            ? box.minX <= picture.minX + edge || box.maxX >= picture.maxX - edge
            : box.minY <= picture.minY + edge || box.maxY >= picture.maxY - edge
    }

    private static func near(_ one: Box, _ other: Box) -> Bool {
        let (across, down) = (margin * max(one.width, other.width), margin * max(one.height, other.height))
        return one.minX - across < other.maxX && other.minX - across < one.maxX && one.minY - down < other.maxY
            && other.minY - down < one.maxY
    }
}
