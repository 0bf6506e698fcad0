struct Tracklet: Sendable {
    /// The identity of the tracklet, in the order of creation. The public ``id`` is assigned on confirmation.
    let key: Int
    var id: Int?
    var filter: BoxKalmanFilter
    /// The filtered centre at the latest detection, moved with the camera. ``pathLength`` ends here.
    private var pathEnd: SIMD2<Double>
    private(set) var lastSeen: Nanoseconds
    private(set) var lastBox: Box
    private(set) var origin: Int?
    /// The start of the current gap: the last frame before the first result that missed the object. Before that frame
    /// there was no evidence of a miss.
    private(set) var unseenSince: Nanoseconds
    var sightings: ObservationHistory
    let firstSeen: Nanoseconds
    /// The start time of the object: ``firstSeen``, or an earlier time if another tracker tracked the object before.
    private(set) var knownSince: Nanoseconds
    /// The score of the latest detection, even if it is below the score threshold.
    var score: Double
    private(set) var strongScore: Double
    /// The recent average of ``FilteredDetection/ownScore``, for the confidence cost of the association (Hybrid-SORT).
    /// It helps to separate overlapping objects, because only the score of the occluded object drops.
    private(set) var averageScore: Double
    var votes = LabelVotes()
    var imageUncertainty = ImageMotionUncertainty()
    var occlusion: OcclusionState
    /// The appearance of the object. `nil` until a picture has shown the object alone.
    private(set) var appearance: Appearance?
    /// The appearance of the box's content at the latest detection, and the time of that detection. It is recorded only
    /// when a snapshot needs it.
    private var impression: (appearance: Appearance?, time: Nanoseconds)?
    private(set) var best: Track.Best
    var pathLength = 0.0
    /// See ``TrackerSnapshot/ObjectState/carried``.
    private(set) var carried: (span: Nanoseconds, error: Double) = (0, 0)
    /// The accumulated weight towards confirmation. A detection with a high score adds 1.
    private var evidence: Double
    /// The time of the latest detection above the score threshold.
    var lastStrong: Nanoseconds
    private(set) var observedMagnification: Double
    /// The number of results since the latest detection that should have detected the object and missed it.
    private(set) var misses = 0
    /// The part of the time since ``unseenSince`` in which results covered the object's position without detecting the
    /// object.
    private(set) var searchedFor: Nanoseconds = 0
    /// The number of results since the latest detection that did not cover the object at sufficient magnification.
    private var inferencesElsewhere = 0
    /// Whether the track is tentative, or was confirmed by the latest result.
    var isNew = true
    /// An offset from the filter's box to the reported box. It makes reported boxes move smoothly, and it fades out.
    var residual = SIMD4<Double>.zero
    var residualSince: Nanoseconds = 0
    /// The time in which ``residual`` fades out, in nanoseconds.
    var residualSpan = TrackerTuning.residualTime
    /// A second offset from the filter's box to the reported box, in pixels. The filter trusts the image motion only
    /// cautiously, so its box may lag behind the object. The offset compensates for this, see
    /// ``BoxKalmanFilter/carry(_:by:uncertainty:)``.
    var lead = SIMD4<Double>.zero
    /// The measured image motion since the previous frame. `nil` if it was not measured.
    var move: BoxMove?

    init(
        key: Int, detection: FilteredDetection, label: Label?, appearance: Appearance?, time: Nanoseconds,
        jitter: SIMD4<Double>, evidence: Double, magnification: Double = 1
    ) {
        self.key = key
        observedMagnification = magnification
        filter = BoxKalmanFilter(detection.box, jitter: jitter)
        pathEnd = filter.position.lowHalf
        sightings = ObservationHistory(Observation(time: time, box: detection.box))
        (lastSeen, unseenSince, lastBox) = (time, time, detection.box)
        origin = detection.origin
        firstSeen = time
        knownSince = time
        lastStrong = time
        occlusion = OcclusionState(at: detection.box)
        score = detection.score
        strongScore = detection.score
        best = (detection.score, detection.box, time)
        averageScore = detection.ownScore
        self.evidence = evidence
        self.appearance = appearance
        votes.vote(label, weight: detection.score * magnification, after: 0)
    }

    var isConfirmed: Bool { id != nil }
    var isReported: Bool { isConfirmed && !occlusion.isAbsent && !occlusion.isUnreliable }

    /// Returns whether weak detections may continue the track. The time since the latest strong detection must not
    /// exceed half of `maximumAge`, or half of ``secondsStrong`` if that is longer. After a longer time, the track is
    /// probably a false positive or has switched to another object.
    func isEstablished(at time: Nanoseconds, maximumAge: Nanoseconds) -> Bool {
        time - lastStrong <= max(maximumAge, lastStrong - firstSeen) / 2
    }

    /// The time in seconds from the first detection to the latest detection above the score threshold.
    var secondsStrong: Double { Double(lastStrong - firstSeen) / 1e9 }
}

