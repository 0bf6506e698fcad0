import Glibc

/// The state of one track.
struct Tracklet: Sendable {
    /// Identifies the tracklet and grows with its creation. The public ``id`` is assigned on confirmation.
    let key: Int
    var id: Int?
    var filter: BoxKalmanFilter
    /// The filter just after the latest detection, from which a gap is filled by the observation-centric re-update.
    var filterWhenSeen: BoxKalmanFilter
    /// The time and box of the latest detection.
    private(set) var lastSeen: Nanoseconds
    private(set) var lastBox: Box
    /// ``Detection/origin`` of the latest detection.
    private(set) var origin: Int?
    /// The start of the current gap: the frame before the first missed result. There was no evidence until then.
    private(set) var unseenSince: Nanoseconds
    /// The latest observation and earlier ones.
    var sightings: ObservationHistory
    let firstSeen: Nanoseconds
    /// The start of the object: ``firstSeen``, or earlier if another tracker followed it before.
    private(set) var knownSince: Nanoseconds
    /// The score of the latest detection, weak ones included.
    var score: Double
    /// The score of the latest detection above the score threshold.
    private(set) var strongScore: Double
    var scoreAverage: ScoreAverage
    var votes = LabelVotes()
    var imageUncertainty = ImageMotionUncertainty()
    var occlusion: OcclusionState
    /// `nil` until a picture shows the object alone.
    private(set) var appearance: Appearance?
    /// The content of the box at the latest detection, and the detection's time, if a snapshot needs it.
    private var impression: (appearance: Appearance?, time: Nanoseconds)?
    /// The detection with the highest score.
    private(set) var best: Track.Best
    var pathLength = 0.0
    /// The propagation error at the latest detection.
    private(set) var carried = TrackerSnapshot.PropagationQuality()
    /// The accumulated weight towards confirmation; a full detection counts 1.
    var evidence: Double
    var hits = 1
    /// The time of the latest detection above the score threshold.
    var lastStrong: Nanoseconds
    /// The magnification at which the object was detected, so far as known.
    private(set) var observedMagnification: Double
    /// The number of results that should have detected the object and missed it since its latest detection.
    private(set) var misses = 0
    /// The time since ``unseenSince`` that those results cover.
    private(set) var searchedFor: Nanoseconds = 0
    /// The number of other results since the latest detection.
    private var inferencesElsewhere = 0
    /// Whether no earlier result reported it.
    var isNew = true
    /// An offset between the filter's and the reported box, its time, and how long it takes to fade out, so that
    /// reported boxes move smoothly.
    var residual = SIMD4<Double>.zero
    var residualSince: Nanoseconds = 0
    var residualSpan = residualFade
    /// A second offset: how far the estimated motion is ahead of the filter's cautious one, see
    /// ``BoxKalmanFilter/carry(_:by:uncertainty:)``.
    var lead = SIMD4<Double>.zero

    init(
        key: Int, detection: FilteredDetection, label: Label?, appearance: Appearance?, time: Nanoseconds,
        jitter: SIMD4<Double>, evidence: Double, magnification: Double = 1
    ) {
        self.key = key
        observedMagnification = magnification
        filter = BoxKalmanFilter(detection.box, jitter: jitter)
        filterWhenSeen = filter
        sightings = ObservationHistory(Observation(time: time, box: detection.box))
        (lastSeen, unseenSince, lastBox) = (time, time, detection.box)
        origin = detection.origin
        firstSeen = time
        knownSince = time
        lastStrong = time
        occlusion = OcclusionState(at: detection.box)
        score = detection.score
        strongScore = detection.score
        best = Track.Best(score: detection.score, box: detection.box, time: time)
        scoreAverage = ScoreAverage(detection.ownScore)
        self.evidence = evidence
        self.appearance = appearance
        votes.vote(label, weight: detection.score * magnification, after: 0)
    }

    var isShown: Bool { id != nil }
    /// Whether the track is reported now: it is confirmed, and neither absent nor unreliable, see ``OcclusionState``.
    var isReported: Bool { isShown && !occlusion.isAbsent && !occlusion.isUnreliable }

    /// Returns whether weak detections may continue the track. They may do so for half as long as strong detections
    /// have supported it, and at least for half of `maximumAge`. After that the track is probably a false positive or
    /// has switched to another object.
    func isEstablished(at time: Nanoseconds, maximumAge: Nanoseconds) -> Bool {
        time - lastStrong <= max(maximumAge, lastStrong - firstSeen) / 2
    }

    /// How long detections above the score threshold have supported the track, in seconds.
    var secondsStrong: Double { Double(lastStrong - firstSeen) / 1e9 }
}

