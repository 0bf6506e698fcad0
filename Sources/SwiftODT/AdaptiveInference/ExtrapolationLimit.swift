/// Limits how long a box is extrapolated without a detection.
///
/// The limit is the time in which the error of the box reaches a tolerance. The error is assumed to grow as fast as in
/// the object's previous extrapolation. The tolerance is smaller for objects near each other, which are easily
/// confused. Overlapping objects have a short fixed limit (``overlappingLimit``). Objects that are leaving the picture
/// have another fixed limit (``leavingLimit``).
enum ExtrapolationLimit {
    /// The limit in seconds for an object whose box has not been extrapolated before.
    private static let initialLimit = 0.2
    private static let maximumLimit = 4.0
    private static let overlappingLimit = 0.1
    /// The limit in seconds for objects with one of their longer sides at the picture's edge. Such an object may be
    /// visible only as a narrow strip.
    private static let leavingLimit = 0.5
    /// The tolerated error for objects near another object. An error is 1 minus the IoU of the extrapolated box and the
    /// next detection.
    private static let tolerance = 0.4
    private static let toleranceOfIsolated = 0.55
    /// The lower bound for the measured error of the previous extrapolation. Detected boxes always fluctuate, so a
    /// smaller measured error is accidental and would make the limit too long.
    private static let minimumError = 0.02
    /// A box counts as overlapping if another box covers more than this fraction of it.
    private static let minimumOverlap = 0.1
    /// The maximum gap between two boxes that count as near each other. A horizontal gap is relative to the larger
    /// width of the two boxes, a vertical gap to the larger height.
    private static let margin = 0.5
    /// The picture's edge counts as cutting a box if the distance between them is at most this value, in pixels of the
    /// luma plane.
    private static let edge = 1.0
    private static let jitterTolerance = 0.01

    /// Returns whether the box of the object at `index` has been extrapolated for so long that a new detection is
    /// needed. `picture` is the visible area in the coordinates of `boxes`.
    static func isReached(
        after seconds: Double, _ index: Int, of places: [TrackerSnapshot.ObjectState], at boxes: ContiguousArray<Box>,
        in picture: Box
    ) -> Bool {
        let place = places[index]
        guard place.carried.span > 0 else { return seconds >= initialLimit - jitterTolerance }
        // The time in seconds until the error is 1, if it grows as fast as in the previous extrapolation.
        let scale = Double(place.carried.span) / 1e9 / max(place.carried.error, minimumError)
        if seconds >= min(maximumLimit, scale * toleranceOfIsolated) - jitterTolerance { return true }
        let box = boxes[index]
        if seconds >= leavingLimit - jitterTolerance, isCutAlong(box, by: picture) { return true }
        let isClose = seconds >= scale * tolerance - jitterTolerance
        guard isClose || seconds >= overlappingLimit - jitterTolerance else { return false }
        for other in boxes.indices where other != index {
            if isClose, near(boxes[other], box) { return true }
            if boxes[other].intersection(box).area > minimumOverlap * box.area { return true }
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
