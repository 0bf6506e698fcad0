/// Decides when an inference is useful, from the image changes since the last inference and from the state of the
/// tracks.
///
/// Inference is triggered by:
/// - tentative tracks, until they are confirmed;
/// - missed tracks, soon after the first miss and then at increasing intervals;
/// - boxes that have reached their ``ExtrapolationLimit``, or whose content no longer matches the track's appearance;
/// - unexplained motion, at once or after a back-off if an earlier inference found nothing there;
/// - time: in a scene without unexplained motion after 1 s, then 3 s, then every 4 s.
///
/// Unchanged image areas trigger nothing, because the same image gives the same detections. All intervals are in
/// seconds, so the inference rate hardly depends on the frame rate. Only tentative tracks and scene changes trigger
/// inference in consecutive frames.
struct AdaptiveIntervalPolicy: Sendable {
    private var lastInference: Nanoseconds?
    /// The tracker's state after the latest finished frame.
    private var known: TrackerSnapshot?
    private var isAnswerTaken = false
    private var change = FrameDifference()
    private var motion = UnexplainedMotion()
    /// The boxes of all tracks now, and at the last inference, in pixels of the luma plane.
    private var places: ContiguousArray<Box> = []
    private var detectedPlaces: ContiguousArray<Box> = []
    private var refreshInterval = minimumRefreshInterval
    private var lastFrame: Nanoseconds?
    /// Number of consecutive frames with a scene change.
    private var changes = 0
    /// Interval between the previous frame and the latest one, in seconds.
    private var step = 0.0

    /// Share of the image with unexplained change that counts as a scene change or camera motion. The threshold is
    /// lower for consecutive frames, because areas with little texture change little from one frame to the next.
    private static let sceneChangeShare = 0.4
    private static let sceneChangeShareContinued = 0.2
    /// Minimum interval between inferences that tracked objects or motion trigger: 0.09 s and 1.5 frames, whichever is
    /// longer. Half a frame allows for timestamp jitter. The limits are short enough to separate people who pass each
    /// other.
    private static let pause = 0.09
    private static let pauseInFrames = 1.5
    /// Seconds until a missed object triggers an inference. The interval doubles with each miss.
    private static let firstMissInterval = 0.1
    /// Seconds until motion where an inference found nothing triggers another one. It bounds the additional delay of a
    /// report.
    private static let recurringMotionInterval = 0.22
    /// The same for motion that has just begun. It is shorter because objects that enter the image are hard to
    /// recognise at first.
    private static let newMotionInterval = 0.14
    /// The same for motion that recurs at one place and has never led to a detection.
    private static let lastingMotionInterval = 0.8
    /// Refresh interval in seconds without unexplained motion: initial value, maximum, and growth factor.
    private static let minimumRefreshInterval = 1.0
    private static let maximumRefreshInterval = 4.0
    private static let growth = 3.0

    /// Whether the camera keeps moving. After a single cut the second frame shows the same scene, so one scene change
    /// is not sufficient.
    var isNextInferenceCertain: Bool { changes > 1 }

    /// Records the tracker's state after a finished frame.
    mutating func note(_ snapshot: TrackerSnapshot?) { known = snapshot }

    /// Records the arrival of a frame, whether or not it may be used for inference.
    mutating func noteFrame(at time: Nanoseconds) {
        if let lastFrame, time > lastFrame { step = Double(time - lastFrame) / 1e9 }
        lastFrame = time
    }

    /// Records that inference runs on the frame at `time`.
    mutating func noteInference(at time: Nanoseconds, in plane: LumaPlane?) {
        lastInference = time
        isAnswerTaken = false
        change.remember(plane)
    }

