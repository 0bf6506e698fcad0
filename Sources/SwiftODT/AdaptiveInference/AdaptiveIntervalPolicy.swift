/// Decides when an inference is useful. The decision depends on the changes of the picture since the last inference,
/// and on the state of the tracks.
///
/// The following triggers an inference:
/// - tentative tracks, until they are confirmed;
/// - missed tracks, soon after the first miss and then at increasing intervals;
/// - boxes that have been extrapolated for longer than ``ExtrapolationLimit`` allows, or whose content no longer
///   matches the track's appearance;
/// - unexplained motion: immediately, or after a back-off time if an earlier inference detected nothing at the same
///   place;
/// - time, in a scene without unexplained motion: after 1 s, then after 3 s, then every 4 s. If the gate before the
///   decoder passes only key frames, the interval grows to 30 s, and starts again at 1 s after a track has ended.
///
/// Unchanged areas of the picture trigger nothing, because the same picture gives the same detections. All intervals
/// are in seconds, so the inference rate hardly depends on the frame rate. Above 7 frames per second, only tentative
/// tracks and scene changes trigger inferences in consecutive frames.
struct AdaptiveIntervalPolicy: Sendable {
    private var lastInference: Nanoseconds?
    /// The tracker's state after the latest finished frame.
    private var known: TrackerSnapshot?
    /// Whether the policy has processed the result of the latest inference.
    private var isResultTaken = false
    private var change = FrameDifference()
    private var motion = UnexplainedMotion()
    private var recurring = RecurringMotion()
    /// The current boxes of all tracks, in pixels of the luma plane.
    private var places: ContiguousArray<Box> = []
    /// The boxes of all tracks at the latest inference, in pixels of the luma plane.
    private var detectedPlaces: ContiguousArray<Box> = []
    private var refreshInterval = minimumRefreshInterval
    /// Whether a confirmed track has ended. If only key frames are decoded, ``refreshInterval`` then starts again: the
    /// object may still be in the picture with a score below the threshold, although nothing changes.
    private var isTrackLost = false
    /// Whether an inference on the latest frame would be a refresh of a scene without unexplained motion. For
    /// refreshes, see ``minimumRefreshInterval``.
    private var isStillRefresh = false
    private var lastFrame: Nanoseconds?
    /// The number of consecutive frames with a scene change.
    private var changes = 0
    /// The time between the latest two frames, in seconds.
    private var step = 0.0
    /// Whether objects are redacted.
    var isRedacted = false
    private var areOnlyKeyFramesDecoded: Bool { step >= Double(TrackerTuning.keyFrameDistance) / 1e9 }

    /// A frame counts as a scene change if unexplained motion covers more than this fraction of the picture. Camera
    /// motion has the same effect as a cut.
    private static let sceneChangeShare = 0.4
    /// Replaces ``sceneChangeShare`` if the previous frame was a scene change. The value is lower, because areas with
    /// little texture hardly change from one frame to the next while the camera moves.
    private static let sceneChangeShareContinued = 0.2
    /// For this time after an inference, in seconds, tracked objects and new motion do not trigger the next inference.
    /// The time is short enough to separate people who pass each other.
    private static let minimumInterval = 0.09
    /// The lower bound of ``minimumInterval``, as a multiple of the time between two frames. With 1.5, the second frame
    /// after an inference is always late enough, even with timestamp jitter.
    private static let minimumIntervalInFrames = 1.5
    /// If an object is missed, the next inference starts after this time, in seconds. The time doubles with each
    /// further miss.
    private static let firstMissInterval = 0.1
    /// If an inference detects nothing at a place with motion, the next inference starts after this interval, in
    /// seconds. The interval limits the delay with which an object that is hard to detect is reported.
    private static let recurringMotionInterval = 0.22
    /// Replaces ``recurringMotionInterval`` if the motion began less than 1 s ago. The value is lower, because an
    /// object that enters the picture is hard to detect at first.
    private static let newMotionInterval = 0.14
    /// Replaces ``recurringMotionInterval`` if many inferences have detected nothing at the place of the motion, for
    /// example at leaves.
    private static let persistentMotionInterval = 0.8
    /// The shortest refresh interval in seconds. A refresh is an inference without another reason. Each refresh in a
    /// scene without unexplained motion multiplies the interval by ``growth``. Unexplained motion and scene changes
    /// reset the interval.
    private static let minimumRefreshInterval = 1.0
    private static let maximumRefreshInterval = 4.0
    /// The maximum refresh interval in seconds if only key frames are decoded and objects are not redacted. It is longer
    /// than ``maximumRefreshInterval``, because an inference costs more than the decoding of a key frame.
    private static let maximumRefreshIntervalOfKeyFrames = 30.0
    private static let growth = 3.0

