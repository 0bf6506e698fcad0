import Glibc

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

    private(set) var isCut = false

    private var sceneCut = SceneCut()
    private var propagator = BoxPropagator()
    var matcher = Matcher()
    var occlusionVerifier = OcclusionVerifier()
    private(set) var lastResult: Nanoseconds?
    private(set) var lastCut: Nanoseconds?
    /// The start of the scene. Results for earlier frames belong to another scene.
    private var sceneBegan: Nanoseconds = 0

    init(options: TrackerOptions) { self.options = options }

    mutating func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?) {
        let time = time.clampedToRange
        if let now, time < now - 1_000_000_000 { reset(reason: .flush) }
        settle(followingImage: true)
        lostJustNow.removeAll(keepingCapacity: true)
        self.width = max(0, width)
        self.height = max(0, height)
        now = max(time, now ?? time)
        pendingPlane = luma
        isCut = luma.map { sceneCut.isCut($0) } ?? false
        if isCut {
            endAll(reason: .lost)
            beginScene()
            lastCut = now
        }
        if history.entries.isEmpty {
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
        guard time >= sceneBegan, !history.entries.isEmpty else { return }
        let index = history.entries.lastIndex { $0.time <= time } ?? 0
        if index == history.entries.count - 1 {
            apply(detections, at: index, of: region)
        } else {
            applyLate(detections, at: index, of: region)
        }
        history.drop(first: index)
        lastResult = time
    }

    mutating func tracks() -> [Track] {
        settle(followingImage: true)
        // Avoids the array allocation below if the scene is empty.
        if tracklets.isEmpty { return lostJustNow }
        var shown: [Track] = []
        shown.reserveCapacity(tracklets.count + lostJustNow.count)
        for index in tracklets.indices where tracklets[index].isReported { shown.append(track(index)) }
        shown.append(contentsOf: lostJustNow)
        return shown
    }

    /// Returns the state of a track in the latest frame. Reads single fields, because a tracklet is large.
    @inline(__always)
    func track(_ index: Int) -> Track {
        let now = now ?? settledTime
        let age = max(0, now - tracklets[index].lastSeen)
        let isCoasting = tracklets[index].misses > 0
        let decay = isCoasting ? exp(-2 * Double(age) / Double(max(1, options.maxAge))) : 1
        return Track(
            id: tracklets[index].id, box: tracklets[index].shownBox(at: settledTime),
            score: tracklets[index].strongScore, decayedScore: tracklets[index].score * decay,
            label: tracklets[index].votes.winner,
            state: isCoasting ? .coasting : tracklets[index].isNew ? .new : .tracked,
            firstSeen: tracklets[index].knownSince, lastSeen: tracklets[index].lastSeen, timeSinceUpdate: age,
            velocityX: tracklets[index].filter.velocity.x, velocityY: tracklets[index].filter.velocity.y,
            origin: tracklets[index].lastSeen == now ? tracklets[index].origin : nil)
    }

    mutating func reset(reason: TrackEvent.Reason) {
        endAll(reason: reason)
        lostJustNow.removeAll()
        beginScene()
        (now, lastCut) = (nil, nil)
        pendingPlane = nil
        sceneCut.reset()
    }

    private mutating func beginScene() {
        history.drop(first: history.entries.count)
        propagator.forgetPictures()
        occlusionVerifier.forget()
        lastResult = nil
    }

    /// Propagates the tracklets to the latest frame.
    ///
    /// - Parameter followingImage: `false` if a result for the latest frame follows. The image motion of each box is
    ///   then not measured, because the result corrects the boxes.
    mutating func settle(followingImage: Bool) {
        guard let now, settledTime < now, !history.entries.isEmpty else { return }
        let needsImage =
            options.heuristics.contains(.imageMotion) && pendingPlane != nil && !tracklets.isEmpty
            && (followingImage || tracklets.indices.contains { tracklets[$0].misses > 0 })
        let step = statistics.step(over: now - settledTime)
        if followingImage { history.recordLatest(tracklets) }
        propagator.begin(from: needsImage ? history.latestPlane : nil, to: pendingPlane, by: step)
        propagator.carry(&tracklets, followingImage: followingImage)
        history.append(time: now, plane: pendingPlane, shift: propagator.shift)
        // If a result for this frame follows, the states are recorded after the result has been applied.
        if followingImage { history.record(tracklets, at: history.entries.count - 1) }
        settledTime = now
    }

    /// Applies a result for an earlier frame: restores the states in that frame, applies the result, and repeats the
    /// propagation to the latest frame.
    private mutating func applyLate(_ detections: [Detection], at index: Int, of region: InferredRegion?) {
        let shown = Dictionary(uniqueKeysWithValues: tracklets.map { ($0.key, $0.shownBox(at: settledTime)) })
        let entry = history.entries[index]
        for number in tracklets.indices {
            guard let carried = entry.carried(tracklets[number].key) else { continue }
            (tracklets[number].filter, tracklets[number].lead) = (carried.filter, carried.lead)
        }
        apply(detections, at: index, of: region)
        history.record(tracklets, at: index)
        replay(from: index)
        for number in tracklets.indices {
            guard let box = shown[tracklets[number].key] else { continue }
            tracklets[number].glide(from: box, at: settledTime)
        }
    }

    /// Repeats the propagation from a history entry to the latest frame. Boxes of known tracks move by their recorded
    /// image motion. The image motion of new tracks is measured now. If there are many frames, a step covers several of
    /// them. The number of measurements is thus bounded, and a very late result does not delay the current frame.
    private mutating func replay(from index: Int) {
        let last = history.entries.count - 1
        let stride = max(1, (last - index + TrackerTuning.replaySteps - 1) / TrackerTuning.replaySteps)
        var lastFollowed = history.entries[index]
        var shift = SIMD2<Double>.zero
        for next in index + 1..<history.entries.count {
            let entry = history.entries[next]
            let step = statistics.step(over: entry.time - history.entries[next - 1].time)
            propagator.replay(&tracklets, along: entry, by: step)
            shift += entry.shift
            if next == last || (next - index) % stride == 0,
                tracklets.indices.contains(where: { entry.carried(tracklets[$0].key) == nil })
            {
                let step = statistics.step(over: entry.time - lastFollowed.time)
                propagator.begin(from: lastFollowed.plane, to: entry.plane, by: step)
                propagator.followNewTracks(&tracklets, to: entry, shift: shift)
                (lastFollowed, shift) = (entry, .zero)
            }
            history.record(tracklets, at: next)
        }
    }
}
