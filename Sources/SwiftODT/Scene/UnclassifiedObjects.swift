/// What moves before a camera that stands still and that no detection explains: found in each frame's own picture, whenever
/// the detector answers, and followed beside what has a name.
///
/// A thing is told of once it has come some way, which swaying leaves, ripples, lamps and a thing's ghost do not. When a
/// detection names it, the named track takes over its id. Costs less than a millisecond a frame, whatever the video's size.
final class UnclassifiedObjects {
    /// Those to be shown now, and those lost with the latest frame, once.
    private(set) var tracks: [Track] = []

    private let tracker = Tracker()
    /// Follows what the detector names and nobody wants, which else would be taken for something without a name.
    private let unwanted = Tracker()
    private var analyzer: MotionAnalyzer?
    private var drift = CameraDrift()
    /// By the id that ``tracker`` gave.
    private var candidates: [Int: DisplacementState] = [:]
    private var events: [TrackEvent] = []
    /// The ids of those that had a name when it was last looked.
    private var named: Set<Int> = []
    /// Since when the camera has stood still.
    private var knownSince: Nanoseconds?
    /// The latest frame's, until it has been looked at.
    private var plane: LumaPlane?
    private var time: Nanoseconds = 0
    private var width = 0
    private var height = 0

    private struct DisplacementState {
        var displacement: DisplacementTest
        let firstSeen: Nanoseconds
        /// The id that the object has for others, once it is told of.
        var id: Int?
    }

    /// Things that are younger are not told of.
    private static let minimumAge: Nanoseconds = 400_000_000
    /// For so long a scene has to be known before anything in it is told of: until then its restless places show.
    private static let learningTime: Nanoseconds = 1_500_000_000
    /// What is not seen is told of for so long, though its id waits for it longer: nobody knows what it is and where it goes.
    private static let coasting: Nanoseconds = 350_000_000
    /// A named box that covers this share of a thing is about the same thing, or stands before it.
    private static let cover = 0.5

    /// Where things are, told of or not.
    var places: [Box] { tracker.places { _ in true } }

    /// Whether nothing has been learnt yet.
    var isFresh: Bool { analyzer == nil }

    /// A frame has come.
    func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?, options: TrackerOptions) {
        (plane, self.time, self.width, self.height) = (luma, time, width, height)
        for tracker in [tracker, unwanted] {
            tracker.options = options
            tracker.advance(to: time, width: width, height: height, luma: luma)
        }
    }

    /// The detector has named what nobody wants to know of, in the frame at `time`.
    func leaveOut(_ detections: [Detection], seenAt time: Nanoseconds, region: InferredRegion? = nil) {
        unwanted.update(detections, seenAt: time, region: region)
    }

    /// Looks at the latest frame, once. Of the tracks in `named` those that turn out to be things that were followed here get
    /// their ids.
    ///
    /// - Parameters:
    ///   - named: the tracks of `identityTracker`.
    ///   - passes: whether a thing is wanted.
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

    /// When a thing was seen best, and how far it has come.
    func summary(of id: Int) -> (best: Track.Best, pathLength: Double)? {
        candidates.first { $0.value.id == id }.flatMap { tracker.summary(of: $0.key) }
    }

    /// What has ended since the last call.
    func takeEvents() -> [TrackEvent] {
        if events.isEmpty { return [] }
        defer { events.removeAll() }
        return events
    }

    /// All things end, and the scene is learnt anew.
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
        let current: MotionAnalyzer
        if let analyzer, analyzer.fits(plane) {
            current = analyzer
        } else {
            current = MotionAnalyzer(plane)
            analyzer = current
        }
        let (across, down) = (plane.scaleX, plane.scaleY)
        let inPlane = { (box: Box) in box.scaled(x: 1 / across, y: 1 / down) }
        // Of what was told of, what has left its place altogether: nothing that sways does.
        let gone = candidates.values.filter(\.displacement.hasLeft).compactMap(\.id)
        let confirmed = tracks.filter { $0.state == .tracked && gone.contains($0.id ?? 0) }.map { inPlane($0.box) }
        return current.analyze(at: plane, besides: known.map(inPlane), confirmed: confirmed).map { moving in
            var moving = moving
            moving.box = moving.box.scaled(x: across, y: down)
            return moving
        }
    }

    /// Gives the ids of things to those that have a name since this frame and are the same.
    private func handOver(to tracks: inout [Track], of identityTracker: Tracker) {
        let before = named
        named = Set(tracks.lazy.filter { $0.state != .lost }.compactMap(\.id))
        guard !self.tracks.isEmpty else { return }
        for index in tracks.indices where tracks[index].state != .lost {
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

    /// The thing that a box speaks of: of those that it covers, the one that fills it most.
    private func object(in box: Box) -> (key: Int, track: Track)? {
        var best: (key: Int, track: Track)?
        var maximum = 0.0
        for track in tracks where track.state != .lost {
            guard let key = candidates.first(where: { $0.value.id == track.id })?.key else { continue }
            let seconds = Double(time - track.lastSeen) / 1e9
            let now = track.box.offset(x: track.velocityX * seconds, y: track.velocityY * seconds)
            let shared = now.intersection(box).area
            guard shared >= Self.cover * now.area || now.iou(box) > Self.cover, now.iou(box) > maximum else { continue }
            (best, maximum) = ((key, track), now.iou(box))
        }
        return best
    }

    /// Has those that have proved themselves told of, by ids of their own.
    private func report(beside known: [Box], idsFrom identityTracker: Tracker) {
        tracks.removeAll(keepingCapacity: true)
        for var track in tracker.tracks {
            guard let key = track.id else { continue }
            var candidate = candidates[key] ?? DisplacementState(displacement: DisplacementTest(from: track.box), firstSeen: track.firstSeen)
            if track.state == .tracked { candidate.displacement.follow(track.box, width: width, height: height) }
            if candidate.id == nil, track.state == .tracked {
                let isOld = track.lastSeen - candidate.firstSeen >= Self.minimumAge
                let isKnown = knownSince.map { time - $0 >= Self.learningTime } ?? false
                if candidate.displacement.isProof, isOld, isKnown { candidate.id = identityTracker.takeID() }
            }
            candidates[key] = candidate
            let isReported = candidate.displacement.isProof && !isHidden(track, by: known)
            guard let id = candidate.id, track.state == .lost || isReported else { continue }
            track.id = id
            tracks.append(track)
        }
        noteEnds()
    }

    /// Whether it is not seen, for long or where something known stands.
    private func isHidden(_ track: Track, by known: [Box]) -> Bool {
        track.state == .coasting
            && (track.timeSinceUpdate > Self.coasting
                || known.contains { $0.intersection(track.box).area >= Self.cover * track.box.area })
    }

    private func noteEnds() {
        for var event in tracker.takeEvents() where event.kind == .end {
            guard let key = event.track.id, let candidate = candidates.removeValue(forKey: key), let id = candidate.id else {
                continue
            }
            event.track.id = id
            events.append(event)
        }
    }
}
