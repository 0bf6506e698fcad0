/// The objects of one stream. The input is detections, the output is the objects to report. A scene combines filter,
/// tracker, classifier, zones and selection.
///
/// For every frame in order, call ``advance(to:width:height:orientation:luma:)``. For each result, call
/// ``observe(_:seenAt:region:)``. If ``wantsProminent`` is true, call ``observeProminent(_:)``. Then call
/// ``objects(in:waiting:)`` once. A scene is not thread-safe: use it from one thread at a time.
///
///     let scene = Scene()
///     scene.advance(to: frame.time, width: frame.width, height: frame.height, luma: LumaPlane.reduce(frame))
///     scene.observe(try detector.start(frame, options: DetectionOptions()).wait(), seenAt: frame.time)
///     for object in try scene.objects(in: frame) { print(object.track.id ?? 0, object.category, object.track.box) }
package final class Scene {
    /// The options can change between any two frames.
    package var options: SceneOptions {
        didSet {
            tracker.options = options.tracker
            guard options.follows != oldValue.follows else { return }
            reset(reason: .flush)
            resetZones()
        }
    }

    /// Determines the categories of objects if ``SceneOptions/classify`` is true.
    package var classifier: TrackClassifier?

    /// Recognises returning objects if ``SceneOptions/reidentify`` is true.
    package var reidentifier: TrackReidentifier?

    /// The watched zones. A new value ends the old zones: objects in them cause `leave` events, and all counts start at
    /// 0.
    package var zones: [Zone] = [] {
        didSet { resetZones() }
    }

    private let tracker: Tracker
    private let unclassified = UnclassifiedObjects()
    private var salient = SalientObjects()
    /// The luma plane of the latest frame, if salient objects of a video are wanted.
    private var plane: LumaPlane?
    private var watch = ZoneWatch([])
    private var zoneEvents: [ZoneEvent] = []
    private var prominence = Prominence()
    private var prominenceOfUnclassified = Prominence()
    private var labels = LabelContext()
    private var seen: [Track] = []
    /// Without tracking: the boxes of the latest result's detections that the filter excludes.
    private var excluded: [Box] = []
    private var hasResult = false
    /// The reported objects that have not ended, by track id.
    private var reported: [Int: SceneObject] = [:]
    private var events: [SceneEvent] = []
    private var rejections = Rejections()
    /// The objects that were not reported because of ``SceneOptions/maxObjects``. They are counted only with
    /// ``SceneOptions/multipleObjects``.
    package private(set) var leftOut = LeftOutObjects()
    private var now: Nanoseconds = 0
    private var latestCut = Nanoseconds.min
    private var width = 0
    private var height = 0

    package init(options: SceneOptions = SceneOptions(), classifier: TrackClassifier? = nil) {
        self.options = options
        self.classifier = classifier
        tracker = Tracker(options: options.tracker)
    }

    /// Starts a frame and propagates the objects to its time. `orientation` transforms the frame to the upright
    /// picture, to which ``zones`` refer.
    package func advance(
        to time: Nanoseconds, width: Int, height: Int, orientation: Orientation = .identity, luma: LumaPlane?
    ) {
        let time = time.clampedToRange
        watch.setPicture(at: ZoneWatch.Picture(width: width, height: height, orientation: orientation))
        (now, self.width, self.height) = (time, width, height)
        hasResult = false
        if options.follows {
            tracker.advance(to: time, width: width, height: height, luma: luma)
            if tracker.isCut {
                labels.reset()
                watch.reset()
                salient.reset(reason: .lost)
                latestCut = now
            }
            plane = options.detectsSalientInVideo ? luma : nil
            if options.detectsMoving {
                unclassified.advance(to: time, width: width, height: height, luma: luma, options: options.tracker)
            }
        } else {
            ageDetections()
        }
    }

    /// Applies the detector's result for the frame at `time`, which is the latest or an earlier frame. `region` is
    /// `nil` for the full frame.
    package func observe(_ detections: [Detection], seenAt time: Nanoseconds, region: InferredRegion? = nil) {
        let time = time.clampedToRange
        let threshold = options.tracker.scoreThreshold
        let kept = detections.filter(passes)
        hasResult = hasResult || time == now
        if options.follows {
            if options.detectsMoving {
                // The call is needed even with an empty list. Otherwise the tracks of excluded objects would not end
                // when the objects disappear.
                unclassified.leaveOut(detections.filter { judge($0) != .kept }, seenAt: time, region: region)
            }
            if options.detectsSalientInVideo, time >= latestCut {
                salient.leaveOut(detections.filter { $0.score >= threshold && judge($0) != .kept }.map(\.box))
            }
            tracker.update(kept, seenAt: time, region: region)
            tracker.forEachUntracked(of: kept) { if $0.score < threshold { reject($0, .belowThreshold) } }
            for (label, score) in tracker.takeUnconfirmed() { rejections.add(.unconfirmed, label: label, score: score) }
        } else {
            for detection in kept where detection.score < threshold { reject(detection, .belowThreshold) }
            seen = kept.lazy.filter { $0.score >= threshold }.map { self.sighting(of: $0, at: time) }
            excluded = detections.filter { $0.score >= threshold && judge($0) != .kept }.map(\.box)
        }
    }

    /// Returns whether the detections in a frame would change the tracks: whether a detection would begin a track, or
    /// whether a detected object would be missed. Objects count as missed only if inference covered the full frame. The
    /// detections are not applied.
    package func isChanged(by detections: [Detection], isFullFrame: Bool) -> Bool {
        let threshold = options.tracker.scoreThreshold
        let kept = detections.filter { $0.score >= threshold / 2 && judge($0) == .kept }
        func isAt(_ box: Box, _ detection: Detection) -> Bool {
            box.iou(detection.box) > (detection.score < threshold ? TrackerTuning.weakOverlap : Self.sameObject)
        }
        let known = places(of: [])
        if kept.contains(where: { detection in
            detection.score >= threshold && !known.contains { isAt($0, detection) }
        }) {
            return true
        }
        guard isFullFrame, let detected = snapshot()?.places else { return false }
        return detected.contains { place in
            place.isConfirmed && place.misses == 0 && !kept.contains { isAt(place.box, $0) }
        }
    }

    /// A strong detection shows the same standing object as a track if their IoU exceeds this value.
    private static let sameObject = 0.3

    /// Whether a saliency network should process the latest frame. This is the case if salient objects are wanted and
    /// the detector's result for the frame contains no object.
    package var wantsProminent: Bool { options.detectsSalient && hasResult && seen.isEmpty }

    /// Applies the result of a saliency network for the latest frame if ``wantsProminent`` is true. The first detection
    /// that passes the filter, and that shows no excluded object, becomes the only object if its score reaches the
    /// threshold.
    package func observeProminent(_ detections: [Detection], threshold: Double) {
        guard wantsProminent,
            let detection = detections.first(where: { passes($0) && !SalientObjects.isExplained($0.box, by: excluded) })
        else { return }
        if detection.score < threshold {
            reject(detection, .belowThreshold)
        } else {
            seen = [sighting(of: detection, at: now)]
        }
    }

    /// Returns whether a saliency network should process the latest frame of a video. If so, the call counts as a run
    /// of the network.
    package func beginsSalientRun() -> Bool { options.detectsSalientInVideo && salient.isDue(at: now) }

    /// Applies the result of a saliency network for the frame at `time` of a video.
    package func observeSalient(_ detections: [Detection], seenAt time: Nanoseconds) {
        guard options.detectsSalientInVideo else { return }
        salient.observe(
            detections.filter(passes), at: time.clampedToRange, pictureArea: Double(width * height),
            beside: tracker.places { _ in true }, takeID: tracker.takeID)
    }

    /// Returns a track without an id for a detection. Used if objects are not tracked.
    private func sighting(of detection: Detection, at time: Nanoseconds) -> Track {
        var track = Track(
            box: detection.box, score: detection.score, label: detection.label, state: .new, firstSeen: time,
            lastSeen: time, timeSinceUpdate: now - time)
        if time == now { track.origin = detection.origin }
        return track
    }

    /// Returns whether the filter accepts a detection. Counts the detections that the filter rejects.
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
    ///   - frame: the picture for the classifier. With `nil`, categories are derived from labels alone.
    ///   - waiting: whether to wait for the classifier. Results then do not depend on the machine's speed. Single-image
    ///     mode always waits.
    package func objects(in frame: Frame?, waiting: Bool = false) throws -> [SceneObject] {
        var known = options.follows ? tracker.tracks : seen
        if options.follows { labels.withholdImplausibleLabels(of: &known, at: now) }
        findUnclassified(beside: &known)
        try reidentify(&known, in: frame)
        let all = unlabelled.isEmpty ? known : known + unlabelled
        if options.follows { watch.follow(all, at: now, isTracked: isTracked) } else { watch.count(all) }
        let chosen = choose(among: known)
        if options.multipleObjects {
            let others = unlabelled.isEmpty ? [] : prominenceOfUnclassified.leftOut
            leftOut.note(prominence.leftOut + others, beside: chosen.count { $0.state != .lost })
        }
        let verdicts =
            options.classify
            ? try classifier?.classify(chosen, in: frame, wait: waiting || options.mode == .singleImage) : nil
        let objects = chosen.enumerated().map { rank, track in
            SceneObject(
                track: track, category: verdicts?[rank].category ?? .unknown,
                confidence: verdicts?[rank].confidence, classifierLabel: verdicts?[rank].classifierLabel,
                isProminent: rank == 0 && track.state != .lost, rank: rank, zones: track.id.map(watch.zones) ?? [])
        }
        report(of: objects)
        return objects
    }

    /// Returns the boxes of all objects that may have one of the labels, given in lower case. An object without a label
    /// may have any. An empty set selects all objects. Tentative, coasting and unreported objects are included.
    package func places(of labels: Set<String>) -> [Box] {
        func isMeant(_ label: Label) -> Bool { labels.contains(label.text.normalisedLabel) }
        if options.follows {
            let tracked = tracker.places {
                labels.isEmpty || $0.contains(where: isMeant) || !$0.contains { _ in true }
            }
            return tracked + unclassified.places + salient.tracks.map(\.box)
        }
        return seen.filter { labels.isEmpty || $0.label.map(isMeant) ?? true }.map(\.box)
    }

    private var unlabelled: [Track] { options.detectsMoving ? unclassified.tracks : salient.tracks }

    private func findUnclassified(beside named: inout [Track]) {
        if options.detectsSalientInVideo {
            salient.update(to: now, at: plane, beside: tracker.places { _ in true })
        } else if !salient.isFresh {
            salient.reset(reason: .lost)
        }
        if options.detectsMoving {
            unclassified.update(beside: &named, of: tracker, passes: passes)
        } else if !unclassified.isFresh {
            unclassified.reset(reason: .lost)
        }
    }

    private func reidentify(_ tracks: inout [Track], in frame: Frame?) throws {
        guard options.follows, reidentifier != nil else { return }
        let changes = try reidentifier?.follow(
            &tracks, in: options.reidentify ? frame : nil, at: now, retention: options.reidentifyFor,
            maxAge: options.tracker.maxAge)
        for change in changes ?? [] {
            leftOut.forget(change.from)
            watch.rename(change.from, to: change.to)
            prominence.rename(change.from, to: change.to)
            classifier?.rename(change.from, to: change.to)
            guard var object = reported.removeValue(forKey: change.from) else { continue }
            note(.end, object, reason: .reidentified)
            // The event of the earlier id always follows, even if the object is not selected in this frame.
            guard let track = tracks.first(where: { $0.id == change.to }) else { continue }
            object.track = track
            reported[change.to] = object
            note(firstEventKind(of: change.to), object)
        }
    }

    /// Selects the most prominent labelled objects. If these are fewer than the limit, adds the most prominent
    /// unclassified objects.
    private func choose(among named: [Track]) -> [Track] {
        let chosen = prominence.choose(
            named, limit: options.limit, reportsCoasting: options.reportsCoasting, width: width, height: height,
            time: now)
        if unlabelled.isEmpty { return chosen }
        let present = chosen.filter { $0.state != .lost }
        let others = prominenceOfUnclassified.choose(
            unlabelled, limit: options.limit - present.count, reportsCoasting: options.reportsCoasting, width: width,
            height: height, time: now)
        return present + others.filter { $0.state != .lost } + (chosen + others).filter { $0.state == .lost }
    }

    /// Whether the latest frame began a new scene, which ends all earlier tracks.
    package var isCut: Bool { options.follows && tracker.isCut }

    /// Returns the states of the tracks of the detector's objects, without unclassified and salient objects. `nil`
    /// without tracking or before the first frame.
    package func snapshot() -> TrackerSnapshot? { options.follows ? tracker.snapshot() : nil }

    /// The number of objects before the selection of the most prominent ones, including objects without a label.
    package var trackCount: Int { options.follows ? tracker.trackCount + unlabelled.count : seen.count }

    /// Whether at least one track is tentative or missed, so the next result is likely to change the objects. Always
    /// `true` without tracking.
    package var isUndecided: Bool { !options.follows || tracker.isUndecided }

    package func takeRejections() -> Rejections {
        if rejections.isEmpty { return rejections }
        defer { rejections.removeAll() }
        return rejections
    }

    package func takeEvents() -> [SceneEvent] { events.takeAll() }

    /// The counts of ``zones`` so far, in the order of the zones. Zones of the kind `ignore` have no count.
    package var zoneCounts: [ZoneCount] { watch.counts }

    package func takeZoneEvents() -> [ZoneEvent] { zoneEvents.takeAll() + watch.takeEvents() }

    /// Ends all objects and resets the state that is derived from them. Later objects get new ids.
    package func reset(reason: TrackEvent.Reason) {
        tracker.reset(reason: reason)
        unclassified.reset(reason: reason)
        salient.reset(reason: reason)
        labels.reset()
        report(of: [])
        watch.reset()
        classifier?.reset()
        reidentifier?.reset()
        prominence.reset()
        prominenceOfUnclassified.reset()
        (seen, excluded) = ([], [])
        reported = [:]
        latestCut = .min
    }

    private func resetZones() {
        watch.reset()
        zoneEvents += watch.takeEvents()
        watch = ZoneWatch(zones)
    }

    /// Without tracking, marks the objects of the latest result as coasting in a new frame. Removes objects that are
    /// older than the maximum age of tracks. In single-image mode, removes all objects.
    private func ageDetections() {
        for index in seen.indices {
            seen[index].state = .coasting
            seen[index].origin = nil
            seen[index].timeSinceUpdate = now - seen[index].lastSeen
        }
        seen.removeAll { options.mode == .singleImage || $0.timeSinceUpdate > options.tracker.maxAge }
    }

    /// Converts track events to events of reported objects. The begin event of an object is posted when the object is
    /// reported for the first time.
    private func report(of objects: [SceneObject]) {
        for object in objects where object.track.state != .lost {
            guard let id = object.track.id else { continue }
            let before = reported.updateValue(object, forKey: id)
            let hasChanged =
                before.map {
                    $0.category != object.category || $0.track.label != object.track.label
                        || $0.classifierLabel?.label != object.classifierLabel?.label
                } ?? true
            guard hasChanged else { continue }
            note(before != nil ? .update : firstEventKind(of: id), object)
        }
        for event in tracker.takeEvents() + unclassified.takeEvents() + salient.takeEvents() where event.kind == .end {
            guard let number = event.track.id else { continue }
            let id = reidentifier?.end(number) { reported[$0] != nil } ?? number
            leftOut.forget(id)
            guard let object = reported.removeValue(forKey: id) else { continue }
            var event = event
            event.track.id = id
            // If the object's label was removed (``LabelContext``), the end event has no label, either.
            if object.track.label == nil { event.track.label = nil }
            append(event, of: object)
        }
    }

    /// Returns the kind of the first event of an object with this id.
    private func firstEventKind(of id: Int) -> TrackEvent.Kind {
        reidentifier?.hasReturned(id) ?? false ? .reentered : .begin
    }

    private func note(_ kind: TrackEvent.Kind, _ object: SceneObject, reason: TrackEvent.Reason? = nil) {
        let track = object.track
        let (best, pathLength) =
            track.id.flatMap(summary) ?? ((score: track.score, box: track.box, time: track.lastSeen), 0)
        let event = TrackEvent(kind: kind, track: track, best: best, pathLength: pathLength, reason: reason)
        append(event, of: object)
    }

    private func append(_ event: TrackEvent, of object: SceneObject) {
        events.append(
            SceneEvent(event: event, category: object.category, classifierLabel: object.classifierLabel?.label))
    }

    /// Returns whether the track with a reported id has not ended. An id that was replaced by re-identification has.
    private func isTracked(_ id: Int) -> Bool {
        let number = reidentifier?.number(of: id) ?? id
        return summary(of: id) != nil && reidentifier?.identity(of: number) ?? id == id
    }

    /// Returns the best detection and the path length of an object. `nil` if its track has ended.
    private func summary(of id: Int) -> (best: Track.Best, pathLength: Double)? {
        let number = reidentifier?.number(of: id) ?? id
        return tracker.summary(of: number) ?? unclassified.summary(of: number) ?? salient.summary(of: number)
    }
}