    /// Returns the reason to run inference on the frame at `time`, or `nil` if there is none.
    mutating func reason(at time: Nanoseconds, in plane: LumaPlane?) -> InferencePolicy.Reason? {
        guard let plane, let lastInference, let known, time >= lastInference else { return .start }
        let seconds = Double(time - lastInference) / 1e9
        // A cut has ended all tracks.
        if let cut = known.lastCut, cut > lastInference { return .sceneChange }
        if !isAnswerTaken, let answered = known.answered, answered >= lastInference {
            isAnswerTaken = true
            Self.locate(known.places.lazy.map(\.detectedBox), in: plane, &places)
            motion.noteInference(at: time, besides: places, detectedPlaces, in: change)
            swap(&detectedPlaces, &places)
        }
        // Otherwise the result is pending. In a live pipeline it can be available although its frame is not finished.
        guard isAnswerTaken || isNextInferenceCertain else {
            return seconds >= Self.minimumRefreshInterval ? .refresh : nil
        }
        Self.locate(known.places.lazy.map(\.box), in: plane, &places)
        guard change.compare(plane, after: step) else { return .start }
        motion.find(in: change, besides: places, isAnswerTaken ? detectedPlaces : places, at: time)
        changes =
            motion.share > (changes > 0 ? Self.sceneChangeShareContinued : Self.sceneChangeShare) ? changes + 1 : 0
        if changes > 0 { return .sceneChange }
        guard isAnswerTaken else { return nil }
        if hasTentative(known, after: seconds) { return .tentative }
        if seconds >= max(Self.pause, Self.pauseInFrames * step) {
            if let reason = reasonFromObjects(known, after: seconds, in: plane) { return reason }
            if motion.isNewMotion { return .motion }
        }
        if motion.isAny, seconds >= motionInterval { return .recurringMotion }
        return reasonFromTime(after: seconds)
    }

    /// Seconds until motion where an inference found nothing triggers another one.
    private var motionInterval: Double {
        motion.isFresh
            ? Self.newMotionInterval : motion.isRecurring ? Self.lastingMotionInterval : Self.recurringMotionInterval
    }

    private static func locate(_ boxes: some Sequence<Box>, in plane: LumaPlane, _ places: inout ContiguousArray<Box>) {
        places.removeAll(keepingCapacity: true)
        for box in boxes { places.append(box.scaled(x: 1 / plane.scaleX, y: 1 / plane.scaleY)) }
    }

    /// Returns whether inference could confirm a tentative track now. A track whose image area has not changed since
    /// its detection can wait.
    private func hasTentative(_ snapshot: TrackerSnapshot, after seconds: Double) -> Bool {
        for (index, place) in snapshot.places.enumerated() where !place.isConfirmed && place.misses == 0 {
            if seconds >= Self.minimumRefreshInterval || change.differs(in: places[index]) { return true }
        }
        return false
    }

    private func reasonFromObjects(_ snapshot: TrackerSnapshot, after seconds: Double, in plane: LumaPlane)
        -> InferencePolicy.Reason?
    {
        let picture = Box(x: 0, y: 0, width: Double(plane.width), height: Double(plane.height))
        var isDrifting = false
        for (index, place) in snapshot.places.enumerated() where place.isConfirmed {
            if place.misses > 0 {
                if seconds >= Self.firstMissInterval * Double(1 << min(place.misses - 1, 8)) { return .missed }
            } else if change.differs(in: places[index]) {
                if place.isAppearanceChanged { return .appearanceChange }
                isDrifting =
                    isDrifting
                    || ExtrapolationLimit.isReached(after: seconds, index, of: snapshot.places, at: places, in: picture)
            }
        }
        return isDrifting ? .drift : nil
    }

    private mutating func reasonFromTime(after seconds: Double) -> InferencePolicy.Reason? {
        let isStill = !motion.isAny
        if !isStill { refreshInterval = Self.minimumRefreshInterval }
        guard seconds >= refreshInterval else { return nil }
        if isStill { refreshInterval = min(refreshInterval * Self.growth, Self.maximumRefreshInterval) }
        return .refresh
    }
}
