/// Limits the time for which a box is extrapolated without a detection.
///
/// The limit is proportional to the last extrapolation's duration divided by its error. It is shorter for objects near
/// each other, which are easily confused, and very short for overlapping ones. Objects that leave the image sideways
/// also have a short limit, because little of them remains visible.
enum ExtrapolationLimit {
    /// Limit in seconds for a box that has not been extrapolated yet.
    private static let first = 0.2
    /// Upper limit in seconds, and the limit for overlapping objects.
    private static let maximum = 4.0
    private static let overlapping = 0.1
    /// Limit in seconds for objects whose longer side is cut by an image edge. A narrow remainder soon leaves the
    /// image.
    private static let leaving = 0.5
    /// Tolerated loss of IoU between the extrapolated box and the next detection: for objects near another one, and for
    /// isolated ones.
    private static let tolerance = 0.4
    private static let toleranceAlone = 0.55
    /// Lower bound of the error, because detected boxes fluctuate.
    private static let minimumError = 0.02
    /// Share of a box that another one must cover to count as overlapping, and the margin relative to the size within
    /// which another box counts as near.
    private static let cover = 0.1
    private static let margin = 0.5
    /// Distance to the image edge, in plane pixels, within which a box counts as cut.
    private static let edge = 1.0
    /// Tolerance for timestamp jitter in seconds.
    private static let slack = 0.01

    /// Returns whether the object's box has been extrapolated for too long.
    /// - Parameters:
    ///   - seconds: time since the last inference.
    ///   - boxes: the current boxes of all `places`.
    ///   - picture: the visible area, in the same coordinates as the boxes.
    static func isReached(
        after seconds: Double, _ index: Int, of places: [TrackerSnapshot.ObjectState], at boxes: ContiguousArray<Box>,
        in picture: Box
    ) -> Bool {
        let place = places[index]
        guard place.carried.span > 0 else { return seconds >= first - slack }
        // Seconds per unit of error, assuming that the error grows linearly.
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
