/// The utility of an inference due to motion that no track explains.
struct MotionUtility: Sendable {
    /// The utility of the full frame due to large moving objects.
    private(set) var ofFullFrame = 0.0
    /// For each cell of ``CoverageAge``, whether it has motion that inference at a higher magnification may explain.
    private(set) var isMovingNearby: [Bool] = []

    /// Whether neither the tracked objects nor the camera move.
    var isStill: Bool { motion.isStill }

    /// Whether there is motion that no track explains.
    var isUnexplained: Bool { motion.isMoving.contains(true) }

    private var motion = CellMotion()

    /// The utility of a full-frame inference for each large moving object. It exceeds the utility of a region that has
    /// not been inferred for long.
    private static let utilityOfLarge = 3.0
    /// The time in nanoseconds after which a moving region no longer counts as one large object, because full-frame
    /// inferences have not explained it.
    private static let longestLarge: Nanoseconds = 1_000_000_000

    /// Updates the motion state with the next frame.
    ///
    /// - Parameter known: the states of all tracks.
    mutating func update(at plane: LumaPlane?, at time: Nanoseconds, besides known: [TrackerSnapshot.ObjectState]) {
        motion.update(at: plane, at: time, besides: known.map(\.box))
    }

    /// Computes ``ofFullFrame`` and ``isMovingNearby``, separating large moving regions from small ones.
    ///
    /// A large object is detected in the full frame, while a tile would cut it. If the motion persists without being
    /// explained, the region may consist of many small objects, for which tiles are better. With a fixed inference
    /// interval nothing is separated, because the next full-frame inference follows soon.
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
