struct Tracklet: Sendable {
    /// Identifies the tracklet. A later tracklet has a greater key. The public ``id`` is assigned on confirmation.
    let key: Int
    var id: Int?
    var filter: BoxKalmanFilter
    /// The filtered centre at the latest detection, moved with the camera. ``pathLength`` ends here.
    var pathEnd: SIMD2<Double>
    private(set) var lastSeen: Nanoseconds
    private(set) var lastBox: Box
    private(set) var origin: Int?
    /// The start of the current gap in detections, see ``miss(at:after:maximumAge:)``.
    private(set) var unseenSince: Nanoseconds
    private(set) var sightings: ObservationHistory
    let firstSeen: Nanoseconds
    /// ``firstSeen``, or an earlier time if another tracker tracked the object before.
    var knownSince: Nanoseconds
    /// The score of the latest detection, even if it is below the score threshold.
    private(set) var score: Double
    private(set) var strongScore: Double
    /// The recent average of ``FilteredDetection/ownScore``, for the confidence cost (Hybrid-SORT).
    private(set) var averageScore: Double
    private(set) var votes = LabelVotes()
    var imageUncertainty = ImageMotionUncertainty()
    var occlusion: OcclusionState
    /// The appearance of the object. `nil` until a picture has shown the object alone.
    private(set) var appearance: Appearance?
    /// The appearance of the box's content at the latest detection that preceded a snapshot, and the detection's time.
    var impression: (appearance: Appearance?, time: Nanoseconds)?
    private(set) var best: Track.Best
    var pathLength = 0.0
    /// See ``TrackerSnapshot/ObjectState/carried``.
    private(set) var carried: (span: Nanoseconds, error: Double) = (0, 0)
    /// The accumulated weight towards confirmation. A detection with a high score adds 1.
    var evidence: Double
    /// The time of the latest detection above the score threshold.
    private(set) var lastStrong: Nanoseconds
    private(set) var observedMagnification: Double
    /// The number of results since the latest detection that should have contained the object, but did not.
    private(set) var misses = 0
    /// The part of the time since ``unseenSince`` in which results covered the object's position.
    private(set) var searchedFor: Nanoseconds = 0
    /// The number of results since the latest detection that did not cover the object at sufficient magnification.
    private var inferencesElsewhere = 0
    /// Whether the track is tentative, or the latest result has confirmed it.
    var isNew = true
    /// An offset from the filter's box to the reported box, for smooth motion. It fades out within `span` nanoseconds.
    private var residual = (offset: SIMD4<Double>.zero, since: Nanoseconds(0), span: TrackerTuning.residualTime)
    /// The part of the latest detection's offset from the filter's box that exceeds jitter and changes of size.
    private var lastJump = SIMD2<Double>.zero
    /// Another offset to the reported box, in pixels, see ``BoxKalmanFilter/carry(_:by:uncertainty:)``.
    var lead = SIMD4<Double>.zero
    /// The measured image motion since the previous frame. `nil` if it was not measured.
    var move: BoxMove?

    init(
        key: Int, detection: FilteredDetection, label: Label?, appearance: Appearance?, time: Nanoseconds,
        jitter: SIMD4<Double>, evidence: Double, magnification: Double
    ) {
        self.key = key
        filter = BoxKalmanFilter(detection.box, jitter: jitter)
        pathEnd = filter.position.lowHalf
        sightings = ObservationHistory(Observation(time: time, box: detection.box))
        occlusion = OcclusionState(at: detection.box)
        (firstSeen, knownSince, lastSeen, unseenSince, lastStrong) = (time, time, time, time, time)
        (lastBox, origin) = (detection.box, detection.origin)
        (score, strongScore, averageScore) = (detection.score, detection.score, detection.ownScore)
        best = (detection.score, detection.box, time)
        (self.evidence, self.appearance, observedMagnification) = (evidence, appearance, magnification)
        votes.vote(label, weight: detection.score * magnification, after: 0)
    }

