import Glibc

/// All that is known of one object while it is followed.
struct Tracklet: Sendable {
    /// Tells tracklets apart from birth on, and grows with it. The public ``id`` comes only with being shown.
    let key: Int
    var id: Int?
    var filter: BoxKalmanFilter
    /// The filter just after the latest sighting: where a gap is filled in from once the object is seen again.
    var filterWhenSeen: BoxKalmanFilter
    /// When and where it was seen last.
    private(set) var lastSeen: Nanoseconds
    private(set) var lastBox: Box
    /// Since when it may have been gone: the frame before the one that an answer first missed it in. Until then nobody had looked.
    private(set) var unseenSince: Nanoseconds
    /// The latest of these, and those before.
    var sightings: ObservationHistory
    let firstSeen: Nanoseconds
    /// Since when the object is known: ``firstSeen``, or earlier where it was followed without a name before.
    private(set) var knownSince: Nanoseconds
    /// That of the latest detection, weak ones included.
    var score: Double
    /// That of the latest detection that would begin a track.
    private(set) var strongScore: Double
    var scoreAverage: ScoreAverage
    var votes = LabelVotes()
    var imageUncertainty = ImageMotionUncertainty()
    var occlusion: OcclusionState
    /// As far as there were pictures to see it in.
    private(set) var appearance: Appearance?
    /// What its box showed, whatever that was, when it was seen at that time, as far as somebody wants to compare it.
    private var impression: (appearance: Appearance?, time: Nanoseconds)?
    /// When it was seen best, where, and how well.
    private(set) var best: Track.Best
    var pathLength = 0.0
    /// How well the box was carried to where it was seen last.
    private(set) var carried = TrackerSnapshot.PropagationQuality()
    /// What has been gathered for showing it, in sightings of full weight.
    var evidence: Double
    var hits = 1
    /// When a detection that would begin a track last confirmed this one.
    var lastStrong: Nanoseconds
    /// How near the picture has to be looked at for it to be seen, as far as that is known.
    private(set) var observedMagnification: Double
    /// How many of the detector's answers that could have seen it have missed it since it was last seen.
    private(set) var misses = 0
    /// How much of the time since ``unseenSince`` those were about.
    private(set) var searchedFor: Nanoseconds = 0
    /// How many have gone by since that could not have seen it.
    private var inferencesElsewhere = 0
    /// Whether it has been shown in no answer before the latest.
    var isNew = true
    /// What is added to the filter's box when it is shown, since when, and how long it takes to fade out, so that boxes
    /// glide.
    var residual = SIMD4<Double>.zero
    var residualSince: Nanoseconds = 0
    var residualSpan = residualFade
    /// What else is added: how far the picture is ahead of the filter, see ``BoxKalmanFilter/carry(_:by:noiseScale:)``.
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
    /// Whether it is reported now: its place may show that it is gone, or its box may be unreliable, see ``OcclusionState``.
    var isReported: Bool { isShown && !occlusion.isAbsent && !occlusion.isUnreliable }

    /// Whether doubtful detections may hold it. They keep what sure ones have spoken for: half as long again, and for a while in any
    /// case. What is longer doubted than that has most likely never been there, or something else is.
    func isEstablished(at time: Nanoseconds, maximumAge: Nanoseconds) -> Bool {
        time - lastStrong <= max(maximumAge, lastStrong - firstSeen) / 2
    }

    /// For how long detections that would begin a track have spoken for it, in seconds.
    var secondsStrong: Double { Double(lastStrong - firstSeen) / 1e9 }
}

