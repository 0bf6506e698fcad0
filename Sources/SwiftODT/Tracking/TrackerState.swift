/// The state and implementation of a ``Tracker``. The functions are documented there.
///
/// A struct, because Swift then checks exclusive access once per call of ``Tracker`` instead of at each access in a
/// loop.
struct TrackerState: ~Copyable {
    var options: TrackerOptions

    var tracklets: ContiguousArray<Tracklet> = []
    var statistics = MotionStatistics()
    var history = FrameHistory()
    var events: [TrackEvent] = []
    var unconfirmed: [(label: Label?, score: Double)] = []
    var lostJustNow: [Track] = []
    /// The time of the latest frame.
    var now: Nanoseconds?
    /// The time of the frame to which the tracklets have been propagated.
    var settledTime: Nanoseconds = 0
    var pendingPlane: LumaPlane?
    var width = 0
    var height = 0
    var nextID = 1
    var nextKey = 1
    /// Whether this scene has no result yet. The objects of the first result are confirmed at once.
    var isSceneNew = true

    private(set) var isCut = false

    private var sceneCut = SceneCut()
    private var propagator = BoxPropagator()
    var matcher = Matcher()
    private var places = OcclusionVerifier()
    private(set) var lastResult: Nanoseconds?
    private(set) var lastCut: Nanoseconds?
    /// The start of the scene. Results for earlier frames belong to another scene.
    private var sceneBegan: Nanoseconds = 0
    private var resultPicture: (plane: LumaPlane, time: Nanoseconds)?

    init(options: TrackerOptions) { self.options = options }

