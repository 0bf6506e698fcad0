/// What a look would tell of what moves and no known object explains.
struct MotionUtility: Sendable {
    /// What the whole tells of large things that move, for the moment.
    private(set) var ofFullFrame = 0.0
    /// The cells of ``CoverageAge`` where a nearer look may tell what moves there.
    private(set) var isMovingNearby: [Bool] = []

    /// Whether nothing moves where objects are known, nor the camera.
    var isStill: Bool { motion.isStill }

    /// Whether something moves that no known object explains.
    var isUnexplained: Bool { motion.isMoving.contains(true) }

    private var motion = CellMotion()

    /// Somebody large has come: that is worth more than a part that nobody has seen for long.
    private static let utilityOfLarge = 3.0
    /// For how long one large thing is expected where something moves.
    private static let longestLarge: Nanoseconds = 1_000_000_000

    /// - Parameter known: the objects, in buffer pixels.
    mutating func update(at plane: LumaPlane?, at time: Nanoseconds, besides known: [TrackerSnapshot.ObjectState]) {
        motion.update(at: plane, at: time, besides: known.map(\.box))
    }

    /// Tells what is large from the rest. It is seen in the whole, and at once; a part would cut it, or show no more of it. Only what keeps
    /// moving and is not explained by that may turn out to be many small things. Where each frame is looked at that can wait: a look at the
    /// whole is never far.
    mutating func computeUtility(at time: Nanoseconds, because cause: InferencePolicy.Reason, in views: RegionPyramid) {
        (ofFullFrame, isMovingNearby) = (0, motion.isMoving)
        guard cause != .interval, motion.isCalm else { return }
        let (width, height) = (views.fullFrame.box.width, views.fullFrame.box.height)
        for region in motion.regions where time.since(region.began) < Self.longestLarge {
            guard views.visibility(ofSide: region.side(width: width, height: height), at: 0).isCertain else { continue }
            for cell in region.cells { isMovingNearby[cell] = false }
            ofFullFrame += Self.utilityOfLarge
        }
    }
}
