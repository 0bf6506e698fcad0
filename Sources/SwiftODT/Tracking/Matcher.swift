/// Matches the detections of a result with the tracks, in the four stages that docs/tracking.md lists. Each stage
/// assigns the ``CandidatePairs`` with the greatest total gain.
struct Matcher: ~Copyable {
    struct Pair: Sendable {
        var track: Int
        var detection: FilteredDetection
    }

    private(set) var pairs = ScratchList<Pair>()
    /// The strong detections that match no track and can begin a new track.
    private(set) var unmatched = ScratchList<FilteredDetection>()
    private(set) var isTrackMatched = ScratchList<Bool>()
    /// For each detection of the result: whether it is matched with a track.
    private(set) var isTaken = ScratchList<Bool>()
    /// The camera motion in pixels that the predicted boxes do not include.
    private(set) var shift = SIMD2<Double>.zero

    private(set) var appearances = DetectionAppearances()
    private(set) var preFilter = DetectionPreFilter()

    private var bimodalThreshold = BimodalScoreThreshold()
    private var options = TrackerOptions()
    private var time: Nanoseconds = 0
    private var candidates = CandidatePairs()
    private var assignment = Assignment()
    private var camera = CameraMotion()
    // The tracks and detections for the next stages.
    private var confirmed = ScratchList<Int>()
    private var tentative = ScratchList<Int>()
    private var strong = ScratchList<FilteredDetection>()
    private var weak = ScratchList<FilteredDetection>()

    mutating func match(
        _ detections: [Detection], of region: InferredRegion?, in plane: LumaPlane?,
        with tracks: UnsafeBufferPointer<Tracklet>, at time: Nanoseconds, options: TrackerOptions
    ) {
        (self.options, self.time) = (options, time)
        let heuristics = options.heuristics
        preFilter.accept(detections, from: options.scoreFloor, of: region, heuristics: heuristics)
        appearances.compute(
            at: preFilter.accepted.view, of: detections.count, in: heuristics.contains(.appearance) ? plane : nil)
        bimodalThreshold.learn(from: preFilter.accepted.view, at: time)
        begin(tracks, count: detections.count)
        findShift(tracks)
        appearances.countClaims(candidates, strong.view)
        associate(tracks, confirmed.view, at: .predicted, strong.view, threshold: TrackerTuning.candidateOverlap)
        if heuristics.contains(.secondAssociation) {
            candidates.find(confirmed.view, of: tracks, at: .predicted, shift: shift, among: weak.view)
            associate(tracks, confirmed.view, at: .predicted, weak.view, threshold: TrackerTuning.weakOverlap)
        }
        if heuristics.contains(.lastPosition) {
            candidates.find(confirmed.view, of: tracks, at: .lastSeen, shift: shift, among: strong.view)
            associate(tracks, confirmed.view, at: .lastSeen, strong.view, threshold: TrackerTuning.lastPositionOverlap)
        }
        candidates.find(tentative.view, of: tracks, at: .predicted, shift: shift, among: strong.view)
        associate(tracks, tentative.view, at: .predicted, strong.view, threshold: TrackerTuning.candidateOverlap)
        for detection in strong.view where !detection.isBelowThreshold { unmatched.append(detection) }
        // Sorts by score. Detections with higher scores thus get lower track ids.
        unmatched.sort { $0.score > $1.score }
        if let region { dropFragments(of: tracks, in: region) }
    }

    private mutating func begin(_ tracks: UnsafeBufferPointer<Tracklet>, count: Int) {
        pairs.clear()
        unmatched.clear()
        confirmed.clear()
        tentative.clear()
        strong.clear()
        weak.clear()
        isTaken.reset(to: false, count: count)
        isTrackMatched.reset(to: false, count: tracks.count)
        for index in tracks.indices {
            if tracks[index].isConfirmed { confirmed.append(index) } else { tentative.append(index) }
        }
        let threshold = options.scoreThreshold
        let strongest =
            options.heuristics.contains(.bimodalThreshold)
            ? bimodalThreshold.effectiveThreshold(from: threshold) : threshold
        for var detection in preFilter.accepted.view {
            detection.isBelowThreshold = detection.ownScore < threshold
            if detection.score < strongest { weak.append(detection) } else { strong.append(detection) }
        }
    }

    /// Finds the ``candidates`` of the first stage. Estimates the camera motion from the offsets of predicted boxes to
    /// their nearest detections, in two rounds if the first estimate changes the pairs.
    private mutating func findShift(_ tracks: UnsafeBufferPointer<Tracklet>) {
        shift = .zero
        candidates.find(confirmed.view, of: tracks, at: .predicted, shift: shift, among: strong.view)
        guard options.heuristics.contains(.cameraMotion), confirmed.count >= CameraMotion.minimumCount,
            strong.count >= CameraMotion.minimumCount
        else { return }
        for _ in 0..<2 {
            camera.begin()
            // Uses about 24 tracks, which are enough for an estimate.
            for row in stride(from: 0, to: confirmed.count, by: max(1, (confirmed.count + 23) / 24)) {
                let track = tracks.baseAddress.unsafelyUnwrapped + confirmed[row]
                guard track.pointee.misses == 0, track.pointee.sightings.count > 2,
                    let nearest = candidates.places(of: row).max(by: {
                        candidates.all[$0].overlap < candidates.all[$1].overlap
                    })
                else { continue }
                let (seen, expected) = (strong[candidates.all[nearest].column].box, track.pointee.filter.position)
                camera.add(SIMD2(seen.centerX - expected.x, seen.centerY - expected.y))
            }
            let before = shift
            shift = camera.estimate()
            // The box margin of ``CandidatePairs`` covers smaller changes.
            if abs(shift.x - before.x) + abs(shift.y - before.y) < 2 { return }
            candidates.find(confirmed.view, of: tracks, at: .predicted, shift: shift, among: strong.view)
        }
    }

