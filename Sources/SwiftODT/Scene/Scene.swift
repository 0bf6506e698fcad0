/// What is known of the picture's objects: detections in, reported objects out. It joins filter, tracker, classifier and
/// choice, for the element, the library and the tool alike.
///
/// For every frame in order: ``advance(to:width:height:orientation:luma:)``, then ``observe(_:seenAt:region:)`` where a detection has ended,
/// ``observeProminent(_:)`` where it ``wantsProminent``, then ``objects(in:waiting:)`` once. Used from one thread at a time.
///
///     let scene = Scene()
///     scene.advance(to: frame.time, width: frame.width, height: frame.height, luma: LumaPlane.reduce(frame))
///     scene.observe(try detector.start(frame, options: DetectionOptions()).wait(), seenAt: frame.time)
///     for object in try scene.objects(in: frame) { print(object.track.id ?? 0, object.category, object.track.box) }
public final class Scene {
    /// May change between any two frames.
    public var options: SceneOptions {
        didSet {
            tracker.options = options.tracker
            guard options.follows != oldValue.follows else { return }
            reset(reason: .flush)
            resetZones()
        }
    }

    /// Sorts objects into categories when ``SceneOptions/classify`` is on.
    public var classifier: TrackClassifier?

    /// What is watched in the picture. Those who are in old ones leave them, and all counts begin anew.
    public var zones: [Zone] = [] {
        didSet { resetZones() }
    }

    private let tracker: Tracker
    private let unclassified = UnclassifiedObjects()
    private var watch = ZoneWatch([])
    private var zoneEvents: [ZoneEvent] = []
    private var prominence = Prominence()
    private var prominenceOfUnclassified = Prominence()
    private var seen: [Track] = []
    /// Whether a detector has answered for the latest frame.
    private var isAnswered = false
    private var reported: [Int: SceneObject] = [:]
    private var events: [SceneEvent] = []
    private var rejections = Rejections()
    /// What ``SceneOptions/maxObjects`` has left out so far, where ``SceneOptions/multipleObjects`` is on.
    public private(set) var leftOut = LeftOutObjects()
    private var now: Nanoseconds = 0
    private var width = 0
    private var height = 0

    public init(options: SceneOptions = SceneOptions(), classifier: TrackClassifier? = nil) {
        self.options = options
        self.classifier = classifier
        tracker = Tracker(options: options.tracker)
    }

    /// A frame has come. Objects are carried to its time.
    ///
    /// - Parameter orientation: how the frame has to be turned to stand upright, as ``zones`` see it.
    public func advance(
        to time: Nanoseconds, width: Int, height: Int, orientation: Orientation = .identity, luma: LumaPlane?
    ) {
        let time = time.clampedToRange
        watch.setPicture(at: ZoneWatch.Picture(width: width, height: height, orientation: orientation))
        (now, self.width, self.height) = (time, width, height)
        isAnswered = false
        if options.follows {
            tracker.advance(to: time, width: width, height: height, luma: luma)
            if options.detectsMoving {
                unclassified.advance(to: time, width: width, height: height, luma: luma, options: options.tracker)
            }
        } else {
            ageDetections()
        }
    }

    /// A detector has answered for the frame at `time`, the latest one or an earlier one.
    ///
    /// - Parameter region: what it looked at; `nil` for all of it.
    public func observe(_ detections: [Detection], seenAt time: Nanoseconds, region: InferredRegion? = nil) {
        let time = time.clampedToRange
        let threshold = options.tracker.scoreThreshold
        let kept = detections.filter(passes)
        isAnswered = isAnswered || time == now
        if options.follows {
            if options.detectsMoving {
                // Of nobody, too: who was there and is gone explains nothing any more.
                unclassified.leaveOut(detections.filter { judge($0) != .kept }, seenAt: time, region: region)
            }
            tracker.update(kept, seenAt: time, region: region)
            tracker.forEachUntracked(of: kept) { if $0.score < threshold { reject($0, .belowThreshold) } }
            for (label, score) in tracker.takeUnconfirmed() { rejections.add(.unconfirmed, label: label, score: score) }
        } else {
            for detection in kept where detection.score < threshold { reject(detection, .belowThreshold) }
            seen = kept.lazy.filter { $0.score >= threshold }.map { self.sighting(of: $0, at: time) }
        }
    }