extension Tracklet {
    /// Updates the track with a matched detection, for the frame of the filter's state.
    mutating func confirm(
        by detection: FilteredDetection, called label: Label?, appearance: Appearance?, at time: Nanoseconds,
        noise: MotionStatistics.Noise, magnification: Double = 1, teaching statistics: inout MotionStatistics
    ) {
        let sighting = Observation(time: time, box: detection.box)
        let ahead = filter.position + lead
        carried = TrackerSnapshot.PropagationQuality(over: time - lastSeen, error: 1 - Box(ahead).iou(detection.box))
        if imageUncertainty.judge(ahead, against: sighting, after: sightings) {
            filter.addVelocityUncertainty(by: imageUncertainty, over: Double(time - lastSeen) / 1e9)
        }
        if misses > 0 {
            refill(to: detection.box, at: time, noise: noise)
            lead = .zero
        } else {
            let noiseScale = MeasurementNoise.factor(score: detection.ownScore, after: time - lastSeen)
            let gain = filter.correct(detection.box, jitter: noise.jitter * noiseScale)
            lead -= lead * gain
        }
        let (from, to) = (filterWhenSeen.position, filter.position)
        pathLength += ((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y)).squareRoot()
        filterWhenSeen = filter
        residual = (detection.box.vector - filter.position - lead) * Self.shareOfSeen
        (residualSince, residualSpan) = (time, Self.residualFade)
        if !detection.isUncertain { (lastStrong, strongScore) = (time, detection.score) }
        occlusion.confirm(at: detection.box, isSure: !detection.isUncertain)
        if let appearance { renewAppearance(appearance, after: time - lastSeen) }
        scoreAverage.follow(detection.ownScore, after: time - lastSeen)
        // Labels of magnified objects are more reliable.
        votes.vote(label, weight: detection.score * magnification, after: time - lastSeen)
        observedMagnification =
            misses > 0 ? max(observedMagnification, magnification) : min(observedMagnification, magnification)
        (lastSeen, unseenSince, lastBox) = (time, time, detection.box)
        origin = detection.origin
        sightings.add(sighting)
        score = detection.score
        if score > best.score { best = Track.Best(score: score, box: detection.box, time: time) }
        hits += 1
        (misses, inferencesElsewhere) = (0, 0)
        statistics.learn(from: sightings)
    }

    /// Records a result that should have detected the object and missed it.
    ///
    /// - Parameters:
    ///   - time: the time of the result's frame.
    ///   - frame: the time of the frame before that.
    ///   - maximumAge: for objects with an older latest detection the gap starts at that detection.
    mutating func miss(at time: Nanoseconds, after frame: Nanoseconds, maximumAge: Nanoseconds) {
        if misses == 0 { residual = .zero }
        if misses == 0, frame - lastSeen <= maximumAge { unseenSince = max(lastSeen, frame) }
        searchedFor = misses == 0 ? time - unseenSince : searchedFor.adding(time - frame)
        misses += 1
    }

    /// Returns whether a result without the object counts as a miss: the region covers the object at sufficient
    /// magnification. Other results are counted.
    ///
    /// - Parameter maximumAge: after this time and ``maximumInferencesElsewhere`` other results, every result counts
    ///   as a miss.
    mutating func countsAsMiss(in region: InferredRegion, at time: Nanoseconds, maximumAge: Nanoseconds) -> Bool {
        let isNear =
            observedMagnification <= region.magnification * Self.magnificationTolerance
            || region.showsClearly(filter.box)
        if isNear, !region.cuts(filter.box) { return true }
        inferencesElsewhere += 1
        return inferencesElsewhere >= Self.maximumInferencesElsewhere && time - lastSeen > maximumAge
    }

    /// Blends in the newer appearance with a time constant of about a second, because objects turn and the light
    /// changes.
    private mutating func renewAppearance(_ newer: Appearance, after time: Nanoseconds) {
        let age = Double(time) / 1e9
        if appearance == nil { appearance = newer } else { appearance?.follow(newer, share: age / (age + 1.3)) }
    }

    /// Takes over the id, age and path of an object that another tracker followed before.
    mutating func adoptIdentity(as id: Int, since time: Nanoseconds, after pathLength: Double) {
        self.id = id
        knownSince = min(knownSince, time)
        self.pathLength += pathLength
        isNew = false
    }

    /// Adds evidence. Returns whether it suffices for the first time.
    mutating func isConfirmed(by weight: Double, of enough: Double) -> Bool {
        evidence += weight
        if !isShown { return evidence >= enough }
        isNew = false
        return false
    }

    /// Compensates a camera motion of `shift` beyond the prediction. If it continues, the camera pans: velocities
    /// follow within some tenths of a second, also those of missed objects.
    mutating func followCamera(_ shift: SIMD2<Double>, over step: Double) {
        let faster = shift / max(step, 0.3)
        filter.shift(shift, faster: faster)
        filterWhenSeen.shift(shift, faster: faster)
    }

    /// Moves the box to where the object stands, and sets its velocity to 0.
    mutating func stop(at box: Box) {
        let offset = box.vector - filter.position
        filter.shift(SIMD2(offset.x, offset.y), faster: -SIMD2(filter.velocity.x, filter.velocity.y))
        lead = .zero
    }