    /// Assigns ``candidates`` to the tracks with the indices `rows`, and removes matched tracks and detections from
    /// the next stages. `threshold` is the minimum overlap (gate).
    private mutating func associate(
        _ tracks: UnsafeBufferPointer<Tracklet>, _ rows: UnsafeBufferPointer<Int>, at place: CandidatePairs.Place,
        _ detections: UnsafeBufferPointer<FilteredDetection>, threshold: Double
    ) {
        if candidates.all.isEmpty { return }
        assignment.begin(columns: detections.count)
        for row in rows.indices {
            let track = tracks.baseAddress.unsafelyUnwrapped + rows[row]
            // After a longer time without a strong detection, the track is probably a false positive or has switched to
            // another object. Weak detections then do not continue it.
            let isEstablished =
                time - track.pointee.lastStrong <= max(options.maxAge, track.pointee.timeStrong) / 2
                || !options.heuristics.contains(.establishedLimit)
            for index in candidates.places(of: row) {
                let candidate = candidates.all[index]
                if detections[candidate.column].isBelowThreshold, !isEstablished { continue }
                let gain = gain(
                    of: detections[candidate.column], for: track, at: place, overlap: candidate.overlap,
                    threshold: threshold)
                assignment.offer(column: candidate.column, gain: gain)
            }
            assignment.endRow()
        }
        assignment.solve()
        for row in rows.indices {
            let column = assignment.column(of: row)
            if column < 0 { continue }
            let (track, detection) = (rows[row], detections[column])
            isTaken[detection.source] = true
            isTrackMatched[track] = true
            if tracks[track].misses == 0 { appearances.learn(from: tracks[track].appearance, detection) }
            pairs.append(Pair(track: track, detection: detection))
        }
        let (matched, taken) = (isTrackMatched.view, isTaken.view)
        confirmed.keep { !matched[$0] }
        strong.keep { !taken[$0.source] }
    }

    /// Returns the gain of a pair, 0 or less if it is not allowed. Takes a pointer, because a copy of a tracklet is slow.
    @inline(__always)
    private func gain(
        of detection: FilteredDetection, for track: UnsafePointer<Tracklet>, at place: CandidatePairs.Place,
        overlap: Double, threshold: Double
    ) -> Double {
        let heuristics = options.heuristics
        let isOther =
            detection.label != -1 && track.pointee.votes.leaderIndex != -1
            && detection.label != track.pointee.votes.leaderIndex
        let factor = isOther ? TrackerTuning.otherLabelFactor : 1
        if place == .lastSeen || !track.pointee.isConfirmed { return overlap * factor - threshold }
        let expected = track.pointee.filter.box.offset(x: shift.x, y: shift.y)
        let closer = ExpandedBox(expected, by: TrackerTuning.gainMargin)
            .overlap(ExpandedBox(detection.box, by: TrackerTuning.gainMargin))
        let share = (heuristics.contains(.gainMargin) ? closer.shared / closer.whole : overlap) * factor
        guard share > threshold else { return 0 }
        var gain =
            share * (heuristics.contains(.heightIoU) ? Self.heightAgreement(expected, detection.box).squareRoot() : 1)
            - threshold
        guard gain > 0 else { return 0 }
        if heuristics.contains(.motionSimilarity) {
            gain += TrackerTuning.motionWeight * track.pointee.filter.similarity(detection.box, shift: shift)
        }
        if heuristics.contains(.trackAge) {
            let age = Double(track.pointee.timeStrong) / 1e9
            gain += TrackerTuning.trackAgeWeight * age / (age + TrackerTuning.halfTrackAge)
        }
        if heuristics.contains(.confidenceCost) {
            gain -= TrackerTuning.confidenceWeight * abs(detection.ownScore - track.pointee.averageScore)
        }
        return max(gain, 1e-6) + appearances.utility(of: track.pointee.appearance, at: expected, detection)
    }

    /// Returns the IoU of the vertical extents, which separates people side by side (Hybrid-SORT).
    private static func heightAgreement(_ a: Box, _ b: Box) -> Double {
        let shared = min(a.maxY, b.maxY) - max(a.minY, b.minY)
        let whole = max(a.maxY, b.maxY) - min(a.minY, b.minY)
        return whole > 0 ? max(0, shared) / whole : 0
    }

    /// Drops unmatched detections that may be fragments of a tracked object at the region's edge. A fragment covers a
    /// part of the object's box, and its score is not much higher than the object's. If the labels differ, it must fill
    /// the visible part of the object's box. Otherwise, it could be a person in front of a bus.
    private mutating func dropFragments(of tracks: UnsafeBufferPointer<Tracklet>, in region: InferredRegion) {
        unmatched.keep { detection in
            !tracks.contains { track in
                let (box, object, name) = (detection.box, track.filter.box, track.votes.leaderIndex)
                guard track.isConfirmed, region.cuts(object) else { return false }
                if name == -1 || detection.label == -1 || name == detection.label {
                    return TileFragment.isDetail(box, score: detection.score, of: object, score: track.score)
                }
                return TileFragment.lies(box, within: object)
                    && object.intersection(region.box).iou(box) > TrackerTuning.fragmentOverlap
            }
        }
    }
}
