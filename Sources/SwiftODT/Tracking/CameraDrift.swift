/// Detects a camera that turns too slowly to notice from frame to frame, by comparing pictures half a second apart.
struct CameraDrift {
    /// Whether the camera moved between the latest two compared pictures.
    private(set) var isMoving = false

    private var before: (pyramid: ImagePyramid, time: Nanoseconds)?

    /// The interval of the comparisons, and the background motion up to which the camera counts as still, in plane
    /// pixels.
    private static let step: Nanoseconds = 500_000_000
    private static let still = 0.6

    /// - Parameter boxes: the areas of moving objects, in buffer pixels.
    mutating func update(at plane: LumaPlane, time: Nanoseconds, around boxes: [Box]) {
        if let before, time >= before.time, time - before.time < Self.step { return }
        let pyramid = ImagePyramid(plane)
        defer { before = (pyramid, time) }
        guard let previous = before?.pyramid, previous.plane.width == plane.width,
            previous.plane.height == plane.height,
            min(plane.width, plane.height) >= 16
        else { return }
        var motion = ImageMotion(from: previous, to: pyramid)
        let shift = motion.backgroundShift(around: ContiguousArray(boxes))
        isMoving = max(abs(shift.x) / plane.scaleX, abs(shift.y) / plane.scaleY) > Self.still
    }

    mutating func forget() { (before, isMoving) = (nil, false) }
}
