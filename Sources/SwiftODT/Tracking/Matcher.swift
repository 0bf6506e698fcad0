/// Matches a detector's result with the tracks, in stages: strong detections, then weak detections (ByteTrack), then
/// the last observed positions of tracks that are still unmatched, then tentative tracks.
struct Matcher: ~Copyable {
    private(set) var pairs = ScratchList<Association.Pair>()
    /// Strong detections without a track.
    private(set) var unmatched = ScratchList<FilteredDetection>()
    private(set) var isTrackMatched = ScratchList<Bool>()
    /// By a detection's index in the result.
    private(set) var isTaken = ScratchList<Bool>()
    /// The camera motion since the prediction, in pixels.
    private(set) var shift = SIMD2<Double>.zero

    private(set) var appearances = DetectionAppearances()
    private var scores = ScoreStatistics()
    private var bimodalThreshold = BimodalScoreThreshold()

    /// The numbers of rejected detections since the beginning.
    var unused: UnusedDetections { preFilter.unused }

    private var preFilter = DetectionPreFilter()
    private var neighbours = CandidatePairs()
    private var association = Association()
    private var camera = CameraMotion()
    // The tracks (indices of confirmed and tentative ones) and detections that the next stage may match.
    private var shown = ScratchList<Int>()
    private var young = ScratchList<Int>()
    private var established = ScratchList<Int>()
    private var strong = DetectionIndex()
    private var weak = DetectionIndex()

    /// Matches one result with the tracks; the outcome is in ``pairs``, ``unmatched`` and the flags.
    mutating func match(
        _ answer: [Detection], of region: InferredRegion?, in plane: LumaPlane?,
        with tracks: UnsafeBufferPointer<Tracklet>,
        at time: Nanoseconds,
        options: TrackerOptions
    ) {
        preFilter.accept(answer, from: options.scoreFloor, of: region)
        appearances.compute(at: preFilter.accepted.view, of: answer.count, in: plane)
        bimodalThreshold.learn(from: preFilter.accepted.view, at: time)
        begin(tracks, answers: answer.count, threshold: options.scoreThreshold)
        findShift(tracks)
        appearances.countClaims(neighbours, on: strong.detections.view)
        pass(.strong, tracks, shown.view, strong.detections.view, at: time, maximumAge: options.maxAge)
        keepFree()
        if !weak.isEmpty {
            findEstablished(for: tracks, at: time, maximumAge: options.maxAge)
            neighbours.find(of: established.view, tracks, at: .predicted, shift: shift, in: &weak)
            pass(.weak, tracks, established.view, weak.detections.view, at: time, maximumAge: options.maxAge)
            keepFree()
        }
        if !strong.isEmpty {
            neighbours.find(of: shown.view, tracks, at: .lastSeen, shift: shift, in: &strong)
            pass(.reappearing, tracks, shown.view, strong.detections.view, at: time, maximumAge: options.maxAge)
            keepFree()
            neighbours.find(of: young.view, tracks, at: .lastSeen, shift: shift, in: &strong)
            pass(.young, tracks, young.view, strong.detections.view, at: time, maximumAge: options.maxAge)
        }
        findUnmatched()
        if let region { dropFragments(of: tracks, in: region) }
    }

    /// Sorts tracks into confirmed and tentative, and detections into strong and weak.
    private mutating func begin(_ tracks: UnsafeBufferPointer<Tracklet>, answers: Int, threshold: Double) {
        pairs.clear()
        unmatched.clear()
        isTaken.reset(to: false, count: answers)
        isTrackMatched.reset(to: false, count: tracks.count)
        shown.clear()
        young.clear()
        strong.removeAll()
        weak.removeAll()
        for index in tracks.indices {
            if tracks[index].isShown { shown.append(index) } else { young.append(index) }
        }
        let effectiveThreshold = bimodalThreshold.effectiveThreshold(from: threshold)
        for var detection in preFilter.accepted.view {
            detection.isUncertain = detection.ownScore < threshold
            if detection.score >= effectiveThreshold { strong.append(detection) } else { weak.append(detection) }
        }
    }

    /// Estimates the camera motion, in up to two rounds, because a first estimate gives better pairs for the second.
    ///
    /// Leaves the ``CandidatePairs`` of the first stage in ``neighbours``.
    private mutating func findShift(_ tracks: UnsafeBufferPointer<Tracklet>) {
        shift = .zero
        neighbours.find(of: shown.view, tracks, at: .predicted, shift: shift, in: &strong)
        guard shown.count >= CameraMotion.minimumCount, strong.detections.count >= CameraMotion.minimumCount else {
            return
        }
        for _ in 0..<2 {
            let before = shift
            shift = apparentShift(of: tracks)
            // The margin of ``CandidatePairs`` covers a smaller change.
            if abs(shift.x - before.x) + abs(shift.y - before.y) < 2 { return }
            neighbours.find(of: shown.view, tracks, at: .predicted, shift: shift, in: &strong)
        }
    }

