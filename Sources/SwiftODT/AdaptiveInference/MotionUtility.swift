/// The utility of an inference due to motion that no track explains.
struct MotionUtility: Sendable {
    /// The utility of the full frame due to large moving objects.
    private(set) var ofFullFrame = 0.0
    /// The cells of ``CoverageAge`` with motion that a higher magnification may explain.
    private(set) var isMovingNearby: [Bool] = []

    /// Whether neither the tracked objects nor the camera move.
    var isStill: Bool { motion.isStill }

    /// Whether there is motion that no track explains.
    var isUnexplained: Bool { motion.isMoving.contains(true) }

    private var motion = CellMotion()

    /// The utility of a large new object. It exceeds the utility of a region that has not been inferred for long.
    private static let utilityOfLarge = 3.0
    /// The maximum time for which a moving region counts as one large object, in nanoseconds.
    private static let longestLarge: Nanoseconds = 1_000_000_000

    /// Updates the motion state with the next frame.
    ///
    /// - Parameter known: the states of all tracks.
    mutating func update(at plane: LumaPlane?, at time: Nanoseconds, besides known: [TrackerSnapshot.ObjectState]) {
        motion.update(at: plane, at: time, besides: known.map(\.box))
    }

    /// Separates large moving regions from small ones.
    ///
    /// A large object is detected in the full frame. A tile would cut the object or add nothing. If the motion persists
    /// and full-frame inference does not explain it, the region may consist of many small objects. With a fixed
    /// interval the separation is unnecessary, because the next full-frame inference follows soon.
    mutating func computeUtility(at time: Nanoseconds, because cause: InferencePolicy.Reason, in pyramid: RegionPyramid)
    {
        (ofFullFrame, isMovingNearby) = (0, motion.isMoving)
        guard cause != .interval, motion.isCalm else { return }
        let (width, height) = (pyramid.fullFrame.box.width, pyramid.fullFrame.box.height)
        for region in motion.regions where time.since(region.began) < Self.longestLarge {
            guard pyramid.visibility(ofSide: region.side(width: width, height: height), at: 0).isCertain else {
                continue
            }
            for cell in region.cells { isMovingNearby[cell] = false }
            ofFullFrame += Self.utilityOfLarge
        }
    }
}
