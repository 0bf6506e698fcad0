/// When looking pays: told from what has changed in the picture since it was looked at last, and from how objects have fared.
///
/// A scene in which nothing changes but what known objects explain is looked at after one second, then three, then every four. Newcomers
/// are looked at until they are proved, whatever is missed soon and then less and less often, boxes once they have been carried as far as went well with them,
/// or show something else than they did, unexplained motion at once, or when the latest look is a moment old. What stands as it stood is
/// no reason: the same picture gets the same answer. All is reckoned in time, so that a stream of 5 frames a second and one of 60 are looked at about equally often; none is
/// looked at more often than it has frames, and only newcomers and new scenes in frame after frame.
struct AdaptivePace: Sendable {
    private var lastLook: Nanoseconds?
    /// What is known since the latest frame that was finished.
    private var known: Outlook?
    private var isAnswerTaken = false
    private var change = PictureChange()
    private var motion = UnexplainedMotion()
    /// Where objects are now, and where they were in the picture that was looked at last, in pixels of the plane.
    private var places: ContiguousArray<Box> = []
    private var foundPlaces: ContiguousArray<Box> = []
    private var patience = leastPatience
    private var lastFrame: Nanoseconds?
    /// How many frames in a row were other scenes than the ones looked at before them.
    private var changes = 0
    /// Seconds from the frame before to the latest.
    private var step = 0.0

    /// A camera that moves changes more than this share of the picture at once, and where it has just done so more than that: what has little
    /// texture hardly changes from one frame to the next.
    private static let scene = 0.4
    private static let sceneGoesOn = 0.2
    /// Between two looks because of objects that are known, or of what moves, at least: seconds, and frames, which come a little early or
    /// late. Two frames are what a slow stream has to spare, a tenth of a second is what people need who pass each other.
    private static let pause = 0.09
    private static let pauseInFrames = 1.5
    /// Seconds after which an object that was missed is looked for again: so many the first time, twice as many each time.
    private static let firstMiss = 0.1
    /// Seconds after which what moves and was looked at in vain is looked at again: what every frame would have shown of it is told of
    /// no more than a fifth of a second later.
    private static let restless = 0.22
    /// The same where it has just begun: whoever comes is hardly known for what they are at first.
    private static let restlessAtFirst = 0.14
    /// The same where it goes on and on in one place and has told nothing.
    private static let restlessInTheEnd = 0.8
    /// Seconds without a look where nothing is unexplained: at first, at most, and by what they grow from one to the next.
    private static let leastPatience = 1.0
    private static let mostPatience = 4.0
    private static let growth = 3.0

    /// Whether the camera goes on moving: after a mere cut the second picture is the same scene.
    var isSureOfNext: Bool { changes > 1 }

    mutating func note(_ outlook: Outlook?) { known = outlook }

    /// A frame has come, whether anybody may look at it or not.
    mutating func noteFrame(at time: Nanoseconds) {
        if let lastFrame, time > lastFrame { step = Double(time - lastFrame) / 1e9 }
        lastFrame = time
    }

    /// The frame at `time` is looked at.
    mutating func noteLook(at time: Nanoseconds, in plane: LumaPlane?) {
        lastLook = time
        isAnswerTaken = false
        change.remember(plane)
    }

    /// Why the frame at `time` is to be looked at; `nil` where it need not.
    mutating func reason(at time: Nanoseconds, in plane: LumaPlane?) -> Attention.Reason? {
        guard let plane, let lastLook, let known, time >= lastLook else { return .start }
        let seconds = Double(time - lastLook) / 1e9
        // All that was known has ended with a cut.
        if let cut = known.lastCut, cut > lastLook { return .scene }
        if !isAnswerTaken, let answered = known.answered, answered >= lastLook {
            isAnswerTaken = true
            Self.locate(known.places.lazy.map(\.answeredBox), in: plane, &places)
            motion.noteLook(at: time, besides: places, foundPlaces, in: change)
            swap(&foundPlaces, &places)
        }
        // Else it is to come; or live, it may be there and its frame not finished yet.
        guard isAnswerTaken || isSureOfNext else { return seconds >= Self.leastPatience ? .quiet : nil }
        Self.locate(known.places.lazy.map(\.box), in: plane, &places)
        guard change.compare(plane, after: step) else { return .start }
        motion.find(in: change, besides: places, isAnswerTaken ? foundPlaces : places, at: time)
        changes = motion.share > (changes > 0 ? Self.sceneGoesOn : Self.scene) ? changes + 1 : 0
        if changes > 0 { return .scene }
        guard isAnswerTaken else { return nil }
        if isAnyUnproved(known, after: seconds) { return .newcomer }
        if seconds >= max(Self.pause, Self.pauseInFrames * step) {
            if let reason = reasonOfObjects(known, after: seconds, in: plane) { return reason }
            if motion.isNews { return .motion }
        }
        if motion.isAny, seconds >= restlessness { return .restless }
        return reasonOfTime(after: seconds)
    }

    /// How many seconds what moves and has been looked at in vain waits for the next look.
    private var restlessness: Double {
        motion.isFresh ? Self.restlessAtFirst : motion.isOldNews ? Self.restlessInTheEnd : Self.restless
    }

    private static func locate(_ boxes: some Sequence<Box>, in plane: LumaPlane, _ places: inout ContiguousArray<Box>) {
        places.removeAll(keepingCapacity: true)
        for box in boxes { places.append(box.scaled(x: 1 / plane.scaleX, y: 1 / plane.scaleY)) }
    }

    /// Whether somebody is new whom a look may prove now: what has not changed in the picture since it was found can wait.
    private func isAnyUnproved(_ outlook: Outlook, after seconds: Double) -> Bool {
        for (index, place) in outlook.places.enumerated() where !place.isProved && place.misses == 0 {
            if seconds >= Self.leastPatience || change.differs(in: places[index]) { return true }
        }
        return false
    }

    private func reasonOfObjects(_ outlook: Outlook, after seconds: Double, in plane: LumaPlane) -> Attention.Reason? {
        let picture = Box(x: 0, y: 0, width: Double(plane.width), height: Double(plane.height))
        var isDrifting = false
        for (index, place) in outlook.places.enumerated() where place.isProved {
            if place.misses > 0 {
                if seconds >= Self.firstMiss * Double(1 << min(place.misses - 1, 8)) { return .missed }
            } else if change.differs(in: places[index]) {
                if place.isDoubted { return .doubt }
                isDrifting =
                    isDrifting
                    || CarriedLimit.isReached(after: seconds, index, of: outlook.places, at: places, in: picture)
            }
        }
        return isDrifting ? .drift : nil
    }

    private mutating func reasonOfTime(after seconds: Double) -> Attention.Reason? {
        let isStill = !motion.isAny
        if !isStill { patience = Self.leastPatience }
        guard seconds >= patience else { return nil }
        if isStill { patience = min(patience * Self.growth, Self.mostPatience) }
        return .quiet
    }
}