    var isConfirmed: Bool { id != nil }
    var isReported: Bool { isConfirmed && !occlusion.isAbsent && !occlusion.isUnreliable }

    /// The box of the last detection, moved by the image motion since then.
    var lastKnownBox: Box { misses == 0 && imageUncertainty.isToBeJudged ? Box(filter.position + lead) : lastBox }

    /// The time from the first detection to the latest detection above the score threshold.
    var timeStrong: Nanoseconds { lastStrong - firstSeen }

    /// Updates the track with a matched detection. The filter must have been predicted to the detection's frame.
    mutating func confirm(
        by detection: FilteredDetection, called label: Label?, appearance: Appearance?, at time: Nanoseconds,
        jitter: SIMD4<Double>, magnification: Double, heuristics: TrackerHeuristics
    ) {
        let sighting = Observation(time: time, box: detection.box)
        let seconds = Double(time - lastSeen) / 1e9
        let ahead = filter.position + lead
        carried = (time - lastSeen, 1 - Box(ahead).iou(detection.box))
        if heuristics.contains(.imageUncertainty), imageUncertainty.judge(ahead, against: sighting, after: sightings) {
            filter.addVelocityUncertainty(by: imageUncertainty, over: seconds)
        }
        let gap = heuristics.contains(.scoreNoise) ? time - lastSeen : .max
        let noiseFactor = BoxKalmanFilter.noiseFactor(score: detection.ownScore, after: gap)
        lead -= lead * filter.correct(detection.box, jitter: jitter * noiseFactor)
        let way = filter.position.lowHalf - pathEnd
        pathLength += (way * way).sum().squareRoot()
        pathEnd = filter.position.lowHalf
        let offset = detection.box.vector - filter.position - lead
        // Abrupt motion is the part of the offset that two consecutive detections share. It is reported completely.
        let bound = jitter.lowHalf * detection.box.area.squareRoot() + SIMD2(abs(offset.z), abs(offset.w)) / 2
        let jump = offset.lowHalf - offset.lowHalf.larger(-bound).smaller(bound)
        let shared = jump.larger(lastJump.smaller(.zero)).smaller(lastJump.larger(.zero))
        let motion = SIMD4(lowHalf: shared, highHalf: .zero)
        let reported = motion + (offset - motion) * TrackerTuning.reportedResidual
        residual = (heuristics.contains(.residual) ? reported : .zero, time, TrackerTuning.residualTime)
        lastJump = jump
        if !detection.isBelowThreshold { (lastStrong, strongScore) = (time, detection.score) }
        occlusion.confirm(at: detection.box, isSure: !detection.isBelowThreshold)
        if let appearance {
            self.appearance?.follow(appearance, share: seconds / (seconds + TrackerTuning.appearanceMemory))
            self.appearance = self.appearance ?? appearance
        }
        averageScore += (detection.ownScore - averageScore) * (seconds / (seconds + TrackerTuning.confidenceMemory))
        // Labels of magnified objects are more reliable, so their votes have more weight.
        votes.vote(label, weight: detection.score * magnification, after: time - lastSeen)
        observedMagnification =
            misses > 0 ? max(observedMagnification, magnification) : min(observedMagnification, magnification)
        (lastSeen, unseenSince, lastBox, origin) = (time, time, detection.box, detection.origin)
        sightings.add(sighting)
        (score, misses, inferencesElsewhere) = (detection.score, 0, 0)
        if score > best.score { best = (score, detection.box, time) }
    }

    /// The first miss starts the gap in detections at `frame`, the time of the last frame before the result's frame. If
    /// the latest detection is older than `frame` by more than `maximumAge`, the gap starts at the detection. In a key
    /// frame, the gap starts at most half of `maximumAge` before the result, so that a track survives its first miss.
    mutating func miss(at time: Nanoseconds, after frame: Nanoseconds, maximumAge: Nanoseconds) {
        if misses == 0 {
            residual.offset = .zero
            if time - frame >= TrackerTuning.keyFrameDistance {
                unseenSince = max(lastSeen, time - maximumAge / 2 - 1)
            } else if frame - lastSeen <= maximumAge {
                unseenSince = max(lastSeen, frame)
            }
        }
        searchedFor = misses == 0 ? time - unseenSince : searchedFor.adding(time - frame)
        misses += 1
    }

