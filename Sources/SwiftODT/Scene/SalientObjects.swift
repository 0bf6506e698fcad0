/// The objects of a video that a saliency network finds repeatedly where the main detector finds nothing.
///
/// The network runs once per second. An object is reported after ``minimumRuns`` consecutive results at the same
/// position, so only objects that stand still before a static camera are found. The minimum score is high, because a
/// false box is worse than a missed object: at half of this score, the network also finds pillars and road markings.
struct SalientObjects {
    /// The objects to report. An object is left out while a labelled object covers it. Objects that have ended since
    /// the latest call of ``takeEvents()`` are included with the state `lost`.
    private(set) var tracks: [Track] = []

    private struct Candidate {
        /// The state at the latest result that contained the object. The id is `nil` until the object is reported.
        var track: Track
        var best: Track.Best
        var runs = 1
        var isMissed = false
    }

    private var candidates: [Candidate] = []
    private var events: [TrackEvent] = []
    private var drift = CameraDrift()
    private var nextRun: Nanoseconds = .min
    /// The boxes of the detections that the filter has excluded since the previous run. These objects have a label, so
    /// they are not reported as objects without a label.
    private var excluded: [Box] = []

    private static let interval: Nanoseconds = 1_000_000_000
    private static let minimumRuns = 3
    private static let minimumScore = 0.5
    /// The possible area of a salient object, as a fraction of the picture.
    private static let possibleArea = 0.003...0.3
    /// The minimum IoU of the boxes of one object in two results.
    private static let samePlace = 0.6
    /// A labelled box explains an object if their overlap exceeds this fraction of the smaller of the two boxes.
    private static let cover = 0.3

    /// Returns whether the network should process the frame. If so, the call counts as a run of the network.
    mutating func isDue(at time: Nanoseconds) -> Bool {
        guard time >= nextRun else { return false }
        nextRun = time.adding(Self.interval)
        return true
    }

    var isFresh: Bool { candidates.isEmpty && tracks.isEmpty }

    mutating func leaveOut(_ boxes: [Box]) { excluded += boxes }

    /// Applies the network's result for the frame at `time`. `named` contains the boxes of the labelled objects.
    mutating func observe(
        _ detections: [Detection], at time: Nanoseconds, pictureArea: Double, beside named: [Box], takeID: () -> Int
    ) {
        let known = named + excluded
        excluded.removeAll()
        var previous = candidates
        candidates.removeAll()
        for detection in detections where detection.score >= Self.minimumScore {
            let box = detection.box
            guard Self.possibleArea.contains(box.area / pictureArea), !Self.isExplained(box, by: known) else {
                continue
            }
            let nearest = previous.indices.max { previous[$0].track.box.iou(box) < previous[$1].track.box.iou(box) }
            guard let nearest, previous[nearest].track.box.iou(box) >= Self.samePlace else {
                let track = Track(
                    box: box, score: detection.score, label: nil, state: .new, firstSeen: time, lastSeen: time)
                candidates.append(Candidate(track: track, best: (detection.score, box, time)))
                continue
            }
            var candidate = previous.remove(at: nearest)
            (candidate.track.box, candidate.track.score, candidate.track.lastSeen) = (box, detection.score, time)
            if detection.score > candidate.best.score {
                candidate.best = (detection.score, box, time)
            }
            candidate.runs += 1
            candidate.isMissed = false
            if candidate.runs >= Self.minimumRuns, candidate.track.id == nil { candidate.track.id = takeID() }
            candidates.append(candidate)
        }
        for var candidate in previous {
            // An object that a labelled object covers does not count as missed. A missed object ends immediately if it
            // has not been reported yet. Otherwise, it ends at its second consecutive miss.
            if !Self.isExplained(candidate.track.box, by: named) {
                guard !candidate.isMissed, candidate.track.id != nil else {
                    end(candidate, .lost)
                    continue
                }
                candidate.isMissed = true
            }
            candidates.append(candidate)
        }
    }

    /// Updates ``tracks`` to a frame. All objects end if the camera moves.
    mutating func update(to time: Nanoseconds, at plane: LumaPlane?, beside named: [Box]) {
        tracks.removeAll(keepingCapacity: true)
        if let plane { drift.update(at: plane, time: time, around: named) }
        if drift.isMoving { endAll(.lost) }
        for candidate in candidates where candidate.track.id != nil && !candidate.isMissed {
            guard !Self.isExplained(candidate.track.box, by: named) else { continue }
            var track = candidate.track
            track.timeSinceUpdate = max(0, time - track.lastSeen)
            // Between two runs, the network cannot have missed the object.
            track.state = track.timeSinceUpdate < 2 * Self.interval ? .tracked : .coasting
            tracks.append(track)
        }
        tracks += events.lazy.map(\.track)
    }

    /// Returns the best detection and the path length of an object. The path length is 0, because the objects stand
    /// still.
    func summary(of id: Int) -> (best: Track.Best, pathLength: Double)? {
        candidates.first { $0.track.id == id }.map { ($0.best, 0) }
    }

    mutating func takeEvents() -> [TrackEvent] { events.takeAll() }

    mutating func reset(reason: TrackEvent.Reason) {
        endAll(reason)
        drift.forget()
        (tracks, excluded, nextRun) = ([], [], .min)
    }

    private mutating func endAll(_ reason: TrackEvent.Reason) {
        for candidate in candidates { end(candidate, reason) }
        candidates.removeAll()
    }

    private mutating func end(_ candidate: Candidate, _ reason: TrackEvent.Reason) {
        guard candidate.track.id != nil else { return }
        var track = candidate.track
        track.state = .lost
        events.append(TrackEvent(kind: .end, track: track, best: candidate.best, pathLength: 0, reason: reason))
    }

    static func isExplained(_ box: Box, by known: [Box]) -> Bool {
        known.contains { $0.intersection(box).area > cover * min($0.area, box.area) }
    }
}