    /// Whether a detector has looked at the latest frame and found nothing that counts, and the prominent thing is wanted instead.
    public var wantsProminent: Bool { options.detectsSalient && isAnswered && seen.isEmpty }

    /// What a saliency network found in the latest frame, where that ``wantsProminent``: the first that passes is the object.
    public func observeProminent(_ detections: [Detection]) {
        guard wantsProminent, let thing = detections.first(where: passes) else { return }
        if thing.score < options.tracker.scoreThreshold {
            reject(thing, .belowThreshold)
        } else {
            seen = [sighting(of: thing, at: now)]
        }
    }

    /// An object that is not followed.
    private func sighting(of detection: Detection, at time: Nanoseconds) -> Track {
        Track(
            box: detection.box, score: detection.score, label: detection.label, state: .new, firstSeen: time,
            lastSeen: time, timeSinceUpdate: now - time)
    }

    /// Whether the user's filter lets a detection pass; notes why not.
    private func passes(_ detection: Detection) -> Bool {
        let verdict = judge(detection)
        if case .rejected(let reason) = verdict { reject(detection, reason) }
        return verdict == .kept
    }

    private func judge(_ detection: Detection) -> DetectionFilter.Verdict {
        let verdict = options.filter.judge(detection, width: width, height: height)
        return verdict == .kept && watch.ignores(detection) ? .rejected(.ignored) : verdict
    }

    private func reject(_ detection: Detection, _ reason: Rejections.Reason) {
        rejections.add(reason, label: detection.label, score: detection.score)
    }

    /// The objects to report now, the most prominent first.
    ///
    /// - Parameters:
    ///   - frame: what the classifier may look at; without it, categories come from labels alone.
    ///   - waiting: whether categories are waited for, as single images and results that must not depend on the
    ///     machine's speed ask. Single-image mode waits in any case.
    public func objects(in frame: Frame?, waiting: Bool = false) throws -> [SceneObject] {
        var known = options.follows ? tracker.tracks : seen
        findUnclassified(beside: &known)
        let all = unclassified.tracks.isEmpty ? known : known + unclassified.tracks
        if options.follows { watch.follow(all, at: now) } else { watch.count(all) }
        let chosen = choose(among: known)
        if options.multipleObjects { noteLeftOut(beside: chosen) }
        let verdicts =
            options.classify
            ? try classifier?.classify(chosen, in: frame, wait: waiting || options.mode == .singleImage) : nil
        let objects = chosen.enumerated().map { rank, track in
            SceneObject(
                track: track, category: verdicts?[rank].category ?? .unknown,
                confidence: verdicts?[rank].confidence, isProminent: rank == 0 && track.state != .lost, rank: rank)
        }
        report(of: objects)
        return objects
    }

    /// Where everything is that may be called so, reported or not, proved or not, seen or carried on: what is to be made unrecognisable.
    ///
    /// - Parameter labels: in small letters; empty for everything.
    public func places(of labels: Set<String>) -> [Box] {
        func isMeant(_ label: Label) -> Bool { labels.contains(label.text.lowercased()) }
        if options.follows {
            let named = tracker.places { labels.isEmpty || $0.contains(where: isMeant) }
            return labels.isEmpty ? named + unclassified.places : named
        }
        return seen.filter { labels.isEmpty || $0.label.map(isMeant) ?? false }.map(\.box)
    }

    /// Looks for what moves and has no name in the latest frame.
    private func findUnclassified(beside named: inout [Track]) {
        if options.detectsMoving {
            unclassified.update(beside: &named, of: tracker, passes: passes)
        } else if !unclassified.isFresh {
            unclassified.reset(reason: .lost)
        }
    }