extension Tracklet {
    /// Updates the track with a matched detection. The filter must have been predicted to the detection's frame.
    mutating func confirm(
        by detection: FilteredDetection, called label: Label?, appearance: Appearance?, at time: Nanoseconds,
        jitter: SIMD4<Double>, magnification: Double = 1, teaching statistics: inout MotionStatistics
    ) {
        let sighting = Observation(time: time, box: detection.box)
        let seconds = Double(time - lastSeen) / 1e9
        let ahead = filter.position + lead
        carried = (time - lastSeen, 1 - Box(ahead).iou(detection.box))
        if statistics.heuristics.contains(.imageUncertainty),
            imageUncertainty.judge(ahead, against: sighting, after: sightings)
        {
            filter.addVelocityUncertainty(by: imageUncertainty, over: seconds)
        }
        let noiseScale =
            !statistics.heuristics.contains(.scoreNoise)
            ? 1 : BoxKalmanFilter.noiseFactor(score: detection.ownScore, after: time - lastSeen)
        let gain = filter.correct(detection.box, jitter: jitter * noiseScale)
        lead -= lead * gain
        let way = filter.position.lowHalf - pathEnd
        pathLength += (way * way).sum().squareRoot()
        pathEnd = filter.position.lowHalf
        residual =
            (detection.box.vector - filter.position - lead)
            * (statistics.heuristics.contains(.residual) ? TrackerTuning.reportedResidual : 0)
        (residualSince, residualSpan) = (time, TrackerTuning.residualTime)
        if !detection.isWeak { (lastStrong, strongScore) = (time, detection.score) }
        occlusion.confirm(at: detection.box, isSure: !detection.isWeak)
        if let appearance {
            self.appearance?.follow(appearance, share: seconds / (seconds + TrackerTuning.appearanceMemory))
            self.appearance = self.appearance ?? appearance
        }
        averageScore += (detection.ownScore - averageScore) * (seconds / (seconds + TrackerTuning.confidenceMemory))
        // Labels of magnified objects are more reliable, so their votes have more weight.
        votes.vote(label, weight: detection.score * magnification, after: time - lastSeen)
        observedMagnification =
            misses > 0 ? max(observedMagnification, magnification) : min(observedMagnification, magnification)
        (lastSeen, unseenSince, lastBox) = (time, time, detection.box)
        origin = detection.origin
        sightings.add(sighting)
        score = detection.score
        if score > best.score { best = (score, detection.box, time) }
        (misses, inferencesElsewhere) = (0, 0)
        statistics.learn(from: sightings)
    }

    /// Records a result that should have detected the object and missed it. `time` is the time of the result's frame.
    ///
    /// - Parameters:
    ///   - frame: the time of the last frame before the result's frame. The gap in detections starts there.
    ///   - maximumAge: the gap starts at the latest detection instead if `frame` is later than that detection by more
    ///     than this time. In a key frame (see ``TrackerTuning/keyFrameDistance``), the gap starts at most half of this
    ///     time before the result's frame. A track thus does not end at its first miss in a key frame.
    mutating func miss(at time: Nanoseconds, after frame: Nanoseconds, maximumAge: Nanoseconds) {
        if misses == 0 {
            residual = .zero
            if time - frame >= TrackerTuning.keyFrameDistance {
                unseenSince = max(lastSeen, time - maximumAge / 2 - 1)
            } else if frame - lastSeen <= maximumAge {
                unseenSince = max(lastSeen, frame)
            }
        }
        searchedFor = misses == 0 ? time - unseenSince : searchedFor.adding(time - frame)
        misses += 1
    }

    /// Returns whether a result without the object counts as a miss. This is the case if the region covers the object
    /// at sufficient magnification. Other results are counted, see ``TrackerTuning/inferencesElsewhere``.
    mutating func countsAsMiss(in region: InferredRegion, at time: Nanoseconds, maximumAge: Nanoseconds) -> Bool {
        let isNear =
            observedMagnification <= region.magnification * TrackerTuning.magnificationTolerance
            || region.showsClearly(filter.box)
        if isNear, !region.cuts(filter.box) { return true }
        inferencesElsewhere += 1
        return inferencesElsewhere >= TrackerTuning.inferencesElsewhere && time - lastSeen > maximumAge
    }

    mutating func adoptIdentity(as id: Int, since time: Nanoseconds, after pathLength: Double) {
        self.id = id
        knownSince = min(knownSince, time)
        self.pathLength += pathLength
        isNew = false
    }