    /// Returns the typical displacement from a track's prediction to its nearest detection.
    private mutating func apparentShift(of tracks: UnsafeBufferPointer<Tracklet>) -> SIMD2<Double> {
        camera.begin()
        // About 24 tracks are enough for an estimate.
        let every = max(1, (shown.count + 23) / 24)
        for row in stride(from: 0, to: shown.count, by: every) {
            let track = tracks.baseAddress.unsafelyUnwrapped + shown[row]
            guard track.pointee.misses == 0, track.pointee.hits > 2, let nearest = neighbours.nearest(of: row)
            else { continue }
            let (seen, expected) = (strong.detections[nearest].box, track.pointee.filter.position)
            camera.add(SIMD2(seen.centerX - expected.x, seen.centerY - expected.y))
        }
        return camera.estimate()
    }

    /// Finds the confirmed tracks that weak detections may continue.
    private mutating func findEstablished(
        for tracks: UnsafeBufferPointer<Tracklet>, at time: Nanoseconds, maximumAge: Nanoseconds
    ) {
        established.clear()
        for index in shown.view where tracks[index].isEstablished(at: time, maximumAge: maximumAge) {
            established.append(index)
        }
    }

    /// Runs one stage on the unmatched tracks and detections.
    private mutating func pass(
        _ rule: Association.Rule, _ tracks: UnsafeBufferPointer<Tracklet>, _ rows: UnsafeBufferPointer<Int>,
        _ detections: UnsafeBufferPointer<FilteredDetection>, at time: Nanoseconds, maximumAge: Nanoseconds
    ) {
        association.match(
            tracks, rows, neighbours, with: detections, at: time, maximumAge: maximumAge, rule: rule, shift: shift,
            appearances: appearances, scoreWeight: scores.weight)
        for pair in association.pairs.view {
            isTaken[pair.detection.source] = true
            isTrackMatched[pair.track] = true
            if tracks[pair.track].misses == 0 { appearances.learn(from: tracks[pair.track].appearance, pair.detection) }
            pairs.append(pair)
        }
        if rule.usesScores { learnScores(tracks, detections) }
    }

    /// Learns score differences from the pairs of a stage, and from each pair's next detection as a different object.
    private mutating func learnScores(
        _ tracks: UnsafeBufferPointer<Tracklet>, _ detections: UnsafeBufferPointer<FilteredDetection>
    ) {
        if detections.count < 2 { return }
        for pair in association.pairs.view where tracks[pair.track].misses == 0 {
            let usual = tracks[pair.track].scoreAverage
            let other = detections[pair.column + 1 < detections.count ? pair.column + 1 : 0]
            scores.learn(
                fromItself: usual.distance(to: pair.detection.ownScore), fromOther: usual.distance(to: other.ownScore))
        }
    }

    /// Removes the tracks and detections that the stage matched.
    private mutating func keepFree() {
        if association.pairs.isEmpty { return }
        let matched = isTrackMatched.view
        shown.keep { !matched[$0] }
        strong.drop(where: isTaken.view)
    }

    private mutating func findUnmatched() {
        for detection in strong.detections.view
        where !detection.isUncertain && !isTaken[detection.source] && !isPart(detection) {
            unmatched.append(detection)
        }
        // Detections with higher scores get lower ids.
        unmatched.sort { $0.score > $1.score }
    }

    /// Drops unmatched detections that may be a fragment or a detail of an object that the region's edge cuts.
    private mutating func dropFragments(of tracks: UnsafeBufferPointer<Tracklet>, in region: InferredRegion) {
        unmatched.keep { unmatchedDetection in
            !tracks.contains { track in
                track.isShown && region.cuts(track.filter.box)
                    && Self.isFragment(unmatchedDetection, of: track, in: region)
            }
        }
    }

    /// Returns whether a detection is a fragment of a cut track. With the same or an unknown label it is one unless
    /// its score is much higher. With another label it is one only if it fills the visible part of the object:
    /// otherwise it is a different object in front of a table, a bed or a bus.
    private static func isFragment(_ detection: FilteredDetection, of track: Tracklet, in region: InferredRegion)
        -> Bool
    {
        let (box, object) = (detection.box, track.filter.box)
        let name = track.votes.leaderIndex
        if name < 0 || detection.label < 0 || name == detection.label {
            return TileFragment.isDetail(box, score: detection.score, of: object, score: track.score)
        }
        return TileFragment.lies(box, within: object) && object.intersection(region.box).iou(box) > filling
    }

    /// The minimum IoU of a fragment with another label and the visible part of the object.
    private static let filling = 0.5

    /// Returns whether the detection is a second box on an already matched object.
    private func isPart(_ detection: FilteredDetection) -> Bool {
        pairs.view.contains { $0.detection.box.iou(detection.box) > 0.5 }
    }
}