extension Tracklet {
    /// Takes in a detection that was matched, for the frame the filter stands at.
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
        // What is seen larger is named better.
        votes.vote(label, weight: detection.score * magnification, after: time - lastSeen)
        observedMagnification = misses > 0 ? max(observedMagnification, magnification) : min(observedMagnification, magnification)
        (lastSeen, unseenSince, lastBox) = (time, time, detection.box)
        sightings.add(sighting)
        score = detection.score
        if score > best.score { best = Track.Best(score: score, box: detection.box, time: time) }
        hits += 1
        (misses, inferencesElsewhere) = (0, 0)
        statistics.learn(from: sightings)
    }

    /// An answer that would have told of it has not.
    ///
    /// - Parameters:
    ///   - time: that of the frame that the answer is about.
    ///   - frame: that of the one before.
    ///   - maximumAge: whoever was seen longer ago than this is given no more time.
    mutating func miss(at time: Nanoseconds, after frame: Nanoseconds, maximumAge: Nanoseconds) {
        if misses == 0 { residual = .zero }
        if misses == 0, frame - lastSeen <= maximumAge { unseenSince = max(lastSeen, frame) }
        searchedFor = misses == 0 ? time - unseenSince : searchedFor.adding(time - frame)
        misses += 1
    }

    /// Whether a look at a part of the picture, or at all of it, that has not told of it would have, were it there. Others are counted.
    ///
    /// - Parameter maximumAge: after so long, and so many looks, any look counts, wherever it went: nothing waits for ever.
    mutating func countsAsMiss(in region: InferredRegion, at time: Nanoseconds, maximumAge: Nanoseconds) -> Bool {
        let isNear = observedMagnification <= region.magnification * Self.magnificationTolerance || region.showsClearly(filter.box)
        if isNear, !region.cuts(filter.box) { return true }
        inferencesElsewhere += 1
        return inferencesElsewhere >= Self.maximumInferencesElsewhere && time - lastSeen > maximumAge
    }

    /// Follows what changes within a second or so: things turn, and light changes.
    private mutating func renewAppearance(_ newer: Appearance, after time: Nanoseconds) {
        let age = Double(time) / 1e9
        if appearance == nil { appearance = newer } else { appearance?.follow(newer, share: age / (age + 1.3)) }
    }

    /// It is an object that was known before by another id, and has come some way.
    mutating func adoptIdentity(as id: Int, since time: Nanoseconds, after pathLength: Double) {
        self.id = id
        knownSince = min(knownSince, time)
        self.pathLength += pathLength
        isNew = false
    }

    /// Counts what speaks for showing it; whether that is, for the first time, enough.
    mutating func isConfirmed(by weight: Double, of enough: Double) -> Bool {
        evidence += weight
        if !isShown { return evidence >= enough }
        isNew = false
        return false
    }

    /// The camera moved everything by `shift` beyond what was predicted. If it goes on doing so, it pans: velocities
    /// follow within some tenths of a second, those of unseen objects too.
    mutating func followCamera(_ shift: SIMD2<Double>, over step: Double) {
        let faster = shift / max(step, 0.3)
        filter.shift(shift, faster: faster)
        filterWhenSeen.shift(shift, faster: faster)
    }

    /// It has not gone on as was thought, but stands here.
    mutating func stop(at box: Box) {
        let offset = box.vector - filter.position
        filter.shift(SIMD2(offset.x, offset.y), faster: -SIMD2(filter.velocity.x, filter.velocity.y))
        lead = .zero
    }

    /// After a gap the filter has drifted on its own. It goes back to the last sighting and along the straight way from
    /// there to the new one instead.
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

    /// The box to show at `time`. What was seen to shrink fast is not carried on to nothing.
    @inline(__always)
    func shownBox(at time: Nanoseconds) -> Box {
        let age = Double(time - residualSince) / residualSpan
        var shown = filter.position + lead + residual * max(0, 1 - max(0, age))
        // What walks behind something only seems to shrink.
        if misses > 0 { (shown.z, shown.w) = (lastBox.width, lastBox.height) }
        let minimum = Self.minimumRemainder * SIMD2(max(0, lastBox.width), max(0, lastBox.height))
        return Box(SIMD4(shown.x, shown.y, max(shown.z, minimum.x), max(shown.w, minimum.y)))
    }

    /// Whether it is known what its box showed when it was seen last.
    var hasImpression: Bool { impression?.time == lastSeen }

    /// Remembers what its box showed then: where that was, and in which picture.
    mutating func takeImpression(of box: Box, in plane: LumaPlane) {
        impression = (Appearance(of: box, in: plane), lastSeen)
    }

    /// How much of that is to be seen in its box at `time`, 0 to 1: all, as far as nobody knows. Who is missed is not asked.
    func similarity(at time: Nanoseconds, in plane: LumaPlane?) -> Double {
        guard misses == 0, lastSeen < time, hasImpression, let plane, let then = impression?.appearance else {
            return 1
        }
        return Appearance(of: shownBox(at: time), in: plane)?.similarity(then) ?? 0
    }

    /// Whether its box has been carried over the edge of the picture since it was seen.
    func hasLeftPicture(width: Int, height: Int) -> Bool {
        func visibleShare(_ box: Box) -> Double { box.clipped(width: width, height: height).area / box.area }
        return visibleShare(filter.box) < Self.leastVisible * visibleShare(lastBox)
    }

    /// Whether only the picture can tell that it is still in its box: it has been missed for longer than it had been seen, or its box has been
    /// carried far from the latest sighting, without a strong detection for half of `maximumAge`, or longer where it was seen to go behind
    /// something.
    func isUncertain(at time: Nanoseconds, maximumAge: Nanoseconds) -> Bool {
        if time - lastSeen > lastSeen - firstSeen { return true }
        let longest = occlusion.isHiding ? max(maximumAge / 2, OcclusionState.verificationTime) : maximumAge / 2
        guard time - lastStrong > longest else { return false }
        let box = filter.box
        let (across, down) = (box.centerX - lastBox.centerX, box.centerY - lastBox.centerY)
        return across * across + down * down > Self.farthestDrift * Self.farthestDrift * lastBox.area
    }

    /// Whether the object was seen in front of another one, which therefore does not occlude it now: that one is several times as large and
    /// covered at least as much of the box at the latest sighting as it does now.
    func wasInFront(of other: Tracklet) -> Bool {
        let then = other.sightings[other.sightings.before(lastSeen, near: 0)]
        let (box, whole) = (filter.box, other.filter.box)
        let shared = box.intersection(whole).area
        return then.time <= lastSeen && shared < Self.smallPart * whole.area
            && shared / box.area <= then.box.intersection(lastBox).area / lastBox.area + Self.minimumGrowth
    }

    /// Lets the shown box glide from where it was to where a late answer puts it, unless it is too far off.
    mutating func glide(from shown: Box, at time: Nanoseconds) {
        let isNear = shown.iou(Box(filter.position + lead)) > 0.7
        residual = isNear ? shown.vector - filter.position - lead : .zero
        (residualSince, residualSpan) = (time, Self.glide)
    }

    /// Where little happens looks are seconds apart: that time goes by says nothing of what nobody has looked at.
    private static let maximumInferencesElsewhere = 10
    /// A look that is a little less near sees as much.
    private static let magnificationTolerance = 1.25
    /// How much of a box that was seen is shown, against the filter's: all of it would tremble as detectors do, nothing would lag.
    private static let shareOfSeen = 1.0 / 3
    /// How long that takes to fade out where no other comes.
    private static let residualFade = 1_000_000_000.0
    /// No smaller is it shown than this share of what it was seen last.
    private static let minimumRemainder = 0.25
    /// A box is carried over the picture's edge once less than this share of what was visible of it is left.
    private static let leastVisible = 0.95
    /// In object sizes.
    private static let farthestDrift = 0.2
    /// Of an object, the share of it that a small one in front of it covers at most.
    private static let smallPart = 0.3
    /// What goes behind something is covered more and more: by this share from answer to answer at least.
    private static let minimumGrowth = 0.01
    /// How long a late answer's correction takes to be blended in.
    private static let glide = 200_000_000.0
}