    mutating func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?) {
        let time = time.clampedToRange
        if let now, time < now - 1_000_000_000 { reset(reason: .flush) }
        settle(followingImage: true)
        lostJustNow.removeAll(keepingCapacity: true)
        self.width = max(0, width)
        self.height = max(0, height)
        if now == nil { settledTime = time }
        now = max(time, now ?? time)
        pendingPlane = luma
        isCut = luma.map { sceneCut.isCut($0) } ?? false
        if isCut {
            endAll(reason: .lost)
            beginScene()
            lastCut = now
        }
        if history.isEmpty {
            settledTime = now ?? time
            history.append(time: settledTime, plane: luma, shift: .zero)
            sceneBegan = settledTime
        }
        endAged()
    }

    mutating func update(_ detections: [Detection], seenAt: Nanoseconds, region: InferredRegion?) {
        guard let now else { return }
        let time = min(seenAt.clampedToRange, now)
        if let lastResult, time < lastResult { return }
        if time == now { settle(followingImage: false) }
        // A result that is older than the history is applied to the oldest frame. A very slow detector thus still has
        // an effect.
        guard time >= sceneBegan, !history.isEmpty else { return }
        let index = history.index(at: time) ?? 0
        lastResult = time
        if index == history.count - 1, settledTime == history.time(index) {
            apply(detections, at: index, in: history.latestPlane, of: region)
            history.drop(first: index)
        } else {
            applyLate(detections, at: index, of: region)
        }
    }

    mutating func tracks() -> [Track] {
        settle(followingImage: true)
        // Avoids the array allocation below if the scene is empty.
        if tracklets.isEmpty { return lostJustNow }
        let moment = moment
        var shown: [Track] = []
        shown.reserveCapacity(tracklets.count + lostJustNow.count)
        tracklets.withUnsafeBufferPointer { tracklets in
            for index in tracklets.indices where tracklets[index].isReported {
                shown.append(Track(of: tracklets.baseAddress! + index, at: moment))
            }
        }
        shown.append(contentsOf: lostJustNow)
        return shown
    }

    func places(where isMeant: (LabelVotes) -> Bool) -> [Box] {
        tracklets.indices.filter { !tracklets[$0].occlusion.isAbsent && isMeant(tracklets[$0].votes) }
            .map { tracklets[$0].shownBox(at: settledTime) }
    }

    var trackCount: Int { tracklets.indices.count { tracklets[$0].isReported } + lostJustNow.count }

    mutating func takeEvents() -> [TrackEvent] {
        if events.isEmpty { return [] }
        defer { events.removeAll() }
        return events
    }

    mutating func reset(reason: TrackEvent.Reason) {
        lostJustNow.removeAll()
        endAll(reason: reason)
        lostJustNow.removeAll()
        beginScene()
        (now, lastCut) = (nil, nil)
        pendingPlane = nil
        sceneCut.reset()
    }

    private mutating func beginScene() {
        history.removeAll()
        propagator.forgetPictures()
        places.forget()
        resultPicture = nil
        lastResult = nil
        isSceneNew = true
    }

    /// Propagates the tracklets to the latest frame.
    ///
    /// - Parameter followingImage: `false` if a result for the latest frame follows. The image motion of each box is
    ///   then not measured, because the result corrects the boxes.
    mutating func settle(followingImage: Bool) {
        guard let now, settledTime < now, !history.isEmpty else { return }
        let needsImage =
            options.heuristics.contains(.imageMotion) && pendingPlane != nil && !tracklets.isEmpty
            && (followingImage || tracklets.indices.contains { tracklets[$0].misses > 0 })
        let step = statistics.step(over: now - settledTime)
        if followingImage { history.recordLatest(tracklets) }
        propagator.begin(from: needsImage ? history.latestPlane : nil, to: pendingPlane, by: step)
        propagator.carry(&tracklets, followingImage: followingImage)
        history.append(time: now, plane: pendingPlane, shift: propagator.shift)
        // If a result for this frame follows, the states are recorded after the result has been applied.
        if followingImage { history.record(tracklets, moves: propagator.moves, at: history.count - 1) }
        settledTime = now
    }

    private mutating func apply(
        _ detections: [Detection], at index: Int, in plane: LumaPlane?, of region: InferredRegion?
    ) {
        let time = history.time(index)
        // Uses a buffer pointer, because tracklets are large and a copy is slow.
        tracklets.withUnsafeBufferPointer {
            matcher.match(detections, of: region, in: plane, with: $0, at: time, options: options)
        }
        if matcher.shift != .zero {
            let step = history.secondsSinceResult(at: time)
            for index in tracklets.indices {
                tracklets[index].followCamera(matcher.shift, over: step, heuristics: options.heuristics)
            }
        }
        statistics.heuristics = options.heuristics
        let jitter = statistics.jitter
        statistics.expect(matcher.pairs.count)
        for index in matcher.pairs.indices {
            let pair = matcher.pairs[index]
            tracklets[pair.track].confirm(
                by: pair.detection, called: detections[pair.detection.source].label,
                appearance: matcher.appearances.clear(pair.detection), at: time, jitter: jitter,
                magnification: region?.magnification ?? 1, teaching: &statistics)
        }
        processMatches(detections, at: time, after: history.time(max(0, index - 1)), region: region)
        places.verifyAll(
            at: &tracklets, in: plane, after: resultPicture, time: time, maxAge: max(0, options.maxAge), width: width,
            height: height)
        resultPicture = plane.map { ($0, time) }
    }

    /// Applies a result for an earlier frame: restores the states in that frame, applies the result, and repeats the
    /// propagation to the latest frame.
    private mutating func applyLate(_ detections: [Detection], at index: Int, of region: InferredRegion?) {
        let shown = tracklets.map { (key: $0.key, box: $0.shownBox(at: settledTime)) }
        let entry = history[index]
        for number in tracklets.indices {
            guard let carried = entry.carried(tracklets[number].key) else { continue }
            (tracklets[number].filter, tracklets[number].lead) = (carried.filter, carried.lead)
        }
        apply(detections, at: index, in: entry.plane, of: region)
        history.record(tracklets, moves: [], at: index)
        replay(from: index)
        history.drop(first: index)
        var number = 0
        for index in tracklets.indices {
            while number < shown.count, shown[number].key < tracklets[index].key { number += 1 }
            guard number < shown.count, shown[number].key == tracklets[index].key else { continue }
            tracklets[index].glide(from: shown[number].box, at: settledTime)
        }
    }

    /// Repeats the propagation from a history entry to the latest frame. Boxes of known tracks move by their recorded
    /// image motion. The image motion of new tracks is measured now. If there are many frames, a step covers several of
    /// them. The number of measurements is thus bounded, and a very late result does not delay the current frame.
    private mutating func replay(from index: Int) {
        let last = history.count - 1
        let stride = max(1, (last - index + TrackerTuning.replaySteps - 1) / TrackerTuning.replaySteps)
        var lastFollowed = history[index]
        var shift = SIMD2<Double>.zero
        for next in index + 1..<history.count {
            let entry = history[next]
            propagator.replay(&tracklets, along: entry, by: statistics.step(over: entry.time - history.time(next - 1)))
            history.record(tracklets, moves: propagator.moves, at: next)
            shift += entry.shift
            guard next == last || (next - index) % stride == 0,
                tracklets.indices.contains(where: { entry.carried(tracklets[$0].key) == nil })
            else { continue }
            propagator.begin(
                from: lastFollowed.plane, to: entry.plane, by: statistics.step(over: entry.time - lastFollowed.time))
            propagator.followNewTracks(&tracklets, to: entry, shift: shift)
            (lastFollowed, shift) = (entry, .zero)
            history.move(tracklets, at: next)
        }
    }
}
