import Glibc

/// The state and implementation of a ``Tracker``. The functions are documented in ``Tracker``. The type is a struct,
/// because Swift then checks exclusive access once per call of ``Tracker`` instead of at each access in a loop.
struct TrackerState: ~Copyable {
    var options: TrackerOptions
    var tracklets: ContiguousArray<Tracklet> = []
    var statistics = MotionStatistics()
    var history = FrameHistory()
    var matcher = Matcher()
    var occlusionVerifier = OcclusionVerifier()
    var events: [TrackEvent] = []
    var unconfirmed: [(label: Label?, score: Double)] = []
    var lostJustNow: [Track] = []
    /// The time of the latest frame.
    private(set) var now: Nanoseconds?
    /// The time of the frame to which the tracklets have been propagated.
    private(set) var settledTime: Nanoseconds = 0
    var (width, height) = (0, 0)
    var (nextID, nextKey) = (1, 1)
    /// The running average of the scores of confirmed objects. It depends on the detector.
    var usualScore = 0.7

    private(set) var isCut = false
    private(set) var lastResult: Nanoseconds?
    private(set) var lastCut: Nanoseconds?
    /// The start of the scene. Results for earlier frames belong to another scene.
    private var sceneBegan: Nanoseconds = 0
    private var pendingPlane: LumaPlane?
    private var sceneCut = SceneCut()
    private var propagator = BoxPropagator()

    init(options: TrackerOptions) { self.options = options }