    /// A result counts as a miss if its region covers the object at sufficient magnification, or after many results
    /// whose regions did not (``TrackerTuning/inferencesElsewhere``).
    mutating func countsAsMiss(in region: InferredRegion, at time: Nanoseconds, maximumAge: Nanoseconds) -> Bool {
        let isNear =
            observedMagnification <= region.magnification * TrackerTuning.magnificationTolerance
            || region.showsClearly(filter.box)
        if isNear, !region.cuts(filter.box) { return true }
        inferencesElsewhere += 1
        return inferencesElsewhere >= TrackerTuning.inferencesElsewhere && time - lastSeen > maximumAge
    }

    /// Returns the box to report at `time`. If the filter's box shrinks fast, the reported box keeps a minimum size.
    @inline(__always)
    func shownBox(at time: Nanoseconds) -> Box {
        let age = Double(time - residual.since) / residual.span
        var shown = filter.position + lead + residual.offset * max(0, 1 - max(0, age))
        // A missed object keeps its last detected size, because an occluder may have covered part of the object.
        if misses > 0 { (shown.z, shown.w) = (lastBox.width, lastBox.height) }
        let minimum = TrackerTuning.leastReportedSize * SIMD2(max(0, lastBox.width), max(0, lastBox.height))
        return Box(SIMD4(shown.x, shown.y, max(shown.z, minimum.x), max(shown.w, minimum.y)))
    }

    /// Starts a smooth transition of the reported box from `shown` after a late result. A distant box jumps.
    mutating func glide(from shown: Box, at time: Nanoseconds) {
        let isNear = shown.iou(Box(filter.position + lead)) > TrackerTuning.glideOverlap
        residual = (isNear ? shown.vector - filter.position - lead : .zero, time, TrackerTuning.glideTime)
    }

    /// Returns the similarity between the box's content at `time` and at the latest detection. Without a picture or
    /// after a miss, the result is 1.
    func similarity(at time: Nanoseconds, in plane: LumaPlane?) -> Double {
        guard misses == 0, lastSeen < time, let plane, let impression, impression.time == lastSeen,
            let then = impression.appearance
        else { return 1 }
        return Appearance(of: shownBox(at: time), in: plane)?.similarity(then) ?? 0
    }

    func hasLeftPicture(width: Int, height: Int) -> Bool {
        func visibleShare(_ box: Box) -> Double { box.clipped(width: width, height: height).area / box.area }
        return visibleShare(filter.box) < TrackerTuning.leastVisible * visibleShare(lastBox)
    }

    /// Returns whether the position is uncertain: after a long gap, or far from the latest detection for some time.
    func isUncertain(at time: Nanoseconds, maximumAge: Nanoseconds) -> Bool {
        if time - lastSeen > lastSeen - firstSeen { return true }
        let longest = occlusion.isHiding ? max(maximumAge / 2, TrackerTuning.occluderTime) : maximumAge / 2
        guard time - lastStrong > longest else { return false }
        return filter.box.centerDistance(to: lastBox) > TrackerTuning.farthestDrift * lastBox.area.squareRoot()
    }

    /// Returns whether this object was in front of `other` when it was last detected, so `other` does not occlude it.
    func wasInFront(of other: Tracklet) -> Bool {
        let then = other.sightings.latest(upTo: lastSeen)
        let (box, whole) = (filter.box, other.filter.box)
        let shared = box.intersection(whole).area
        return then.time <= lastSeen && shared < TrackerTuning.smallPart * whole.area
            && shared / box.area <= then.box.intersection(lastBox).area / lastBox.area + TrackerTuning.occluderGrowth
    }
}
