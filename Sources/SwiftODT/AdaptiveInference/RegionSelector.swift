/// Chooses for each look whether the whole picture is looked at or a part of it, nearer, and which: one look costs what another does, so
/// the one is taken that tells most.
///
/// What a look tells is what it ends of not knowing: of the objects that are known (``ObjectUtility``), of what moves and none of them
/// explains (``MotionUtility``), and of places where nobody has looked so near for long (``CoverageAge``), the latter as far as nearer looks
/// have told anything (``ZoomGainEstimate``). Decided from times and pictures alone: the same frames give the same looks.
///
///     var choice = RegionSelector()
///     choice.note(tracker.snapshot())
///     let region = choice.next(at: frame.time, in: picture, luma: plane)   // nil for the fullFrame picture
public struct RegionSelector: Sendable {
    /// What is looked at, and with what.
    public struct Geometry: Hashable, Sendable {
        public var width: Int
        public var height: Int
        public var pixelAspectRatio: Double
        /// Whether the picture's width is the buffer's height.
        public var turned: Bool
        /// How much the detector takes in at once.
        public var input: InputSize

        public init(width: Int, height: Int, pixelAspectRatio: Double = 1, turned: Bool = false, input: InputSize) {
            (self.width, self.height, self.pixelAspectRatio) = (width, height, pixelAspectRatio)
            (self.turned, self.input) = (turned, input)
        }
    }

    /// Why that is looked at; the raw values stand in the debug log and, with `regions-` before them, in `stats`.
    public enum Reason: String, CaseIterable, Sendable {
        /// The whole picture.
        case fullFrame = "full-frame"
        /// Small objects that are to be seen again.
        case objects
        /// Something moves that no object explains.
        case motion
        /// Nobody has looked there for long.
        case coverage
    }

    private var views: RegionPyramid?
    private var objects = ObjectUtility()
    private var motion = MotionUtility()
    private var ages = CoverageAge()
    private var zoomGain = ZoomGainEstimate()
    /// What was looked at last.
    private var latest: ObjectUtility.RegionInference?
    private var lastFullFrame: Nanoseconds?
    private var regionsSinceFullFrame = 0
    /// When a place was last looked at because nobody had for long, and how many looks there were since; and when it was the one where nobody
    /// had for longest.
    private var lastCoverage: Nanoseconds?
    private var inferencesSinceCoverage = 0
    private var lastCoverageRound: Nanoseconds?

    /// So long, and for so many looks, such places may be worth less than what is known. By then they are worth no more if they wait.
    private static let longestWithoutCoverageRound: Nanoseconds = 4_000_000_000
    private static let inferencesBetweenRounds = 4
    private static let longestWithoutFullFrame: Nanoseconds = 400_000_000
    /// The same where looks are few, and each is because somebody or something asks: the whole would take every other of them, and that
    /// somebody large has come is told from what moves.
    private static let longestWhileTriggered: Nanoseconds = 800_000_000
    /// Newcomers ask once or twice: the next looks are theirs, even where they come no sooner than after a second. Where ever more of them ask,
    /// those whom the whole alone shows would not be looked for at all.
    private static let longestWhileTentative: Nanoseconds = 4_000_000_000
    private static let maximumRegionsWhileTentative = 2
    /// Around so many objects parts are tried.
    private static let maximumAnchors = 40

    public init() {}

    /// What is known of the objects now.
    public mutating func note(_ snapshot: TrackerSnapshot?) {
        objects.note(snapshot)
        // What was seen of the scene before tells nothing of this one: it begins with the whole.
        if let lastCut = snapshot?.lastCut, let fullFrame = lastFullFrame, fullFrame < lastCut { lastFullFrame = nil }
    }

    /// Another time begins: the next look is at the whole.
    public mutating func reset() { self = RegionSelector() }

    /// What to look at in a frame, which counts as looked at then; `nil` for the whole picture.
    public mutating func next(
        at time: Nanoseconds, because cause: InferencePolicy.Reason = .interval, in picture: Geometry, luma: LumaPlane?
    ) -> (region: Box?, reason: Reason) {
        let time = time.clampedToRange
        let views = views(of: picture, at: time)
        objects.choose()
        motion.update(at: luma, at: time, besides: objects.known)
        zoomGain.learn(from: objects.known, isMoving: motion.isUnexplained)
        guard !views.tiles.isEmpty, lastFullFrame != nil else {
            return take(views.fullFrame, of: views, at: time, because: .fullFrame)
        }
        if cause == .refresh, motion.isStill {
            return selectCoverageRegion(around: (latest?.level == 0 ? [] : [views.fullFrame]) + views.tiles, of: views, at: time)
        }
        if isFullFrameDue(at: time, because: cause) { return take(views.fullFrame, of: views, at: time, because: .fullFrame) }
        if isCoverageDue(at: time, because: cause) { return selectCoverageRegion(around: views.tiles, of: views, at: time) }
        objects.computeUtility(at: time, because: cause, after: latest, in: views)
        motion.computeUtility(at: time, because: cause, in: views)
        ages.computeUtility(at: time, with: motion.isMovingNearby)
        var best = (utility: -1.0, view: views.fullFrame, reason: Reason.fullFrame)
        let around = views.views(around: objects.places.prefix(Self.maximumAnchors))
        for candidate in [views.fullFrame] + views.tiles + around {
            let view = views.avoidingCuts(objects.places, by: candidate)
            let (utility, reason) = utility(of: view, in: views, isTriggeredByObjects: cause.isTriggeredByObjects)
            if utility > best.utility { best = (utility, view, reason) }
        }
        // Beyond some age all are worth the same, and the larger ones more than those that are nearer: these have their turn, too.
        if best.reason == .coverage, !isTriggered(cause), isLongAgo(lastCoverageRound, at: time) {
            return selectCoverageRegion(around: views.tiles, of: views, at: time)
        }
        return take(best.view, of: views, at: time, because: best.reason)
    }

