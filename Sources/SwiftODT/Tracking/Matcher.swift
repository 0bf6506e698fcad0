/// Matches the detections of a result with the tracks in four stages, in this order.
///
/// - Strong detections are matched with confirmed tracks.
/// - Weak detections are matched with unmatched tracks that are established, see
///   ``Tracklet/isEstablished(at:maximumAge:)`` (second association, ByteTrack).
/// - Strong detections are matched with the last observed positions of confirmed tracks.
/// - Strong detections are matched with tentative tracks.
struct Matcher: ~Copyable {
    private(set) var pairs = ScratchList<Association.Pair>()
    /// The strong detections that match no track and can begin a new track.
    private(set) var unmatched = ScratchList<FilteredDetection>()
    private(set) var isTrackMatched = ScratchList<Bool>()
    /// For each detection of the result: whether it is matched with a track.
    private(set) var isTaken = ScratchList<Bool>()
    /// The camera motion in pixels that the predicted boxes do not include.
    private(set) var shift = SIMD2<Double>.zero

    private(set) var appearances = DetectionAppearances()

    var unused: UnusedDetections { preFilter.unused }

    private var bimodalThreshold = BimodalScoreThreshold()
    private var heuristics = TrackerHeuristics()
    private var preFilter = DetectionPreFilter()
    private var association = Association()
    private var camera = CameraMotion()
    // The candidates of the next stage. `confirmed` and `tentative` are indices of confirmed and tentative tracks.
    private var confirmed = ScratchList<Int>()
    private var tentative = ScratchList<Int>()
    private var strong = CandidatePairs()
    private var weak = CandidatePairs()

    /// Matches one result with the tracks. The outcome is in ``pairs``, ``unmatched``, ``isTrackMatched`` and
    /// ``isTaken``.
    mutating func match(
        _ detections: [Detection], of region: InferredRegion?, in plane: LumaPlane?,
        with tracks: UnsafeBufferPointer<Tracklet>,
        at time: Nanoseconds,
        options: TrackerOptions
    ) {
        heuristics = options.heuristics
        preFilter.accept(detections, from: options.scoreFloor, of: region, heuristics: heuristics)
        appearances.compute(
            at: preFilter.accepted.view, of: detections.count, in: heuristics.contains(.appearance) ? plane : nil)
        bimodalThreshold.learn(from: preFilter.accepted.view, at: time)
        begin(tracks, count: detections.count, threshold: options.scoreThreshold)
        findShift(tracks)
        let context = Association.Context(
            time: time, maximumAge: options.maxAge, shift: shift, heuristics: heuristics)
        appearances.countClaims(strong)
        association.match(.strong, tracks, confirmed.view, strong, context, appearances)
        take(tracks)
        keepFree()
        if !weak.isEmpty, heuristics.contains(.secondAssociation) {
            weak.find(of: confirmed.view, tracks, at: .predicted, shift: shift)
            association.match(.weak, tracks, confirmed.view, weak, context, appearances)
            take(tracks)
            keepFree()
        }
        if !strong.isEmpty {
            strong.find(of: confirmed.view, tracks, at: .lastSeen, shift: shift)
            if heuristics.contains(.lastPosition) {
                association.match(.reappearing, tracks, confirmed.view, strong, context, appearances)
                take(tracks)
                keepFree()
            }
            strong.find(of: tentative.view, tracks, at: .lastSeen, shift: shift)
            association.match(.tentative, tracks, tentative.view, strong, context, appearances)
            take(tracks)
        }
        findUnmatched()
        if let region { dropFragments(of: tracks, in: region) }
    }

    /// Divides the tracks into confirmed and tentative ones, and the detections into strong and weak ones.
    private mutating func begin(_ tracks: UnsafeBufferPointer<Tracklet>, count: Int, threshold: Double) {
        pairs.clear()
        unmatched.clear()
        isTaken.reset(to: false, count: count)
        isTrackMatched.reset(to: false, count: tracks.count)
        confirmed.clear()
        tentative.clear()
        strong.removeAll()
        weak.removeAll()
        for index in tracks.indices {
            if tracks[index].isConfirmed { confirmed.append(index) } else { tentative.append(index) }
        }
        let strongest =
            heuristics.contains(.bimodalThreshold) ? bimodalThreshold.effectiveThreshold(from: threshold) : threshold
        for var detection in preFilter.accepted.view {
            detection.isWeak = detection.ownScore < threshold
            if detection.score < strongest { weak.append(detection) } else { strong.append(detection) }
        }
    }

    /// Estimates the camera motion in up to two rounds. With the estimate of the first round, the second round finds
    /// better pairs.
    ///
    /// After the call, ``strong`` contains the candidate pairs of the first matching stage.
    private mutating func findShift(_ tracks: UnsafeBufferPointer<Tracklet>) {
        shift = .zero
        strong.find(of: confirmed.view, tracks, at: .predicted, shift: shift)
        guard heuristics.contains(.cameraMotion), confirmed.count >= CameraMotion.minimumCount,
            strong.detections.count >= CameraMotion.minimumCount
        else {
            return
        }
        for _ in 0..<2 {
            let before = shift
            shift = apparentShift(of: tracks)
            // If the estimate changes by less than 2 pixels, the pairs are not searched again: the box margin of
            // ``CandidatePairs`` covers the change.
            if abs(shift.x - before.x) + abs(shift.y - before.y) < 2 { return }
            strong.find(of: confirmed.view, tracks, at: .predicted, shift: shift)
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
            guard track.pointee.misses == 0, track.pointee.hits > 2, let nearest = strong.nearest(of: row)
            else { continue }
            let (seen, expected) = (strong.detections[nearest].box, track.pointee.filter.position)
            camera.add(SIMD2(seen.centerX - expected.x, seen.centerY - expected.y))
        }
        return camera.estimate()
    }

    private mutating func take(_ tracks: UnsafeBufferPointer<Tracklet>) {
        for pair in association.pairs.view {
            isTaken[pair.detection.source] = true
            isTrackMatched[pair.track] = true
            if tracks[pair.track].misses == 0 { appearances.learn(from: tracks[pair.track].appearance, pair.detection) }
            pairs.append(pair)
        }
    }

    /// Removes matched confirmed tracks and matched strong detections from the candidates.
    private mutating func keepFree() {
        if association.pairs.isEmpty { return }
        let matched = isTrackMatched.view
        confirmed.keep { !matched[$0] }
        strong.drop(where: isTaken.view)
    }

    private mutating func findUnmatched() {
        for detection in strong.detections.view
        where !detection.isWeak && !isTaken[detection.source] {
            unmatched.append(detection)
        }
        // Sorts by score. Detections with higher scores thus get lower track ids.
        unmatched.sort { $0.score > $1.score }
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