    /// Adds evidence for the track. Returns `true` once, when the evidence suffices to confirm the track.
    mutating func addEvidence(_ weight: Double, of enough: Double) -> Bool {
        evidence += weight
        if !isConfirmed { return evidence >= enough }
        isNew = false
        return false
    }

    /// Compensates for a camera motion of `shift` pixels that the prediction does not include, measured over `step`
    /// seconds. If the motion continues, the camera pans. The velocities of all objects, including missed objects,
    /// therefore adapt within some tenths of a second.
    mutating func followCamera(_ shift: SIMD2<Double>, over step: Double, heuristics: TrackerHeuristics) {
        let faster = heuristics.contains(.cameraVelocity) ? shift / max(step, TrackerTuning.cameraMemory) : .zero
        filter.shift(shift, faster: faster)
        pathEnd += shift
    }

    /// Moves the box to `box`, where the object stands, and sets the velocity of its centre to 0.
    mutating func stop(at box: Box) {
        let offset = box.vector - filter.position
        filter.shift(offset.lowHalf, faster: -filter.velocity.lowHalf)
        lead = .zero
    }

    /// Returns the box to report at `time`. If the filter's box shrinks fast, the reported box keeps a minimum size.
    @inline(__always)
    func shownBox(at time: Nanoseconds) -> Box {
        let age = Double(time - residualSince) / residualSpan
        var shown = filter.position + lead + residual * max(0, 1 - max(0, age))
        // A missed object keeps its last detected size. The filter's box may shrink, because an occluder covered part
        // of the object.
        if misses > 0 { (shown.z, shown.w) = (lastBox.width, lastBox.height) }
        let minimum = TrackerTuning.leastReportedSize * SIMD2(max(0, lastBox.width), max(0, lastBox.height))
        return Box(SIMD4(shown.x, shown.y, max(shown.z, minimum.x), max(shown.w, minimum.y)))
    }

    var hasImpression: Bool { impression?.time == lastSeen }

    mutating func takeImpression(of box: Box, in plane: LumaPlane) {
        impression = (Appearance(of: box, in: plane), lastSeen)
    }

    /// Returns the similarity between the box's content at `time` and at the latest detection. The result is 1 if a
    /// picture is missing or if the latest result missed the object.
    func similarity(at time: Nanoseconds, in plane: LumaPlane?) -> Double {
        guard misses == 0, lastSeen < time, hasImpression, let plane, let then = impression?.appearance else {
            return 1
        }
        return Appearance(of: shownBox(at: time), in: plane)?.similarity(then) ?? 0
    }

    /// Returns whether the box has moved beyond the picture's edge since the latest detection.
    func hasLeftPicture(width: Int, height: Int) -> Bool {
        func visibleShare(_ box: Box) -> Double { box.clipped(width: width, height: height).area / box.area }
        return visibleShare(filter.box) < TrackerTuning.leastVisible * visibleShare(lastBox)
    }

    /// Returns whether the position of the box is so uncertain that only the picture can confirm it: after a long gap,
    /// or if the box has moved far without a strong detection.
    func isUncertain(at time: Nanoseconds, maximumAge: Nanoseconds) -> Bool {
        if time - lastSeen > lastSeen - firstSeen { return true }
        let longest = occlusion.isHiding ? max(maximumAge / 2, TrackerTuning.occluderTime) : maximumAge / 2
        guard time - lastStrong > longest else { return false }
        let box = filter.box
        let (across, down) = (box.centerX - lastBox.centerX, box.centerY - lastBox.centerY)
        return across * across + down * down > TrackerTuning.farthestDrift * TrackerTuning.farthestDrift * lastBox.area
    }

    /// Returns whether this object was in front of `other` at the latest detection of this object, so that `other` is
    /// not its occluder.
    func wasInFront(of other: Tracklet) -> Bool {
        let then = other.sightings[other.sightings.before(lastSeen)]
        let (box, whole) = (filter.box, other.filter.box)
        let shared = box.intersection(whole).area
        return then.time <= lastSeen && shared < TrackerTuning.smallPart * whole.area
            && shared / box.area <= then.box.intersection(lastBox).area / lastBox.area + TrackerTuning.occluderGrowth
    }

    /// Starts a smooth transition of the reported box from `shown` to the position after a late result. If the two
    /// positions are far apart, the box jumps.
    mutating func glide(from shown: Box, at time: Nanoseconds) {
        let isNear = shown.iou(Box(filter.position + lead)) > TrackerTuning.glideOverlap
        residual = isNear ? shown.vector - filter.position - lead : .zero
        (residualSince, residualSpan) = (time, TrackerTuning.glideTime)
    }
}
