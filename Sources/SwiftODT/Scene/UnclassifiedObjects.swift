/// Detects and tracks moving objects that no detection explains. Requires a static camera. Processes the luma plane of
/// each frame.
///
/// An object is reported when it has passed a ``DisplacementTest``. Swaying leaves, ripples, lamps and ghosts (false
/// foreground where an object has left the background) do not pass. If a detection gives the object a label, the
/// labelled track takes over its id.
final class UnclassifiedObjects {
    /// The objects to report. Objects that ended in the latest frame are included once, with the state `lost`.
    private(set) var tracks: [Track] = []

    /// Tracks the moving objects. Its ids are internal: they are the keys of ``candidates``.
    private let tracker = Tracker()
    /// Tracks the detections that the filter excludes. Their motion must not count as unclassified objects.
    private let unwanted = Tracker()
    private var analyzer: MotionAnalyzer?
    private var drift = CameraDrift()
    /// The displacement test of each moving object, by its internal id.
    private var candidates: [Int: DisplacementState] = [:]
    private var events: [TrackEvent] = []
    /// The ids of the labelled tracks at the previous update.
    private var named: Set<Int> = []
    /// The time since which the camera has been static. `nil` while the camera moves.
    private var knownSince: Nanoseconds?
    /// The luma plane of the latest frame, until ``update(beside:of:passes:)`` has used it.
    private var plane: LumaPlane?
    private var time: Nanoseconds = 0
    private var width = 0
    private var height = 0

    private struct DisplacementState {
        var displacement: DisplacementTest
        let firstSeen: Nanoseconds
        /// The public id of the object. `nil` until the object is reported.
        var id: Int?
    }

    /// The minimum age of a reported object.
    private static let minimumAge: Nanoseconds = 400_000_000
    /// A new object is reported only after the camera has been static for this time. In this time, the background model
    /// learns which areas change repeatedly.
    private static let learningTime: Nanoseconds = 1_500_000_000
    /// A missed object is reported for at most this time. Its track is kept longer, so that the object keeps its id if
    /// it is detected again.
    private static let coasting: Nanoseconds = 350_000_000
    /// A labelled box explains an unclassified object if it covers at least this fraction of the object's box. The
    /// labelled object is then the same object, or it is in front of the unclassified object.
    private static let cover = 0.5

    /// The boxes of all tracked moving objects, reported or not.
    var places: [Box] { tracker.places { _ in true } }

    var isFresh: Bool { analyzer == nil }

