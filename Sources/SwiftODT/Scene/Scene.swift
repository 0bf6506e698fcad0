/// The objects of one stream: takes detections, returns the objects to report. Combines filter, tracker, classifier
/// and selection.
///
/// For every frame in order call ``advance(to:width:height:orientation:luma:)``, then ``observe(_:seenAt:region:)``
/// for each result, ``observeProminent(_:)`` if ``wantsProminent``, and ``objects(in:waiting:)`` once. Not
/// thread-safe: use it from one thread at a time.
///
///     let scene = Scene()
///     scene.advance(to: frame.time, width: frame.width, height: frame.height, luma: LumaPlane.reduce(frame))
///     scene.observe(try detector.start(frame, options: DetectionOptions()).wait(), seenAt: frame.time)
///     for object in try scene.objects(in: frame) { print(object.track.id ?? 0, object.category, object.track.box) }
package final class Scene {
    /// Can change between any two frames.
    package var options: SceneOptions {
        didSet {
            tracker.options = options.tracker
            guard options.follows != oldValue.follows else { return }
            reset(reason: .flush)
            resetZones()
        }
    }

    /// Determines the categories of objects if ``SceneOptions/classify`` is set.
    package var classifier: TrackClassifier?

    /// The watched zones. Setting them emits `leave` events for the old zones and resets all counts.
    package var zones: [Zone] = [] {
        didSet { resetZones() }
    }

    private let tracker: Tracker
    private let unclassified = UnclassifiedObjects()
    private var watch = ZoneWatch([])
    private var zoneEvents: [ZoneEvent] = []
    private var prominence = Prominence()
    private var prominenceOfUnclassified = Prominence()
    private var seen: [Track] = []
    /// Whether the latest frame has a result.
    private var isAnswered = false
    private var reported: [Int: SceneObject] = [:]
    private var events: [SceneEvent] = []
    private var rejections = Rejections()
    /// The objects that ``SceneOptions/maxObjects`` has excluded so far, if ``SceneOptions/multipleObjects`` is set.
    package private(set) var leftOut = LeftOutObjects()
    private var now: Nanoseconds = 0
    private var width = 0
    private var height = 0

    package init(options: SceneOptions = SceneOptions(), classifier: TrackClassifier? = nil) {
        self.options = options
        self.classifier = classifier
        tracker = Tracker(options: options.tracker)
    }

    /// Starts a frame and propagates the objects to its time.
    ///
    /// - Parameter orientation: the transform that makes the frame upright, which is the coordinate system of
    ///   ``zones``.
    package func advance(
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

    /// Applies a detector's result for the frame at `time`, the latest or an earlier one.
    ///
    /// - Parameter region: the inferred region; `nil` for the full frame.
    package func observe(_ detections: [Detection], seenAt time: Nanoseconds, region: InferredRegion? = nil) {
        let time = time.clampedToRange
        let threshold = options.tracker.scoreThreshold
        let kept = detections.filter(passes)
        isAnswered = isAnswered || time == now
        if options.follows {
            if options.detectsMoving {
                // Called for empty results, too, so that tracks of excluded objects end when the objects have gone.
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

    /// Whether the latest frame has a result without an object, and salient objects are to be detected instead.
    package var wantsProminent: Bool { options.detectsSalient && isAnswered && seen.isEmpty }

    /// Applies the result of a saliency network for the latest frame if ``wantsProminent``: the first detection that
    /// passes is the object.
    package func observeProminent(_ detections: [Detection]) {
        guard wantsProminent, let thing = detections.first(where: passes) else { return }
        if thing.score < options.tracker.scoreThreshold {
            reject(thing, .belowThreshold)
        } else {
            seen = [sighting(of: thing, at: now)]
        }
    }

    /// Returns a track for an object that is not tracked.
    private func sighting(of detection: Detection, at time: Nanoseconds) -> Track {
        var track = Track(
            box: detection.box, score: detection.score, label: detection.label, state: .new, firstSeen: time,
            lastSeen: time, timeSinceUpdate: now - time)
        if time == now { track.origin = detection.origin }
        return track
    }

    /// Returns whether the filter accepts a detection; counts the rejected ones.
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

    /// Returns the objects to report for the latest frame, the most prominent first.
    ///
    /// - Parameters:
    ///   - frame: the picture for the classifier; without it, categories are derived from labels alone.
    ///   - waiting: whether to wait for the classifier, so that results do not depend on the machine's speed.
    ///     Single-image mode always waits.
    package func objects(in frame: Frame?, waiting: Bool = false) throws -> [SceneObject] {
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
                confidence: verdicts?[rank].confidence, isProminent: rank == 0 && track.state != .lost, rank: rank,
                zones: track.id.map(watch.zones) ?? [])
        }
        report(of: objects)
        return objects
    }

    /// Returns the boxes of all objects that may have one of the labels, including tentative, coasting and unreported
    /// ones.
    ///
    /// - Parameter labels: lower-case labels; empty for all objects.
    package func places(of labels: Set<String>) -> [Box] {
        func isMeant(_ label: Label) -> Bool { labels.contains(label.text.lowercased()) }
        if options.follows {
            let named = tracker.places { labels.isEmpty || $0.contains(where: isMeant) }
            return labels.isEmpty ? named + unclassified.places : named
        }
        return seen.filter { labels.isEmpty || $0.label.map(isMeant) ?? false }.map(\.box)
    }

    /// Detects unclassified moving objects in the latest frame.
    private func findUnclassified(beside named: inout [Track]) {
        if options.detectsMoving {
            unclassified.update(beside: &named, of: tracker, passes: passes)
        } else if !unclassified.isFresh {
            unclassified.reset(reason: .lost)
        }
    }

    /// Selects the most prominent labelled objects, then as many unclassified ones as the limit leaves room for.
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

    /// Whether the latest frame began a new scene, which ends all tracks of the previous one.
    package var isCut: Bool { options.follows && tracker.isCut }

    /// Returns the states of all labelled tracks in the latest frame; `nil` without tracking or before the first
    /// frame.
    package func snapshot() -> TrackerSnapshot? { options.follows ? tracker.snapshot() : nil }

    /// The number of objects, reported or not.
    package var trackCount: Int { options.follows ? tracker.trackCount + unclassified.tracks.count : seen.count }

    /// Returns the detections and tracks that were rejected since the last call.
    package func takeRejections() -> Rejections {
        if rejections.isEmpty { return rejections }
        defer { rejections.removeAll() }
        return rejections
    }

    /// Returns the events of reported objects since the last call.
    package func takeEvents() -> [SceneEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// The counts of ``zones`` so far, in their order, without zones of the kind `ignore`.
    package var zoneCounts: [ZoneCount] { watch.counts }

    /// Returns the events of ``zones`` since the last call.
    package func takeZoneEvents() -> [ZoneEvent] {
        defer { zoneEvents.removeAll(keepingCapacity: true) }
        return zoneEvents + watch.takeEvents()
    }

    /// Ends all objects and resets the state derived from them; ids continue.
    package func reset(reason: TrackEvent.Reason) {
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

    /// Without tracking, a result is kept until the next one, up to the maximum age.
    private func ageDetections() {
        for index in seen.indices {
            seen[index].state = .coasting
            seen[index].origin = nil
            seen[index].timeSinceUpdate = now - seen[index].lastSeen
        }
        seen.removeAll { options.mode == .singleImage || $0.timeSinceUpdate > options.tracker.maxAge }
    }

    /// Converts track events to events of reported objects: an object begins when it is first reported.
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
