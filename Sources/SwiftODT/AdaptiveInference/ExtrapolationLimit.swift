/// Limits the time for which a box is extrapolated without a detection.
///
/// The limit is proportional to the duration of the previous extrapolation divided by its error. It is shorter for
/// objects near each other, which are easily confused, and very short for overlapping objects. Objects that leave the
/// picture sideways also have a short limit, because little of them remains visible.
enum ExtrapolationLimit {
    /// The limit in seconds for a box that has not been extrapolated before.
    private static let first = 0.2
    /// The upper limit in seconds.
    private static let maximum = 4.0
    /// The limit in seconds for overlapping objects.
    private static let overlapping = 0.1
    /// The limit in seconds for objects whose longer side is cut by an edge of the picture. A narrow rest of an object
    /// soon leaves the picture.
    private static let leaving = 0.5
    /// The tolerated error (1 - IoU of the extrapolated box and the next detection) for objects near another one.
    private static let tolerance = 0.4
    /// The tolerated error for isolated objects.
    private static let toleranceAlone = 0.55
    /// The lower bound of the previous error, because detected boxes fluctuate.
    private static let minimumError = 0.02
    /// The minimum fraction of a box that an overlapping box covers.
    private static let cover = 0.1
    /// The maximum distance to a box that counts as near, relative to the larger width or height.
    private static let margin = 0.5
    /// The maximum distance to the picture's edge at which a box counts as cut, in plane pixels.
    private static let edge = 1.0
    /// The tolerance for timestamp jitter, in seconds.
    private static let slack = 0.01

    /// Returns whether an object's box has been extrapolated for too long.
    ///
    /// - Parameters:
    ///   - seconds: the time since the last inference.
    ///   - index: the index of the object in `places` and `boxes`.
    ///   - boxes: the current boxes of all `places`.
    ///   - picture: the visible area, in the same coordinates as the boxes.
    static func isReached(
        after seconds: Double, _ index: Int, of places: [TrackerSnapshot.ObjectState], at boxes: ContiguousArray<Box>,
        in picture: Box
    ) -> Bool {
        let place = places[index]
        guard place.carried.span > 0 else { return seconds >= first - slack }
        // The time in seconds until an error of 1, on the assumption that the error grows linearly.
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