    /// Whether at least two consecutive frames had a scene change. This happens while the camera moves, but not at a
    /// cut, which changes only one frame. If `true`, the next frame is inferred, regardless of the result of the latest
    /// frame.
    var isNextInferenceCertain: Bool { changes > 1 }

    /// Whether the latest frame has motion that no track explains, except ``RecurringMotion``.
    var seesUnexplainedMotion: Bool { changes > 0 || recurring.counts(motion.isUnexplained) }

    /// Whether the latest frame differs from the latest inferred frame, except by ``RecurringMotion``. Differences that
    /// tracks explain also count. The value is `true` if the two frames cannot be compared, and `false` before the
    /// first inference.
    private(set) var seesMotion = false

    mutating func note(_ snapshot: TrackerSnapshot?) {
        let confirmed = { (snapshot: TrackerSnapshot?) in snapshot?.places.count(where: \.isConfirmed) ?? 0 }
        if confirmed(snapshot) < confirmed(known) { isTrackLost = true }
        known = snapshot
    }

    /// Records the arrival of a frame, even if the frame cannot be inferred.
    mutating func noteFrame(at time: Nanoseconds) {
        if let lastFrame, time > lastFrame {
            step = Double(time - lastFrame) / 1e9
            recurring.advance(by: time - lastFrame)
        }
        lastFrame = time
    }

    mutating func noteInference(at time: Nanoseconds, in plane: LumaPlane?) {
        lastInference = time
        isResultTaken = false
        if isStillRefresh {
            refreshInterval = min(refreshInterval * Self.growth, Self.maximumRefreshIntervalOfKeyFrames)
        }
        isStillRefresh = false
        change.remember(plane)
    }

    mutating func reason(at time: Nanoseconds, in plane: LumaPlane?) -> InferencePolicy.Reason? {
        (seesMotion, isStillRefresh) = (false, false)
        guard let plane, let lastInference, let known, time >= lastInference else { return .start }
        seesMotion = true
        let seconds = Double(time - lastInference) / 1e9
        // A cut ends all tracks. Without an inference now, the new scene would have no objects until something else
        // triggers an inference.
        if let cut = known.lastCut, cut > lastInference { return sceneChange() }
        if !isResultTaken, let lastResult = known.lastResult, lastResult >= lastInference {
            isResultTaken = true
            Self.locate(known.places.lazy.map { $0.detectedBox ?? $0.box }, in: plane, &places)
            motion.noteInference(at: time, besides: places, detectedPlaces, in: change)
            if changes > 0 { recurring.forget() } else { recurring.noteInference(motion.isUnexplained, in: change) }
            swap(&detectedPlaces, &places)
        }
        // While a result is pending, the tracks are outdated, so only a refresh is possible. In a live pipeline the
        // detector may be idle although its result has not been processed yet.
        guard isResultTaken || isNextInferenceCertain else {
            // A copy is compared, because ``change`` must stay unchanged until the result of the latest inference is
            // processed.
            var comparison = change
            seesMotion = !comparison.compare(plane, after: step) || recurring.counts(comparison.isChanged)
            return seconds >= Self.minimumRefreshInterval ? .refresh : nil
        }
        Self.locate(known.places.lazy.map(\.box), in: plane, &places)
        guard change.compare(plane, after: step) else { return .start }
        motion.find(in: change, besides: places, isResultTaken ? detectedPlaces : places, at: time)
        let isExplained = zip(change.isChanged, motion.isUnexplained).contains { $0 && !$1 }
        seesMotion = isExplained || recurring.counts(motion.isUnexplained)
        changes =
            motion.share > (changes > 0 ? Self.sceneChangeShareContinued : Self.sceneChangeShare) ? changes + 1 : 0
        if changes > 0 { return sceneChange() }
        guard isResultTaken else { return nil }
        // If the picture in a tentative track's area is unchanged, an inference would give the same detection.
        let isTentative = zip(known.places, places).contains { place, box in
            !place.isConfirmed && place.misses == 0
                && (seconds >= Self.minimumRefreshInterval || change.differs(in: box))
        }
        if isTentative { return .tentative }
        if seconds >= max(Self.minimumInterval, Self.minimumIntervalInFrames * step) {
            if let reason = reasonFromObjects(known, after: seconds, in: plane) { return reason }
            if motion.isNewMotion { return .motion }
        }
        if motion.isAny, seconds >= motionInterval { return .recurringMotion }
        return reasonFromTime(after: seconds)
    }