    /// What to look at where nothing goes on, or where places have their turn. What stands as it stood looks as it looked: that is taken which ends most of not having
    /// looked there, the whole in its turn, whatever is known and nearer looks have told so far.
    private mutating func selectCoverageRegion(
        around candidates: [RegionPyramid.CandidateRegion], of views: RegionPyramid, at time: Nanoseconds
    ) -> (region: Box?, reason: Reason) {
        let nothing = [Bool](repeating: false, count: CoverageAge.columns * CoverageAge.rows)
        ages.computeUtility(at: time, with: nothing, upTo: CoverageAge.longestWhenIdle)
        var best = (utility: -1.0, view: views.fullFrame)
        for candidate in candidates {
            let view = views.avoidingCuts(objects.places, by: candidate)
            let utility = ages.utility(of: view.box, level: view.level).place
            if utility > best.utility { best = (utility, view) }
        }
        lastCoverageRound = time
        return take(best.view, of: views, at: time, because: best.view.isWhole ? .fullFrame : .coverage)
    }

    /// Whoever stands in plain sight is worth more at each look than a place where nobody has ever been: those are looked at now and then
    /// even so, but not before who asks.
    private func isCoverageDue(at time: Nanoseconds, because cause: InferencePolicy.Reason) -> Bool {
        inferencesSinceCoverage >= Self.inferencesBetweenRounds && !isTriggered(cause) && isLongAgo(lastCoverage, at: time)
    }

    /// Whether somebody waits for the answer; for what moves and was looked at in vain another place may be the right one.
    private func isTriggered(_ cause: InferencePolicy.Reason) -> Bool { cause.isTriggeredByObjects && cause != .recurringMotion }

    private func isLongAgo(_ round: Nanoseconds?, at time: Nanoseconds) -> Bool {
        round.map { time < $0 || time - $0 >= Self.longestWithoutCoverageRound } ?? true
    }

    private mutating func views(of picture: Geometry, at time: Nanoseconds) -> RegionPyramid {
        if let views, views.picture == picture { return views }
        let views = RegionPyramid(of: picture)
        self.views = views
        ages = CoverageAge(
            width: views.fullFrame.box.width, height: views.fullFrame.box.height, levels: views.levels.count, at: time)
        (lastFullFrame, latest) = (nil, nil)
        return views
    }

    /// Something may come anywhere, and large things are seen in the whole alone: it is looked at often. Where looks are farther apart than
    /// that, not in every one of them: then it has to be worth more than a part.
    private func isFullFrameDue(at time: Nanoseconds, because cause: InferencePolicy.Reason) -> Bool {
        guard let lastFullFrame, time >= lastFullFrame else { return true }
        if regionsSinceFullFrame == 0, cause != .refresh { return false }
        let longest =
            switch cause {
            case .tentative where regionsSinceFullFrame < Self.maximumRegionsWhileTentative: Self.longestWhileTentative
            case _ where cause.isTriggeredByObjects: Self.longestWhileTriggered
            default: Self.longestWithoutFullFrame
            }
        return time - lastFullFrame >= longest
    }

    /// What a look would tell, and what of it most.
    private func utility(
        of view: RegionPyramid.CandidateRegion, in views: RegionPyramid, isTriggeredByObjects: Bool
    ) -> (utility: Double, reason: Reason) {
        let ofObjects = objects.utility(of: view, in: views)
        let ages = ages.utility(of: view.box, level: view.level)
        let expectedGain = view.isWhole ? 1 : zoomGain.expectedGain
        // Who asks is answered first: those whom the whole shows are not kept waiting for what may be elsewhere.
        let ofPlace = ages.place * (isTriggeredByObjects ? min(expectedGain, zoomGain.now) : expectedGain)
        let ofMotion = ages.motion * expectedGain + (view.isWhole ? motion.ofFullFrame : 0)
        let utility = ofObjects + ofPlace + ofMotion
        if view.isWhole { return (utility, .fullFrame) }
        if ofMotion > max(ofObjects, ofPlace) { return (utility, .motion) }
        return (utility, ofPlace > ofObjects ? .coverage : .objects)
    }

    /// That is looked at.
    private mutating func take(
        _ view: RegionPyramid.CandidateRegion, of views: RegionPyramid, at time: Nanoseconds, because reason: Reason
    ) -> (Box?, Reason) {
        inferencesSinceCoverage = reason == .coverage ? 0 : min(inferencesSinceCoverage + 1, Self.inferencesBetweenRounds)
        if reason == .coverage { lastCoverage = time }
        latest = ObjectUtility.RegionInference(region: views.seen(in: view), level: view.level, time: time)
        if view.isWhole { lastFullFrame = time }
        regionsSinceFullFrame = view.isWhole ? 0 : min(regionsSinceFullFrame + 1, Self.maximumRegionsWhileTentative)
        ages.note(view.isWhole ? nil : view.box, level: view.level, at: time)
        return (view.isWhole ? nil : view.box, reason)
    }
}
