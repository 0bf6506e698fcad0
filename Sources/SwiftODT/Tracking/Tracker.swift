/// Follows objects from frame to frame: detections and time in, tracks with ids out.
///
/// For every frame in order call ``advance(to:width:height:luma:)``, then ``update(_:seenAt:)`` where a detector has
/// answered, then read ``tracks``. Used from one thread at a time.
///
/// All is reckoned in running time, so that one set of options serves any frame rate. Where no answer comes, boxes are
/// carried on by their filters and, where planes are given, by what is seen to move in the picture; an answer at every
/// frame costs no image motion at all.
public final class Tracker {
    /// May change at any time between calls.
    public var options: TrackerOptions

    var tracklets: ContiguousArray<Tracklet> = []
    var statistics = MotionStatistics()
    var history = FrameHistory()
    var events: [TrackEvent] = []
    var lostJustNow: [Track] = []
    /// The frame the latest `advance` spoke of, and the one the tracklets stand at.
    var now: Nanoseconds?
    var settledTime: Nanoseconds = 0
    var pendingPlane: LumaPlane?
    var width = 0
    var height = 0
    var nextID = 1
    var nextKey = 1
    /// Nothing has been seen in this scene: what comes first is shown at once.
    var isSceneNew = true

    private var sceneCut = SceneCut()
    private var carrier = BoxCarrier()
    private var matcher = Matcher()
    private var lastAnswer: Nanoseconds?

    public init(options: TrackerOptions = TrackerOptions()) { self.options = options }

    /// The world moved on. To be called once for every frame, in order, before the answer for it.
    ///
    /// Carries boxes, detects scene cuts (all tracks end), ages and ends tracks. A time that stands still is a repeated
    /// frame; one that goes back by more than a second, with no ``reset(reason:)`` before, begins a new epoch.
    ///
    /// - Parameter luma: the frame's small grey copy, where there is one: boxes then follow the image.
    public func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?) {
        if let now, time < now - 1_000_000_000 { reset(reason: .flush) }
        settle(followingImage: true)
        lostJustNow.removeAll(keepingCapacity: true)
        self.width = max(0, width)
        self.height = max(0, height)
        if now == nil { settledTime = time }
        now = max(time, now ?? time)
        pendingPlane = luma
        if let luma, sceneCut.isCut(luma) {
            endAll(reason: .lost)
            beginScene()
        }
        if history.last == nil {
            settledTime = now ?? time
            history.append(time: settledTime, plane: luma, shift: .zero)
        }
        endAged()
    }

    /// A detector's answer for the frame at `seenAt`.
    ///
    /// It may be late: then it is applied to the frame it saw and replayed to now, and shown boxes glide to where it
    /// puts them. Answers out of order, or from before a scene cut, are dropped.
    public func update(_ detections: [Detection], seenAt: Nanoseconds) {
        guard let now else { return }
        let time = min(seenAt, now)
        if let lastAnswer, time < lastAnswer { return }
        if time == now { settle(followingImage: false) }
        guard let index = history.index(at: time) else { return }
        lastAnswer = time
        if index == history.entries.count - 1, settledTime == history.entries[index].time {
            answer(detections, at: settledTime)
            history.drop(first: index)
            history.record(tracklets, moves: nil, at: 0)
        } else {
            answerLate(detections, at: index)
        }
    }

    /// Those to be shown now: past probation, and those lost with the latest frame, once.
    public var tracks: [Track] {
        settle(followingImage: true)
        var shown: [Track] = []
        shown.reserveCapacity(tracklets.count + lostJustNow.count)
        for index in tracklets.indices where tracklets[index].isShown {
            shown.append(snapshot(tracklets[index], at: now ?? 0))
        }
        return shown + lostJustNow
    }

    /// What happened since the last call.
    public func takeEvents() -> [TrackEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// A new epoch: all tracks end, what was learnt about the stream's motion is kept, ids go on and are never reused.
    public func reset(reason: TrackEvent.Reason) {
        lostJustNow.removeAll()
        endAll(reason: reason)
        lostJustNow.removeAll()
        beginScene()
        now = nil
        pendingPlane = nil
        sceneCut.reset()
    }

    private func beginScene() {
        history.removeAll()
        carrier.forgetPictures()
        lastAnswer = nil
        isSceneNew = true
    }

    /// Brings the tracklets to the latest frame.
    private func settle(followingImage: Bool) {
        guard let now, settledTime < now, let last = history.last else { return }
        let needsImage = followingImage || tracklets.indices.contains { tracklets[$0].misses > 0 }
        let step = Double(now - settledTime) / 1e9
        carrier.begin(from: needsImage ? last.plane : nil, to: pendingPlane, step: step)
        carrier.carry(&tracklets, followingImage: followingImage, jolt: statistics.jolt)
        history.append(time: now, plane: pendingPlane, shift: carrier.shift)
        history.record(tracklets, moves: carrier.moves, at: history.entries.count - 1)
        settledTime = now
    }

    private func answer(_ detections: [Detection], at time: Nanoseconds) {
        matcher.match(detections, with: tracklets, at: time, options: options)
        if matcher.shift != .zero {
            let step = history.secondsSinceAnswer(at: time)
            for index in tracklets.indices { tracklets[index].followCamera(matcher.shift, over: step) }
        }
        let known = statistics.noise
        for pair in matcher.pairs {
            let detection = matcher.detections[pair.detection]
            tracklets[pair.track].confirm(
                by: detection, at: time, isStrong: detection.score >= options.scoreThreshold, noise: known)
            statistics.learn(from: tracklets[pair.track].sightings)
        }
        live(on: matcher, at: time)
    }

    /// Goes back to the frame that was seen, takes the answer in, and comes forward again the way it was gone before.
    private func answerLate(_ detections: [Detection], at index: Int) {
        let shown = tracklets.map { (key: $0.key, box: $0.shownBox(at: settledTime)) }
        let entry = history.entries[index]
        for number in tracklets.indices {
            if let carried = entry.carried(tracklets[number].key) { tracklets[number].filter = carried.filter }
        }
        answer(detections, at: entry.time)
        history.record(tracklets, moves: nil, at: index)
        for next in history.entries.indices where next > index {
            let (before, after) = (history.entries[next - 1], history.entries[next])
            carrier.begin(from: before.plane, to: after.plane, step: Double(after.time - before.time) / 1e9)
            carrier.replay(&tracklets, along: after, jolt: statistics.jolt)
            history.record(tracklets, moves: carrier.moves, at: next)
        }
        history.drop(first: index)
        var number = 0
        for index in tracklets.indices {
            while number < shown.count, shown[number].key < tracklets[index].key { number += 1 }
            guard number < shown.count, shown[number].key == tracklets[index].key else { continue }
            tracklets[index].glide(from: shown[number].box, at: settledTime)
        }
    }
}