    /// Re-updates the filter after a gap, during which its prediction has drifted: restores the state of the latest
    /// detection and corrects it along a straight line to the new one (observation-centric re-update, OC-SORT).
    private mutating func refill(to box: Box, at time: Nanoseconds, noise: MotionStatistics.Noise) {
        let steps = Double(min(misses + 1, 30))
        let (from, to) = (lastBox.vector, box.vector)
        let step = BoxKalmanFilter.Step(
            seconds: Double(time - lastSeen) / 1e9 / steps, accelerationNoise: noise.accelerationNoise)
        filter = filterWhenSeen
        for number in 1...Int(steps) {
            filter.predict(by: step)
            filter.correct(Box(from + (to - from) * (Double(number) / steps)), jitter: noise.jitter)
        }
    }

    /// Returns the box to report at `time`. A fast shrinking box keeps a minimum size.
    @inline(__always)
    func shownBox(at time: Nanoseconds) -> Box {
        let age = Double(time - residualSince) / residualSpan
        var shown = filter.position + lead + residual * max(0, 1 - max(0, age))
        // An object that walks behind another one only seems to shrink.
        if misses > 0 { (shown.z, shown.w) = (lastBox.width, lastBox.height) }
        let minimum = Self.minimumRemainder * SIMD2(max(0, lastBox.width), max(0, lastBox.height))
        return Box(SIMD4(shown.x, shown.y, max(shown.z, minimum.x), max(shown.w, minimum.y)))
    }

    /// Whether ``impression`` belongs to the latest detection.
    var hasImpression: Bool { impression?.time == lastSeen }

    /// Records the content of the object's box in the picture of its latest detection.
    mutating func takeImpression(of box: Box, in plane: LumaPlane) {
        impression = (Appearance(of: box, in: plane), lastSeen)
    }

    /// Returns the similarity of the box content at `time` to that of the latest detection, 0 to 1; 1 if unknown or
    /// if the object is missed.
    func similarity(at time: Nanoseconds, in plane: LumaPlane?) -> Double {
        guard misses == 0, lastSeen < time, hasImpression, let plane, let then = impression?.appearance else {
            return 1
        }
        return Appearance(of: shownBox(at: time), in: plane)?.similarity(then) ?? 0
    }

    /// Returns whether the box has been propagated over the picture's edge since the latest detection.
    func hasLeftPicture(width: Int, height: Int) -> Bool {
        func visibleShare(_ box: Box) -> Double { box.clipped(width: width, height: height).area / box.area }
        return visibleShare(filter.box) < Self.leastVisible * visibleShare(lastBox)
    }

    /// Returns whether only the picture can confirm the box: the gap is longer than the observed life, or the box has
    /// moved far from the latest detection without a strong detection for half of `maximumAge`, or longer if the
    /// object went behind something.
    func isUncertain(at time: Nanoseconds, maximumAge: Nanoseconds) -> Bool {
        if time - lastSeen > lastSeen - firstSeen { return true }
        let longest = occlusion.isHiding ? max(maximumAge / 2, OcclusionState.verificationTime) : maximumAge / 2
        guard time - lastStrong > longest else { return false }
        let box = filter.box
        let (across, down) = (box.centerX - lastBox.centerX, box.centerY - lastBox.centerY)
        return across * across + down * down > Self.farthestDrift * Self.farthestDrift * lastBox.area
    }

    /// Returns whether the object was in front of another one, which therefore does not occlude it now: the other one
    /// is several times as large and covered at least as much of the box at the latest detection as it does now.
    func wasInFront(of other: Tracklet) -> Bool {
        let then = other.sightings[other.sightings.before(lastSeen, near: 0)]
        let (box, whole) = (filter.box, other.filter.box)
        let shared = box.intersection(whole).area
        return then.time <= lastSeen && shared < Self.smallPart * whole.area
            && shared / box.area <= then.box.intersection(lastBox).area / lastBox.area + Self.minimumGrowth
    }

    /// Starts a smooth transition of the reported box to the position of a late result, unless the distance is too
    /// large.
    mutating func glide(from shown: Box, at time: Nanoseconds) {
        let isNear = shown.iou(Box(filter.position + lead)) > 0.7
        residual = isNear ? shown.vector - filter.position - lead : .zero
        (residualSince, residualSpan) = (time, Self.glide)
    }

    /// The minimum number of uncovering results before every result counts as a miss: a long time with few inferences
    /// is no evidence.
    private static let maximumInferencesElsewhere = 10
    /// The tolerance on the magnification at which an object is detectable.
    private static let magnificationTolerance = 1.25
    /// The share of the difference between detected and filtered box that is reported: 1 would jitter like the
    /// detector, 0 would lag.
    private static let shareOfSeen = 1.0 / 3
    /// The time in nanoseconds in which ``residual`` fades out.
    private static let residualFade = 1_000_000_000.0
    /// The minimum reported size, relative to the latest detection.
    private static let minimumRemainder = 0.25
    /// The box has left the picture if less than this share of its earlier visible part is visible.
    private static let leastVisible = 0.95
    /// The distance in object sizes from which a box counts as moved far.
    private static let farthestDrift = 0.2
    /// The maximum share of a large object that a small one in front of it covers.
    private static let smallPart = 0.3
    /// An occluder covers more and more of an object: at least by this share from result to result.
    private static let minimumGrowth = 0.01
    /// The time in nanoseconds for the correction by a late result.
    private static let glide = 200_000_000.0
}
