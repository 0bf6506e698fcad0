/// Decides when an inference is useful. The decision depends on the changes of the picture since the last inference,
/// and on the state of the tracks.
///
/// The following triggers an inference:
/// - tentative tracks, until they are confirmed;
/// - missed tracks, soon after the first miss and then at increasing intervals;
/// - boxes that have reached their ``ExtrapolationLimit``, or whose content no longer matches the track's appearance;
/// - unexplained motion, at once, or after a back-off time if an earlier inference detected nothing there;
/// - time: in a scene without unexplained motion after 1 s, then after 3 s, then every 4 s.
///
/// Unchanged areas of the picture trigger nothing, because the same picture gives the same detections. All intervals
/// are in seconds, so the inference rate hardly depends on the frame rate. Only tentative tracks and scene changes
/// trigger inferences in consecutive frames.
struct AdaptiveIntervalPolicy: Sendable {
    private var lastInference: Nanoseconds?
    /// The tracker's state after the latest finished frame. `nil` before the first one.
    private var known: TrackerSnapshot?
    /// Whether the policy has processed the result of the last inference.
    private var isAnswerTaken = false
    private var change = FrameDifference()
    private var motion = UnexplainedMotion()
    /// The current boxes of all tracks, in plane pixels.
    private var places: ContiguousArray<Box> = []
    /// The boxes of all tracks at the last inference, in plane pixels.
    private var detectedPlaces: ContiguousArray<Box> = []
    private var refreshInterval = minimumRefreshInterval
    private var lastFrame: Nanoseconds?
    /// The number of consecutive frames with a scene change.
    private var changes = 0
    /// The time between the previous frame and the latest one, in seconds.
    private var step = 0.0

    /// The fraction of the picture with unexplained change above which the frame counts as a scene change or camera
    /// motion.
    private static let sceneChangeShare = 0.4
    /// The same fraction if the previous frame was also a scene change. It is lower, because areas with little texture
    /// change little from one frame to the next.
    private static let sceneChangeShareContinued = 0.2
    /// The minimum interval in seconds between inferences that tracked objects or motion trigger. It is short enough to
    /// separate people who pass each other.
    private static let pause = 0.09
    /// The minimum of this interval in frames. The half frame is a tolerance for timestamp jitter.
    private static let pauseInFrames = 1.5
    /// The time in seconds until a missed object triggers an inference. It doubles with each further miss.
    private static let firstMissInterval = 0.1
    /// The time in seconds until motion triggers an inference again after an inference has detected nothing there. It
    /// limits the additional delay before an object is reported.
    private static let recurringMotionInterval = 0.22
    /// The same time for motion that has just begun. It is shorter, because objects that enter the picture are hard to
    /// recognise at first.
    private static let newMotionInterval = 0.14
    /// The same time for motion that recurs at one place and has never led to a detection.
    private static let lastingMotionInterval = 0.8
    /// The minimum refresh interval, in seconds: the time from an inference to the next one in a scene without
    /// unexplained motion. Each refresh multiplies the interval by ``growth``. Unexplained motion resets it.
    private static let minimumRefreshInterval = 1.0
    /// The maximum refresh interval, in seconds.
    private static let maximumRefreshInterval = 4.0
    /// The growth factor of the refresh interval.
    private static let growth = 3.0

    /// Whether the camera keeps moving. One scene change is not sufficient: after a single cut, the second frame shows
    /// the same scene.
    var isNextInferenceCertain: Bool { changes > 1 }

    /// Whether the latest frame has motion that no track explains.
    var seesUnexplainedMotion: Bool { motion.isAny || changes > 0 }

    /// Records the tracker's state after a finished frame.
    mutating func note(_ snapshot: TrackerSnapshot?) { known = snapshot }

    /// Records the arrival of a frame, even if the frame must not be used for inference.
    mutating func noteFrame(at time: Nanoseconds) {
        if let lastFrame, time > lastFrame { step = Double(time - lastFrame) / 1e9 }
        lastFrame = time
    }

    /// Records that an inference of the frame at `time` starts.
    mutating func noteInference(at time: Nanoseconds, in plane: LumaPlane?) {
        lastInference = time
        isAnswerTaken = false
        change.remember(plane)
    }

    /// Returns the reason to run inference on the frame at `time`. `nil` if there is none.
    mutating func reason(at time: Nanoseconds, in plane: LumaPlane?) -> InferencePolicy.Reason? {
        guard let plane, let lastInference, let known, time >= lastInference else { return .start }
        let seconds = Double(time - lastInference) / 1e9
        // A cut ends all tracks, so an inference is needed at once.
        if let cut = known.lastCut, cut > lastInference { return .sceneChange }
        if !isAnswerTaken, let answered = known.answered, answered >= lastInference {
            isAnswerTaken = true
            Self.locate(known.places.lazy.map(\.detectedBox), in: plane, &places)
            motion.noteInference(at: time, besides: places, detectedPlaces, in: change)
            swap(&detectedPlaces, &places)
        }
        // If the result has not been processed, it is pending. In a live pipeline the result may be available although
        // its frame is not finished.
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

    /// The time in seconds until motion triggers an inference again after an inference has detected nothing there.
    private var motionInterval: Double {
        motion.isFresh
            ? Self.newMotionInterval : motion.isRecurring ? Self.lastingMotionInterval : Self.recurringMotionInterval
    }

    private static func locate(_ boxes: some Sequence<Box>, in plane: LumaPlane, _ places: inout ContiguousArray<Box>) {
        places.removeAll(keepingCapacity: true)
        for box in boxes { places.append(box.scaled(x: 1 / plane.scaleX, y: 1 / plane.scaleY)) }
    }

    /// Returns whether an inference could confirm a tentative track now. If the picture has not changed in the track's
    /// area since the detection, the inference can wait.
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
