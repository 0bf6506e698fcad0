/// Notices a camera that turns so slowly that its background seems to hold: pictures half a second apart are compared.
///
/// Costs some tenths of a millisecond each time, nothing in between.
struct CameraDrift {
    /// Whether it did when it was last looked.
    private(set) var isMoving = false

    private var before: (pyramid: ImagePyramid, time: Nanoseconds)?

    /// From look to look, and how far the background may seem to move meanwhile, in pixels of the plane.
    private static let step: Nanoseconds = 500_000_000
    private static let still = 0.6

    /// - Parameter boxes: where things are that may move, in buffer pixels.
    mutating func update(at plane: LumaPlane, time: Nanoseconds, around boxes: [Box]) {
        if let before, time >= before.time, time - before.time < Self.step { return }
        let pyramid = ImagePyramid(plane)
        defer { before = (pyramid, time) }
        guard let previous = before?.pyramid, previous.plane.width == plane.width, previous.plane.height == plane.height,
            min(plane.width, plane.height) >= 16
        else { return }
        var motion = ImageMotion(from: previous, to: pyramid)
        let shift = motion.backgroundShift(around: ContiguousArray(boxes))
        isMoving = max(abs(shift.x) / plane.scaleX, abs(shift.y) / plane.scaleY) > Self.still
    }

    mutating func forget() { (before, isMoving) = (nil, false) }
}
