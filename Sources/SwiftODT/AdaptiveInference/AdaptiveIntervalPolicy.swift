/// When looking pays: told from what has changed in the picture since it was looked at last, and from how objects have fared.
///
/// A scene in which nothing changes but what known objects explain is looked at after one second, then three, then every four. Newcomers
/// are looked at until they are proved, whatever is missed soon and then less and less often, boxes once they have been carried as far as went well with them,
/// or show something else than they did, unexplained motion at once, or when the latest look is a moment old. What stands as it stood is
/// no reason: the same picture gets the same answer. All is reckoned in time, so that a stream of 5 frames a second and one of 60 are looked at about equally often; none is
/// looked at more often than it has frames, and only newcomers and new scenes in frame after frame.
struct AdaptiveIntervalPolicy: Sendable {
    private var lastInference: Nanoseconds?
    /// What is known since the latest frame that was finished.
    private var known: TrackerSnapshot?
    private var isAnswerTaken = false
    private var change = FrameDifference()
    private var motion = UnexplainedMotion()
    /// Where objects are now, and where they were in the picture that was looked at last, in pixels of the plane.
    private var places: ContiguousArray<Box> = []
    private var detectedPlaces: ContiguousArray<Box> = []
    private var refreshInterval = minimumRefreshInterval
    private var lastFrame: Nanoseconds?
    /// How many frames in a row were other scenes than the ones looked at before them.
    private var changes = 0
    /// Seconds from the frame before to the latest.
    private var step = 0.0

    /// A camera that moves changes more than this share of the picture at once, and where it has just done so more than that: what has little
    /// texture hardly changes from one frame to the next.
    private static let sceneChangeShare = 0.4
    private static let sceneChangeShareContinued = 0.2
    /// Between two looks because of objects that are known, or of what moves, at least: seconds, and frames, which come a little early or
    /// late. Two frames are what a slow stream has to spare, a tenth of a second is what people need who pass each other.
    private static let pause = 0.09
    private static let pauseInFrames = 1.5
    /// Seconds after which an object that was missed is looked for again: so many the first time, twice as many each time.
    private static let firstMissInterval = 0.1
    /// Seconds after which what moves and was looked at in vain is looked at again: what every frame would have shown of it is told of
    /// no more than a fifth of a second later.
    private static let recurringMotionInterval = 0.22
    /// The same where it has just begun: whoever comes is hardly known for what they are at first.
    private static let newMotionInterval = 0.14
    /// The same where it goes on and on in one place and has told nothing.
    private static let lastingMotionInterval = 0.8
    /// Seconds without a look where nothing is unexplained: at first, at most, and by what they grow from one to the next.
    private static let minimumRefreshInterval = 1.0
    private static let maximumRefreshInterval = 4.0
    private static let growth = 3.0

    /// Whether the camera goes on moving: after a mere cut the second picture is the same scene.
    var isNextInferenceCertain: Bool { changes > 1 }

    mutating func note(_ snapshot: TrackerSnapshot?) { known = snapshot }

    /// A frame has come, whether anybody may look at it or not.
    mutating func noteFrame(at time: Nanoseconds) {
        if let lastFrame, time > lastFrame { step = Double(time - lastFrame) / 1e9 }
        lastFrame = time
    }

    /// The frame at `time` is looked at.
    mutating func noteInference(at time: Nanoseconds, in plane: LumaPlane?) {
        lastInference = time
        isAnswerTaken = false
        change.remember(plane)
    }

    /// Why the frame at `time` is to be looked at; `nil` where it need not.
    mutating func reason(at time: Nanoseconds, in plane: LumaPlane?) -> InferencePolicy.Reason? {
        guard let plane, let lastInference, let known, time >= lastInference else { return .start }
        let seconds = Double(time - lastInference) / 1e9
        // All that was known has ended with a cut.
        if let cut = known.lastCut, cut > lastInference { return .sceneChange }
        if !isAnswerTaken, let answered = known.answered, answered >= lastInference {
            isAnswerTaken = true
            Self.locate(known.places.lazy.map(\.detectedBox), in: plane, &places)
            motion.noteInference(at: time, besides: places, detectedPlaces, in: change)
            swap(&detectedPlaces, &places)
        }
        // Else it is to come; or live, it may be there and its frame not finished yet.
        guard isAnswerTaken || isNextInferenceCertain else { return seconds >= Self.minimumRefreshInterval ? .refresh : nil }
        Self.locate(known.places.lazy.map(\.box), in: plane, &places)
        guard change.compare(plane, after: step) else { return .start }
        motion.find(in: change, besides: places, isAnswerTaken ? detectedPlaces : places, at: time)
        changes = motion.share > (changes > 0 ? Self.sceneChangeShareContinued : Self.sceneChangeShare) ? changes + 1 : 0
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

    /// How many seconds what moves and has been looked at in vain waits for the next look.
    private var motionInterval: Double {
        motion.isFresh ? Self.newMotionInterval : motion.isRecurring ? Self.lastingMotionInterval : Self.recurringMotionInterval
    }

    private static func locate(_ boxes: some Sequence<Box>, in plane: LumaPlane, _ places: inout ContiguousArray<Box>) {
        places.removeAll(keepingCapacity: true)
        for box in boxes { places.append(box.scaled(x: 1 / plane.scaleX, y: 1 / plane.scaleY)) }
    }

    /// Whether somebody is new whom a look may prove now: what has not changed in the picture since it was found can wait.
    private func hasTentative(_ snapshot: TrackerSnapshot, after seconds: Double) -> Bool {
        for (index, place) in snapshot.places.enumerated() where !place.isConfirmed && place.misses == 0 {
            if seconds >= Self.minimumRefreshInterval || change.differs(in: places[index]) { return true }
        }
        return false
    }

    private func reasonFromObjects(_ snapshot: TrackerSnapshot, after seconds: Double, in plane: LumaPlane) -> InferencePolicy.Reason? {
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
