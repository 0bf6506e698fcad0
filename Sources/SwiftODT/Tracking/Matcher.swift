/// Matches the detections of a result with the tracks in four stages, in this order.
///
/// - Strong detections, with a score above the threshold, are matched with confirmed tracks.
/// - Weak detections are matched with unmatched tracks that are established, see
///   ``Tracklet/isEstablished(at:maximumAge:)`` (second association, ByteTrack).
/// - Strong detections are matched with the last observed positions of confirmed tracks. An object may stop or turn
///   while it is occluded, so its predicted position may be wrong (observation-centric recovery, OC-SORT).
/// - Strong detections are matched with tentative tracks, which have no reliable velocity yet.
///
/// Each stage computes the gain of each candidate pair, see ``CandidatePairs``, and solves the assignment problem with
/// the greatest total gain. In the problem a row stands for a track and a column for a detection.
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
    // The tracks (by index) and the detections of the next stage.
    private var confirmed = ScratchList<Int>()
    private var tentative = ScratchList<Int>()
    private var strong = ScratchList<FilteredDetection>()
    private var weak = ScratchList<FilteredDetection>()

    /// Matches one result with the tracks. The outcome is in ``pairs``, ``unmatched``, ``isTrackMatched`` and
    /// ``isTaken``.
    mutating func match(
        _ detections: [Detection], of region: InferredRegion?, in plane: LumaPlane?,
        with tracks: UnsafeBufferPointer<Tracklet>,
        at time: Nanoseconds,
        options: TrackerOptions
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
        associate(
            tracks, confirmed.view, strong.view, threshold: TrackerTuning.candidateOverlap, isThorough: true)
        if !weak.isEmpty, heuristics.contains(.secondAssociation) {
            candidates.find(confirmed.view, of: tracks, at: .predicted, shift: shift, among: weak.view)
            associate(tracks, confirmed.view, weak.view, threshold: TrackerTuning.weakOverlap, isThorough: true)
        }
        if !strong.isEmpty {
            if heuristics.contains(.lastPosition) {
                candidates.find(confirmed.view, of: tracks, at: .lastSeen, shift: shift, among: strong.view)
                associate(
                    tracks, confirmed.view, strong.view, threshold: TrackerTuning.lastPositionOverlap,
                    isThorough: false)
            }
            candidates.find(tentative.view, of: tracks, at: .lastSeen, shift: shift, among: strong.view)
            associate(
                tracks, tentative.view, strong.view, threshold: TrackerTuning.candidateOverlap, isThorough: false)
        }
        for detection in strong.view where !detection.isWeak { unmatched.append(detection) }
        // Sorts by score. Detections with higher scores thus get lower track ids.
        unmatched.sort { $0.score > $1.score }
        if let region { dropFragments(of: tracks, in: region) }
    }

    /// Divides the tracks into confirmed and tentative ones, and the detections into strong and weak ones.
    private mutating func begin(_ tracks: UnsafeBufferPointer<Tracklet>, count: Int) {
        pairs.clear()
        unmatched.clear()
        isTaken.reset(to: false, count: count)
        isTrackMatched.reset(to: false, count: tracks.count)
        confirmed.clear()
        tentative.clear()
        strong.clear()
        weak.clear()
        for index in tracks.indices {
            if tracks[index].isConfirmed { confirmed.append(index) } else { tentative.append(index) }
        }
        let threshold = options.scoreThreshold
        let strongest =
            options.heuristics.contains(.bimodalThreshold)
            ? bimodalThreshold.effectiveThreshold(from: threshold) : threshold
        for var detection in preFilter.accepted.view {
            detection.isWeak = detection.ownScore < threshold
            if detection.score < strongest { weak.append(detection) } else { strong.append(detection) }
        }
    }

    /// Estimates the camera motion in up to two rounds. With the estimate of the first round, the second round finds
    /// better pairs.
    ///
    /// After the call, ``candidates`` contains the pairs of the first stage.
    private mutating func findShift(_ tracks: UnsafeBufferPointer<Tracklet>) {
        shift = .zero
        candidates.find(confirmed.view, of: tracks, at: .predicted, shift: shift, among: strong.view)
        guard options.heuristics.contains(.cameraMotion), confirmed.count >= CameraMotion.minimumCount,
            strong.count >= CameraMotion.minimumCount
        else { return }
        for _ in 0..<2 {
            let before = shift
            shift = apparentShift(of: tracks)
            // If the estimate changes by less than 2 pixels, the pairs are not searched again: the box margin of
            // ``CandidatePairs`` covers the change.
            if abs(shift.x - before.x) + abs(shift.y - before.y) < 2 { return }
            candidates.find(confirmed.view, of: tracks, at: .predicted, shift: shift, among: strong.view)
        }
    }

    /// Estimates the camera motion in pixels from the displacements between predicted boxes and their nearest
    /// detections.
    private mutating func apparentShift(of tracks: UnsafeBufferPointer<Tracklet>) -> SIMD2<Double> {
        camera.begin()
        // Uses about 24 tracks, which are enough for an estimate.
        let every = max(1, (confirmed.count + 23) / 24)
        for row in stride(from: 0, to: confirmed.count, by: every) {
            let track = tracks.baseAddress.unsafelyUnwrapped + confirmed[row]
            guard track.pointee.misses == 0, track.pointee.sightings.count > 2,
                let nearest = candidates.nearest(of: row)
            else { continue }
            let (seen, expected) = (strong[nearest].box, track.pointee.filter.position)
            camera.add(SIMD2(seen.centerX - expected.x, seen.centerY - expected.y))
        }
        return camera.estimate()
    }

    /// Assigns ``candidates`` to the tracks with the indices `rows`, and removes matched tracks and detections from
    /// the next stages.
    ///
    /// - Parameters:
    ///   - threshold: the minimum overlap of a matched pair (gate). The overlap is the IoU of expanded boxes, reduced
    ///     if the labels differ.
    ///   - isThorough: whether the gain includes height, motion, track age, score and appearance in addition to overlap
    ///     and label. If true, the overlap is computed again with a smaller margin than in ``CandidatePairs``.
    private mutating func associate(
        _ tracks: UnsafeBufferPointer<Tracklet>, _ rows: UnsafeBufferPointer<Int>,
        _ detections: UnsafeBufferPointer<FilteredDetection>, threshold: Double, isThorough: Bool
    ) {
        if candidates.all.isEmpty { return }
        assignment.begin(columns: detections.count)
        for row in rows.indices {
            let track = tracks.baseAddress.unsafelyUnwrapped + rows[row]
            let isEstablished =
                track.pointee.isEstablished(at: time, maximumAge: options.maxAge)
                || !options.heuristics.contains(.establishedLimit)
            for place in candidates.places(of: row) {
                let candidate = candidates.all[place]
                let column = Int(candidate.column)
                if detections[column].isWeak, !isEstablished { continue }
                let gain = gain(
                    of: detections[column], for: track, overlap: candidate.overlap, threshold: threshold,
                    isThorough: isThorough)
                assignment.offer(column: column, gain: gain)
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

    /// Returns the gain of a pair. It is 0 or less if the pair is not allowed. Takes a pointer, because a tracklet is
    /// large and a copy is slow.
    @inline(__always)
    private func gain(
        of detection: FilteredDetection, for track: UnsafePointer<Tracklet>, overlap: Double, threshold: Double,
        isThorough: Bool
    ) -> Double {
        let heuristics = options.heuristics
        let isOther =
            detection.label >= 0 && track.pointee.votes.leaderIndex >= 0
            && detection.label != track.pointee.votes.leaderIndex
        let factor = isOther ? TrackerTuning.otherLabelFactor : 1
        if !isThorough { return overlap * factor - threshold }
        let expected = track.pointee.filter.box.offset(x: shift.x, y: shift.y)
        let closer = ExpandedBox(expected, by: TrackerTuning.gainMargin)
            .overlap(ExpandedBox(detection.box, by: TrackerTuning.gainMargin))
        let share = (heuristics.contains(.gainMargin) ? closer.shared / closer.whole : overlap) * factor
        guard share > threshold else { return 0 }
        let similarity =
            share * (heuristics.contains(.heightIoU) ? Self.heightAgreement(expected, detection.box).squareRoot() : 1)
            - threshold
        guard similarity > 0 else { return 0 }
        let motion =
            !heuristics.contains(.motionSimilarity)
            ? 0 : TrackerTuning.motionWeight * track.pointee.filter.similarity(detection.box, shift: shift)
        // If two tracks compete for one detection, this part of the gain favours the older track.
        let age = track.pointee.secondsStrong
        let ageGain =
            heuristics.contains(.trackAge)
            ? TrackerTuning.trackAgeWeight * age / (age + TrackerTuning.halfTrackAge) : 0
        let scoreCost =
            !heuristics.contains(.confidenceCost)
            ? 0 : TrackerTuning.confidenceWeight * abs(detection.ownScore - track.pointee.averageScore)
        return max(similarity + motion + ageGain - scoreCost, 1e-6)
            + appearances.utility(of: track.pointee.appearance, at: expected, detection)
    }

    /// Returns the IoU of the vertical extents, as in height-modulated IoU (Hybrid-SORT). It separates people side by
    /// side, because their heights or their distances to the camera often differ.
    private static func heightAgreement(_ a: Box, _ b: Box) -> Double {
        let shared = min(a.maxY, b.maxY) - max(a.minY, b.minY)
        let whole = max(a.maxY, b.maxY) - min(a.minY, b.minY)
        return whole > 0 ? max(0, shared) / whole : 0
    }

    /// Drops unmatched detections that may show only a part of a tracked object at the region's edge.
    private mutating func dropFragments(of tracks: UnsafeBufferPointer<Tracklet>, in region: InferredRegion) {
        unmatched.keep { unmatchedDetection in
            !tracks.contains { track in
                track.isConfirmed && region.cuts(track.filter.box)
                    && Self.isFragment(unmatchedDetection, of: track, in: region)
            }
        }
    }

    /// Returns whether a detection is a fragment of a tracked object. The object's box extends beyond the region's
    /// edge.
    ///
    /// A fragment lies within the box of the track. If the labels are equal or one is unknown, the detection is a
    /// fragment unless its score is much higher than the score of the track. If the labels differ, it is a fragment
    /// only if it fills the visible part of the object. A smaller detection is a different object, for example a person
    /// in front of a bus.
    private static func isFragment(_ detection: FilteredDetection, of track: Tracklet, in region: InferredRegion)
        -> Bool
    {
        let (box, object) = (detection.box, track.filter.box)
        let name = track.votes.leaderIndex
        if name < 0 || detection.label < 0 || name == detection.label {
            return TileFragment.isDetail(box, score: detection.score, of: object, score: track.score)
        }
        return TileFragment.lies(box, within: object)
            && object.intersection(region.box).iou(box) > TrackerTuning.fragmentOverlap
    }
}