    mutating func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?) {
        let time = time.clampedToRange
        if let now, time < now - 1_000_000_000 { reset(reason: .flush) }
        settle(followingImage: true)
        lostJustNow.removeAll(keepingCapacity: true)
        (self.width, self.height) = (max(0, width), max(0, height))
        let current = max(time, now ?? time)
        (now, pendingPlane) = (current, luma)
        isCut = luma.map { sceneCut.isCut($0, hasTracks: !tracklets.isEmpty) } ?? false
        if isCut {
            endAll(reason: .lost)
            beginScene()
            lastCut = current
        }
        if history.entries.isEmpty {
            history.append(time: current, plane: luma, shift: .zero)
            (settledTime, sceneBegan) = (current, current)
        }
        endAged(at: current)
    }

    mutating func update(_ detections: [Detection], seenAt: Nanoseconds, region: InferredRegion?) {
        guard let now else { return }
        let time = min(seenAt.clampedToRange, now)
        if let lastResult, time < lastResult { return }
        if time == now { settle(followingImage: false) }
        guard time >= sceneBegan else { return }
        // A result older than the history is applied to the oldest frame, so a very slow detector still has an effect.
        let index = history.entries.lastIndex { $0.time <= time } ?? 0
        if index == history.entries.count - 1 {
            apply(detections, at: index, of: region)
        } else {
            applyLate(detections, at: index, of: region)
        }
        history.drop(first: index)
        lastResult = time
    }

    /// - Parameter areCurrent: whether only ``Tracker/currentTracks`` are returned.
    mutating func tracks(areCurrent: Bool = false) -> [Track] {
        settle(followingImage: true)
        let indices = tracklets.indices.filter { tracklets[$0].isReported && (!areCurrent || isCurrent($0)) }
        var shown = indices.map { track($0) }
        if !areCurrent { shown.append(contentsOf: lostJustNow) }
        return shown
    }

    private func isCurrent(_ index: Int) -> Bool {
        let age = settledTime - tracklets[index].lastSeen
        if tracklets[index].misses == 0 { return true }
        guard options.heuristics.contains(.briefMisses), age <= TrackerTuning.occlusionTime else { return false }
        let box = tracklets[index].shownBox(at: settledTime)
        return age <= TrackerTuning.missTime
            || tracklets.indices.contains {
                let front = tracklets[$0].shownBox(at: settledTime)
                return tracklets[$0].misses == 0 && tracklets[$0].isReported && front.maxY > box.maxY
                    && front.intersection(box).area > TrackerTuning.coveredShare * box.area
            }
    }

    /// Returns the state of a track in the latest frame. Reads single fields, because a tracklet is large.
    @inline(__always)
    func track(_ index: Int) -> Track {
        let age = max(0, (now ?? settledTime) - tracklets[index].lastSeen)
        let isCoasting = tracklets[index].misses > 0
        let detected = isCoasting || age == 0 ? nil : tracklets[index].lastBox
        let box = tracklets[index].shownBox(at: settledTime).attached(toBordersOf: detected, width, height, limit: 1)
        let decay = isCoasting ? exp(-2 * Double(age) / Double(max(1, options.maxAge))) : 1
        return Track(
            id: tracklets[index].id, box: box,
            score: tracklets[index].strongScore, decayedScore: tracklets[index].score * decay,
            label: tracklets[index].votes.winner,
            state: isCoasting ? .coasting : tracklets[index].isNew ? .new : .tracked,
            firstSeen: tracklets[index].knownSince, lastSeen: tracklets[index].lastSeen, timeSinceUpdate: age,
            velocityX: tracklets[index].filter.velocity.x, velocityY: tracklets[index].filter.velocity.y,
            origin: age == 0 ? tracklets[index].origin : nil)
    }

    mutating func snapshot() -> TrackerSnapshot? {
        guard now != nil else { return nil }
        settle(followingImage: true)
        let (time, plane) = (settledTime, history.entries.last?.plane)
        // The frame of the latest result is the oldest entry. Its states are recorded only after the next frame.
        let detected = history.entries.first.flatMap { $0.time == lastResult ? $0 : nil }
        var places: [TrackerSnapshot.ObjectState] = []
        places.reserveCapacity(tracklets.count)
        for index in tracklets.indices {
            let box = tracklets[index].shownBox(at: time)
            let known = lastResult == time ? nil : detected?.carried(tracklets[index].key)
            let detectedBox = known.map { Box($0.filter.position + $0.lead) }
            if let lastResult, tracklets[index].lastSeen == lastResult,
                tracklets[index].impression?.time != lastResult, let picture = detected?.plane,
                let seen = lastResult == time ? box : detectedBox
            {
                tracklets[index].impression = (Appearance(of: seen, in: picture), lastResult)
            }
            if tracklets[index].occlusion.isAbsent { continue }
            places.append(
                TrackerSnapshot.ObjectState(
                    box: box, detectedBox: detectedBox, isConfirmed: tracklets[index].isConfirmed,
                    misses: tracklets[index].misses, lastSeen: tracklets[index].lastSeen,
                    observedMagnification: tracklets[index].observedMagnification, carried: tracklets[index].carried,
                    similarity: tracklets[index].similarity(at: time, in: plane)))
        }
        return TrackerSnapshot(lastResult: lastResult, lastCut: lastCut, places: places)
    }

    mutating func reset(reason: TrackEvent.Reason) {
        endAll(reason: reason)
        lostJustNow.removeAll()
        beginScene()
        (now, lastCut, pendingPlane) = (nil, nil, nil)
        sceneCut.reset()
    }

    private mutating func beginScene() {
        history.drop(first: history.entries.count)
        propagator = BoxPropagator()
        occlusionVerifier = OcclusionVerifier()
        lastResult = nil
    }

    /// Propagates the tracklets to the latest frame. `followingImage` is `false` if a result for the latest frame
    /// follows. The result will correct the boxes, so their image motion is measured only in key frames, for which
    /// velocities predict badly, and the states are recorded later.
    mutating func settle(followingImage: Bool) {
        guard let now, settledTime < now else { return }
        let isFollowed = followingImage || now - settledTime >= TrackerTuning.keyFrameDistance
        let needsImage =
            options.heuristics.contains(.imageMotion) && pendingPlane != nil && !tracklets.isEmpty
            && (isFollowed || tracklets.indices.contains { tracklets[$0].misses > 0 })
        if followingImage { history.recordLatest(tracklets) }
        let step = statistics.step(over: now - settledTime, heuristics: options.heuristics)
        propagator.begin(from: needsImage ? history.entries.last?.plane : nil, to: pendingPlane, by: step)
        propagator.carry(&tracklets, followingImage: isFollowed)
        history.append(time: now, plane: pendingPlane, shift: propagator.shift)
        if followingImage { history.recordLatest(tracklets) }
        settledTime = now
    }

    /// Restores the states in an earlier frame, applies its result, and repeats the propagation to the latest frame.
    private mutating func applyLate(_ detections: [Detection], at index: Int, of region: InferredRegion?) {
        let shown = Dictionary(uniqueKeysWithValues: tracklets.map { ($0.key, $0.shownBox(at: settledTime)) })
        let entry = history.entries[index]
        for number in tracklets.indices {
            guard let carried = entry.carried(tracklets[number].key) else { continue }
            (tracklets[number].filter, tracklets[number].lead) = (carried.filter, carried.lead)
        }
        apply(detections, at: index, of: region)
        history.record(tracklets, at: index)
        propagator.replay(
            &tracklets, along: &history, from: index, statistics: statistics, heuristics: options.heuristics)
        for number in tracklets.indices {
            if let box = shown[tracklets[number].key] { tracklets[number].glide(from: box, at: settledTime) }
        }
    }
}