    func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?, options: TrackerOptions) {
        (plane, self.time, self.width, self.height) = (luma, time, width, height)
        for tracker in [tracker, unwanted] {
            tracker.options = options
            tracker.advance(to: time, width: width, height: height, luma: luma)
        }
    }

    /// Tracks the detections of a result that the scene's filter excludes, so that their motion does not count as
    /// unclassified objects.
    func leaveOut(_ detections: [Detection], seenAt time: Nanoseconds, region: InferredRegion? = nil) {
        unwanted.update(detections, seenAt: time, region: region)
    }

    /// Analyses the latest frame. Further calls for the same frame have no effect. `named` contains the labelled tracks
    /// of `identityTracker`. If one of these tracks follows an object that was unclassified until now, the track takes
    /// over the id of that object.
    func update(beside named: inout [Track], of identityTracker: Tracker, passes: (Detection) -> Bool) {
        guard let plane else { return }
        self.plane = nil
        let known = (named + unwanted.tracks).filter { $0.state != .lost }.map(\.box)
        handOver(to: &named, of: identityTracker)
        let moving = detectMotion(at: plane, besides: known)
        drift.update(at: plane, time: time, around: known + tracks.map(\.box))
        if analyzer?.isSteady ?? false, !drift.isMoving {
            knownSince = knownSince ?? time
            tracker.update(moving.filter(passes), seenAt: time)
        } else {
            knownSince = nil
            tracker.reset(reason: .lost)
        }
        report(beside: known, idsFrom: identityTracker)
    }

    func summary(of id: Int) -> (best: Track.Best, pathLength: Double)? {
        candidates.first { $0.value.id == id }.flatMap { tracker.summary(of: $0.key) }
    }

    func takeEvents() -> [TrackEvent] { events.takeAll() }

    func reset(reason: TrackEvent.Reason) {
        tracker.reset(reason: reason)
        noteEnds()
        unwanted.reset(reason: reason)
        (analyzer, plane, knownSince) = (nil, nil, nil)
        drift.forget()
        tracks = []
        candidates = [:]
        named = []
    }

    private func detectMotion(at plane: LumaPlane, besides known: [Box]) -> [Detection] {
        let current = MotionAnalyzer.reusing(analyzer, for: plane)
        analyzer = current
        let (across, down) = (plane.scaleX, plane.scaleY)
        let inPlane = { (box: Box) in box.scaled(x: 1 / across, y: 1 / down) }
        // An object that has completely left its first position cannot be swaying background, so it is confirmed.
        let gone = candidates.values.filter(\.displacement.hasLeft).compactMap(\.id)
        let confirmed = tracks.filter { $0.state == .tracked && gone.contains($0.id ?? 0) }.map { inPlane($0.box) }
        return current.analyze(at: plane, besides: known.map(inPlane), confirmed: confirmed).map { moving in
            var moving = moving
            moving.box = moving.box.scaled(x: across, y: down)
            return moving
        }
    }

    /// If a labelled track begins in this frame and shows an object that was unclassified so far, the track gets the
    /// object's id.
    private func handOver(to tracks: inout [Track], of identityTracker: Tracker) {
        let before = named
        named = Set(tracks.lazy.filter { $0.state != .lost }.compactMap(\.id))
        guard !self.tracks.isEmpty else { return }
        for index in tracks.indices where tracks[index].state == .new {
            guard let id = tracks[index].id, !before.contains(id), let object = object(in: tracks[index].box)
            else { continue }
            let pathLength = tracker.summary(of: object.key)?.pathLength ?? 0
            guard let track = identityTracker.adoptIdentity(id, as: object.track, after: pathLength) else { continue }
            tracks[index] = track
            named.remove(id)
            if let id = track.id { named.insert(id) }
            candidates[object.key] = nil
            tracker.release(object.key)
            self.tracks.removeAll { $0.id == track.id }
        }
    }

    /// Returns the unclassified object that a labelled box shows. If the box covers several objects, returns the object
    /// with the highest IoU.
    private func object(in box: Box) -> (key: Int, track: Track)? {
        var best: (key: Int, track: Track)?
        var maximum = 0.0
        for track in tracks where track.state != .lost {
            guard let key = candidates.first(where: { $0.value.id == track.id })?.key else { continue }
            // The boxes in `tracks` are those of the previous frame.
            let seconds = Double(time - track.lastSeen - track.timeSinceUpdate) / 1e9
            let now = track.box.offset(x: track.velocityX * seconds, y: track.velocityY * seconds)
            let shared = now.intersection(box).area
            guard shared >= Self.cover * now.area || now.iou(box) > Self.cover, now.iou(box) > maximum else { continue }
            (best, maximum) = ((key, track), now.iou(box))
        }
        return best
    }

    /// Updates ``tracks``, and assigns ids to objects that have passed the displacement test.
    private func report(beside known: [Box], idsFrom identityTracker: Tracker) {
        tracks.removeAll(keepingCapacity: true)
        for var track in tracker.tracks {
            guard let key = track.id else { continue }
            var candidate =
                candidates[key]
                ?? DisplacementState(displacement: DisplacementTest(from: track.box), firstSeen: track.firstSeen)
            if track.state == .tracked { candidate.displacement.follow(track.box, width: width, height: height) }
            if candidate.id == nil, track.state == .tracked {
                let isOld = track.lastSeen - candidate.firstSeen >= Self.minimumAge
                let isKnown = knownSince.map { time - $0 >= Self.learningTime } ?? false
                if candidate.displacement.isPassed, isOld, isKnown { candidate.id = identityTracker.takeID() }
            }
            candidates[key] = candidate
            let isReported = candidate.displacement.isPassed && !isHidden(track, by: known)
            guard let id = candidate.id, track.state == .lost || isReported else { continue }
            track.id = id
            tracks.append(track)
        }
        noteEnds()
    }

    /// Returns whether a missed object is no longer reported. This is the case if a known object occludes it, or if it
    /// has been missed for too long.
    private func isHidden(_ track: Track, by known: [Box]) -> Bool {
        track.state == .coasting
            && (track.timeSinceUpdate > Self.coasting
                || known.contains { $0.intersection(track.box).area >= Self.cover * track.box.area })
    }

    private func noteEnds() {
        for var event in tracker.takeEvents() where event.kind == .end {
            guard let key = event.track.id, let candidate = candidates.removeValue(forKey: key), let id = candidate.id
            else {
                continue
            }
            event.track.id = id
            events.append(event)
        }
    }
}
