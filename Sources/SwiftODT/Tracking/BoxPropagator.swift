/// Propagates the boxes of tracks from one frame to the next. Uses image motion if it is available, otherwise the
/// Kalman filters.
///
/// For tracks that the latest result missed, only the Kalman filter is used. Such objects are probably occluded, and
/// the image motion in their boxes belongs to the occluder.
struct BoxPropagator {
    /// The camera motion in pixels between the two frames, without the part that the velocities of the filters already
    /// contain (``pace``).
    private(set) var shift = SIMD2<Double>.zero

    private var motion: ImageMotion?
    private var step = BoxKalmanFilter.Step(seconds: 0, accelerationNoise: .zero, heuristics: TrackerHeuristics())
    private var boxes: ContiguousArray<Box> = []
    /// The recent velocity of the background in pixels per second. The velocities of the filters already contain it.
    private var pace: SIMD2<Double>?
    /// The latest two image pyramids. Consecutive pairs of frames share a pyramid, so each is built only once.
    private var pyramids: ContiguousArray<ImagePyramid> = []

    /// Starts the propagation between two frames. If a luma plane is missing, the Kalman filters alone propagate the
    /// boxes.
    mutating func begin(from: LumaPlane?, to: LumaPlane?, by step: BoxKalmanFilter.Step) {
        shift = .zero
        motion = nil
        self.step = step
        guard let from, let to, from !== to, from.width == to.width, from.height == to.height,
            min(from.width, from.height) >= 16, step.seconds > 0
        else { return }
        motion = ImageMotion(from: pyramid(from), to: pyramid(to))
    }

    mutating func forgetPictures() {
        motion = nil
        pyramids.removeAll()
        pace = nil
    }

    /// Propagates all tracklets to the second frame of ``begin(from:to:by:)``. The image motion of each box is measured
    /// only if `followingImage` is true, the camera motion in either case.
    mutating func carry(_ tracklets: inout ContiguousArray<Tracklet>, followingImage: Bool) {
        if motion == nil {
            for index in tracklets.indices {
                tracklets[index].filter.predict(by: step)
                tracklets[index].move = nil
            }
            return
        }
        if !tracklets.isEmpty { findShift(tracklets) }
        let budget = max(6, min(15, TrackerTuning.flowPoints / max(1, tracklets.count)))
        for index in tracklets.indices {
            let isSeen = followingImage && index * budget < TrackerTuning.flowPoints && tracklets[index].misses == 0
            let move = isSeen ? self.move(of: tracklets[index], points: budget) : nil
            advance(&tracklets[index], by: step, along: move)
        }
    }

    /// Repeats the propagation to the frame of `entry`, because a late result has changed the tracks. Tracks that
    /// `entry` does not contain are new. Their boxes stay unchanged.
    mutating func replay(
        _ tracklets: inout ContiguousArray<Tracklet>, along entry: FrameHistory.Entry, by step: BoxKalmanFilter.Step
    ) {
        shift = entry.shift
        for index in tracklets.indices {
            tracklets[index].move = nil
            guard let known = entry.carried(tracklets[index].key) else { continue }
            advance(&tracklets[index], by: step, along: known.move)
        }
    }

    /// Propagates the new tracks between the two frames of ``begin(from:to:by:)``. New tracks are those that `entry`,
    /// the second frame, does not contain.
    mutating func followNewTracks(
        _ tracklets: inout ContiguousArray<Tracklet>, to entry: FrameHistory.Entry, shift: SIMD2<Double>
    ) {
        self.shift = shift
        for index in tracklets.indices where entry.carried(tracklets[index].key) == nil {
            advance(&tracklets[index], by: step, along: move(of: tracklets[index], points: 9))
            tracklets[index].move = nil
        }
    }

    private mutating func advance(_ tracklet: inout Tracklet, by step: BoxKalmanFilter.Step, along move: BoxMove?) {
        tracklet.move = move
        if let move, step.seconds > 0 {
            // The track's image uncertainty applies only to the object's own motion. `carry` therefore gets the image
            // motion without the camera motion. The following call of `shift` adds the camera motion to the position,
            // and adapts the velocity to it within ``TrackerTuning/cameraMemory``.
            let own = BoxMove(x: move.x - shift.x, y: move.y - shift.y, scale: move.scale, deviation: move.deviation)
            tracklet.lead += tracklet.filter.carry(own, by: step, uncertainty: tracklet.imageUncertainty)
            tracklet.filter.shift(shift, faster: shift / max(step.seconds, TrackerTuning.cameraMemory))
            tracklet.imageUncertainty.noteMove()
        } else {
            tracklet.filter.predict(by: step)
            tracklet.filter.shift(shift)
        }
    }

    private mutating func move(of tracklet: Tracklet, points: Int) -> BoxMove? {
        let guess = tracklet.filter.velocity.lowHalf * step.seconds + shift
        return motion?.move(of: tracklet.filter.box, guess: guess, points: points)
    }

    private mutating func findShift(_ tracklets: ContiguousArray<Tracklet>) {
        boxes.removeAll(keepingCapacity: true)
        for index in tracklets.indices.prefix(100) { boxes.append(tracklets[index].filter.box) }
        guard let background = motion?.backgroundShift(around: boxes) else { return }
        let seen = background / step.seconds
        let usual = pace ?? seen
        shift = background - usual * step.seconds
        pace = usual + (seen - usual) * min(1, step.seconds / TrackerTuning.cameraMemory)
    }

    private mutating func pyramid(_ plane: LumaPlane) -> ImagePyramid {
        if let known = pyramids.first(where: { $0.plane === plane }) { return known }
        if pyramids.count < 2 {
            pyramids.append(ImagePyramid(plane))
        } else {
            var oldest = pyramids.removeFirst()
            let isReused = isKnownUniquelyReferenced(&oldest) && oldest.take(plane)
            pyramids.append(isReused ? oldest : ImagePyramid(plane))
        }
        return pyramids[pyramids.count - 1]
    }
}