    /// The most prominent of those with a name, and of those without as many as there is room for behind them.
    private func choose(among named: [Track]) -> [Track] {
        prominence.notesLeftOut = options.multipleObjects
        prominenceOfUnclassified.notesLeftOut = options.multipleObjects
        let chosen = prominence.choose(named, limit: options.limit, width: width, height: height, time: now)
        if unclassified.tracks.isEmpty { return chosen }
        let present = chosen.filter { $0.state != .lost }
        let others = prominenceOfUnclassified.choose(
            unclassified.tracks, limit: options.limit - present.count, width: width, height: height, time: now)
        return present + others.filter { $0.state != .lost } + (chosen + others).filter { $0.state == .lost }
    }

    private func noteLeftOut(beside chosen: [Track]) {
        let others = unclassified.tracks.isEmpty ? [] : prominenceOfUnclassified.leftOut
        guard !prominence.leftOut.isEmpty || !others.isEmpty else { return }
        leftOut.note(prominence.leftOut + others, beside: chosen.count { $0.state != .lost })
    }

    /// Whether the latest frame showed a new scene: the tracks of the one before have ended.
    public var isCut: Bool { options.follows && tracker.isCut }

    /// What is known of all that is followed by name in the latest frame; `nil` where nothing is followed, or before the first.
    public func snapshot() -> TrackerSnapshot? { options.follows ? tracker.snapshot() : nil }

    /// How many objects are being followed, reported or not.
    public var trackCount: Int { options.follows ? tracker.trackCount + unclassified.tracks.count : seen.count }

    /// What was proposed and not reported since the last call.
    public func takeRejections() -> Rejections {
        if rejections.isEmpty { return rejections }
        defer { rejections.removeAll() }
        return rejections
    }

    /// What happened to reported objects since the last call.
    public func takeEvents() -> [SceneEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// What has been counted in ``zones`` so far, in their order; those that are ignored have no count.
    public var zoneCounts: [ZoneCount] { watch.counts }

    /// What happened in ``zones`` since the last call.
    public func takeZoneEvents() -> [ZoneEvent] {
        defer { zoneEvents.removeAll(keepingCapacity: true) }
        return zoneEvents + watch.takeEvents()
    }

    /// All objects end, and what was learnt of them is forgotten; ids go on.
    public func reset(reason: TrackEvent.Reason) {
        tracker.reset(reason: reason)
        unclassified.reset(reason: reason)
        report(of: [])
        watch.reset()
        classifier?.reset()
        prominence.reset()
        prominenceOfUnclassified.reset()
        seen = []
        reported = [:]
    }

    private func resetZones() {
        watch.reset()
        zoneEvents += watch.takeEvents()
        watch = ZoneWatch(zones)
    }

    /// Without tracking a result holds until the next one, but not for ever.
    private func ageDetections() {
        for index in seen.indices {
            seen[index].state = .coasting
            seen[index].timeSinceUpdate = now - seen[index].lastSeen
        }
        seen.removeAll { options.mode == .singleImage || $0.timeSinceUpdate > options.tracker.maxAge }
    }

    /// Turns the tracker's news into news of what is reported: an object begins when it is first reported.
    private func report(of objects: [SceneObject]) {
        for object in objects where object.track.state != .lost {
            guard let id = object.track.id else { continue }
            let before = reported.updateValue(object, forKey: id)
            let isNewMotion =
                before.map { $0.category != object.category || $0.track.label != object.track.label } ?? true
            if isNewMotion { note(before == nil ? .begin : .update, object) }
        }
        for event in tracker.takeEvents() + unclassified.takeEvents() where event.kind == .end {
            guard let id = event.track.id else { continue }
            leftOut.forget(id)
            guard let object = reported.removeValue(forKey: id) else { continue }
            events.append(SceneEvent(event: event, category: object.category))
        }
    }

    private func note(_ kind: TrackEvent.Kind, _ object: SceneObject) {
        let track = object.track
        let (best, pathLength) =
            track.id.flatMap { tracker.summary(of: $0) ?? unclassified.summary(of: $0) }
            ?? (Track.Best(score: track.score, box: track.box, time: track.lastSeen), 0)
        let event = TrackEvent(kind: kind, track: track, best: best, pathLength: pathLength)
        events.append(SceneEvent(event: event, category: object.category))
    }
}