    /// If there is motion that the latest inference did not explain, the next inference starts after this interval, in
    /// seconds.
    private var motionInterval: Double {
        motion.isFresh
            ? Self.newMotionInterval : motion.isRecurring ? Self.persistentMotionInterval : Self.recurringMotionInterval
    }

    private static func locate(_ boxes: some Sequence<Box>, in plane: LumaPlane, _ places: inout ContiguousArray<Box>) {
        places.removeAll(keepingCapacity: true)
        for box in boxes { places.append(box.scaled(x: 1 / plane.scaleX, y: 1 / plane.scaleY)) }
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

    /// Returns the utility of an inference, in the units of ``ObjectUtility`` and ``CellMotion``.
    ///
    /// - A scene change and new motion have a utility of 3, recurring motion 1, a refresh 0.
    /// - For the other reasons, the utility is a sum over all tracks: 3 for each tentative track, and 1 for each missed
    ///   or changed track. If the reason is drift, each of the other tracks adds the time in seconds since its latest
    ///   detection, at most 1.
    func utility(because reason: InferencePolicy.Reason, at time: Nanoseconds) -> Double {
        switch reason {
        case .refresh, .interval: return 0
        case .recurringMotion: return 1
        case .start, .sceneChange, .requested, .motion: return CellMotion.utilityOfLarge
        case .tentative, .missed, .appearanceChange, .drift: break
        }
        return (known?.places ?? []).reduce(0) { sum, place in
            if !place.isConfirmed { return sum + ObjectUtility.ofTentative }
            if place.misses > 0 || place.isAppearanceChanged { return sum + 1 }
            return reason == .drift ? sum + min(max(0, Double(time.since(place.lastSeen)) / 1e9), 1) : sum
        }
    }

    /// In a new scene, the first refresh comes soon, because a single inference may miss objects.
    private mutating func sceneChange() -> InferencePolicy.Reason {
        refreshInterval = Self.minimumRefreshInterval
        return .sceneChange
    }

    private mutating func reasonFromTime(after seconds: Double) -> InferencePolicy.Reason? {
        let isStill = !motion.isAny
        if !isStill || (isTrackLost && areOnlyKeyFramesDecoded) {
            (refreshInterval, isTrackLost) = (Self.minimumRefreshInterval, false)
        }
        let maximum =
            areOnlyKeyFramesDecoded && !isRedacted
            ? Self.maximumRefreshIntervalOfKeyFrames : Self.maximumRefreshInterval
        guard seconds >= min(refreshInterval, maximum) else { return nil }
        isStillRefresh = isStill
        return .refresh
    }
}
