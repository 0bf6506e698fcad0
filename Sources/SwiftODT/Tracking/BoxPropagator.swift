/// Propagates the boxes of tracks from one frame to the next, by image motion if it is available, otherwise by the
/// Kalman filters. Missed objects follow only the filters: the motion in their boxes probably belongs to an occluder.
struct BoxPropagator {
    /// The camera motion in pixels between the two frames, without the ``pace`` that the filters already contain.
    private(set) var shift = SIMD2<Double>.zero

    private var motion: ImageMotion?
    private var step = BoxKalmanFilter.Step()
    private var boxes: ContiguousArray<Box> = []
    /// The recent velocity of the background in pixels per second, and the time in seconds since its measurement. The
    /// velocities of the filters already contain it.
    private var pace = (velocity: SIMD2<Double>.zero, age: Double.infinity)
    /// The latest two image pyramids. Consecutive pairs of frames share a pyramid, so each is built only once.
    private var pyramids: ContiguousArray<ImagePyramid> = []

    mutating func begin(from: LumaPlane?, to: LumaPlane?, by step: BoxKalmanFilter.Step) {
        (shift, motion, self.step) = (.zero, nil, step)
        guard let from, let to, from !== to, from.width == to.width, from.height == to.height,
            min(from.width, from.height) >= 16, step.seconds > 0
        else { return }
        motion = ImageMotion(from: pyramid(from), to: pyramid(to))
    }

    /// Always measures the camera motion, but the image motion of each box only if `followingImage` is true.
    mutating func carry(_ tracklets: inout ContiguousArray<Tracklet>, followingImage: Bool) {
        pace.age += step.seconds
        if motion != nil, !tracklets.isEmpty { findShift(tracklets) }
        let points = max(6, min(15, TrackerTuning.flowPoints / max(1, tracklets.count)))
        var left = motion != nil && followingImage ? TrackerTuning.flowPoints : 0
        // Tentative tracks come first, because their velocities are unknown.
        for isConfirmed in [false, true] {
            for index in tracklets.indices where tracklets[index].isConfirmed == isConfirmed {
                let isFollowed = left > 0 && tracklets[index].misses == 0
                if isFollowed { left -= points }
                advance(&tracklets[index], along: isFollowed ? move(of: tracklets[index], points: points) : nil)
            }
        }
    }

    /// After a late result, repeats the propagation from a history entry to the latest frame. Known tracks move by their
    /// recorded image motion. The history does not contain new tracks, so their image motion is measured now. The
    /// number of measurements is bounded, so one measurement may cover several frames.
    mutating func replay(
        _ tracklets: inout ContiguousArray<Tracklet>, along history: inout FrameHistory, from index: Int,
        statistics: MotionStatistics, heuristics: TrackerHeuristics
    ) {
        let last = history.entries.count - 1
        let stride = max(1, (last - index + TrackerTuning.replaySteps - 1) / TrackerTuning.replaySteps)
        var lastFollowed = history.entries[index]
        var shiftSince = SIMD2<Double>.zero
        for next in index + 1..<history.entries.count {
            let entry = history.entries[next]
            step = statistics.step(over: entry.time - history.entries[next - 1].time, heuristics: heuristics)
            shift = entry.shift
            var hasNewTracks = false
            for number in tracklets.indices {
                tracklets[number].move = nil
                if let known = entry.carried(tracklets[number].key) {
                    advance(&tracklets[number], along: known.move)
                } else {
                    hasNewTracks = true
                }
            }
            shiftSince += entry.shift
            if hasNewTracks, next == last || (next - index) % stride == 0 {
                let step = statistics.step(over: entry.time - lastFollowed.time, heuristics: heuristics)
                begin(from: lastFollowed.plane, to: entry.plane, by: step)
                shift = shiftSince
                for number in tracklets.indices where entry.carried(tracklets[number].key) == nil {
                    advance(&tracklets[number], along: move(of: tracklets[number], points: 9))
                    tracklets[number].move = nil
                }
                (lastFollowed, shiftSince) = (entry, .zero)
            }
            history.record(tracklets, at: next)
        }
    }

    private mutating func advance(_ tracklet: inout Tracklet, along move: BoxMove?) {
        tracklet.move = move
        if let move, step.seconds > 0 {
            // The track's image uncertainty applies only to the object's own motion. `carry` therefore gets the image
            // motion without the camera motion, which `shift` adds.
            let own = BoxMove(x: move.x - shift.x, y: move.y - shift.y, scale: move.scale, deviation: move.deviation)
            tracklet.lead += tracklet.filter.carry(own, by: step, uncertainty: tracklet.imageUncertainty)
            tracklet.filter.shift(shift, faster: shift / max(step.seconds, TrackerTuning.cameraMemory))
            tracklet.imageUncertainty.isToBeJudged = true
        } else {
            tracklet.filter.predict(by: step)
            tracklet.filter.shift(shift)
        }
    }

    private mutating func move(of tracklet: Tracklet, points: Int) -> BoxMove? {
        let box = Box(tracklet.filter.position + tracklet.lead)
        let guess = tracklet.filter.velocity.lowHalf * step.seconds + shift
        let move = motion?.move(of: box, guess: guess, points: points)
        guard move == nil, step.seconds >= Double(TrackerTuning.keyFrameDistance) / 1e9 else { return move }
        return motion?.move(of: box, guess: shift, points: points)
    }

    private mutating func findShift(_ tracklets: ContiguousArray<Tracklet>) {
        boxes.removeAll(keepingCapacity: true)
        for index in tracklets.indices.prefix(100) { boxes.append(tracklets[index].filter.box) }
        guard let background = motion?.backgroundShift(around: boxes) else { return }
        let seen = background / step.seconds
        // The motion is measured only while it is needed. After a pause, the filters have adapted to it.
        let usual = pace.age > TrackerTuning.cameraMemory ? seen : pace.velocity
        shift = background - usual * step.seconds
        pace = (usual + (seen - usual) * min(1, pace.age / TrackerTuning.cameraMemory), 0)
    }

    private mutating func pyramid(_ plane: LumaPlane) -> ImagePyramid {
        if let known = pyramids.first(where: { $0.plane === plane }) { return known }
        var oldest: ImagePyramid? = pyramids.count < 2 ? nil : pyramids.removeFirst()
        if !isKnownUniquelyReferenced(&oldest) || oldest?.take(plane) != true { oldest = nil }
        let pyramid = oldest ?? ImagePyramid(plane)
        pyramids.append(pyramid)
        return pyramid
    }
}
