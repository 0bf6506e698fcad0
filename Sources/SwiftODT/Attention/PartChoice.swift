/// Chooses for each look whether the whole picture is looked at or a part of it, nearer, and which: one look costs what another does, so
/// the one is taken that tells most.
///
/// What a look tells is what it ends of not knowing: of the objects that are known (``ObjectWorth``), of what moves and none of them
/// explains (``MotionWorth``), and of places where nobody has looked so near for long (``ViewAges``), the latter as far as nearer looks
/// have told anything (``NearYield``). Decided from times and pictures alone: the same frames give the same looks.
///
///     var choice = PartChoice()
///     choice.note(tracker.outlook())
///     let part = choice.next(at: frame.time, in: picture, luma: plane)   // nil for the whole picture
public struct PartChoice: Sendable {
    /// What is looked at, and with what.
    public struct Picture: Hashable, Sendable {
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

    /// Why that is looked at; the raw values stand in the debug log and, with `views-` before them, in `stats`.
    public enum Reason: String, CaseIterable, Sendable {
        /// The whole picture.
        case whole
        /// Small objects that are to be seen again.
        case objects
        /// Something moves that no object explains.
        case motion
        /// Nobody has looked there for long.
        case unseen
    }

    private var views: PictureViews?
    private var objects = ObjectWorth()
    private var motion = MotionWorth()
    private var ages = ViewAges()
    private var nearYield = NearYield()
    /// What was looked at last.
    private var latest: ObjectWorth.Look?
    private var lastWhole: Nanoseconds?
    private var partsSinceWhole = 0
    /// When a place was last looked at because nobody had for long, and how many looks there were since; and when it was the one where nobody
    /// had for longest.
    private var lastUnseen: Nanoseconds?
    private var looksSinceUnseen = 0
    private var lastRound: Nanoseconds?

    /// So long, and for so many looks, such places may be worth less than what is known. By then they are worth no more if they wait.
    private static let longestWithoutRound: Nanoseconds = 4_000_000_000
    private static let looksBetweenRounds = 4
    private static let longestWithoutWhole: Nanoseconds = 400_000_000
    /// The same where looks are few, and each is because somebody or something asks: the whole would take every other of them, and that
    /// somebody large has come is told from what moves.
    private static let longestWhileAsked: Nanoseconds = 800_000_000
    /// Newcomers ask once or twice: the next looks are theirs, even where they come no sooner than after a second. Where ever more of them ask,
    /// those whom the whole alone shows would not be looked for at all.
    private static let longestWhileProving: Nanoseconds = 4_000_000_000
    private static let mostWhileProving = 2
    /// Around so many objects parts are tried.
    private static let mostAnchors = 40

    public init() {}

    /// What is known of the objects now.
    public mutating func note(_ outlook: Outlook?) {
        objects.note(outlook)
        // What was seen of the scene before tells nothing of this one: it begins with the whole.
        if let lastCut = outlook?.lastCut, let whole = lastWhole, whole < lastCut { lastWhole = nil }
    }

    /// Another time begins: the next look is at the whole.
    public mutating func reset() { self = PartChoice() }

    /// What to look at in a frame, which counts as looked at then; `nil` for the whole picture.
    public mutating func next(
        at time: Nanoseconds, because cause: Attention.Reason = .interval, in picture: Picture, luma: LumaPlane?
    ) -> (part: Box?, reason: Reason) {
        let time = time.reckonable
        let views = views(of: picture, at: time)
        objects.choose()
        motion.look(at: luma, at: time, besides: objects.known)
        nearYield.learn(from: objects.known, isMoving: motion.isUnexplained)
        guard !views.parts.isEmpty, lastWhole != nil else {
            return take(views.whole, of: views, at: time, because: .whole)
        }
        if cause == .quiet, motion.isStill {
            return look(around: (latest?.level == 0 ? [] : [views.whole]) + views.parts, of: views, at: time)
        }
        if isWholeDue(at: time, because: cause) { return take(views.whole, of: views, at: time, because: .whole) }
        if isUnseenDue(at: time, because: cause) { return look(around: views.parts, of: views, at: time) }
        objects.weigh(at: time, because: cause, after: latest, in: views)
        motion.weigh(at: time, because: cause, in: views)
        ages.weigh(at: time, with: motion.isMovingNearby)
        var best = (worth: -1.0, view: views.whole, reason: Reason.whole)
        let around = views.views(around: objects.places.prefix(Self.mostAnchors))
        for candidate in [views.whole] + views.parts + around {
            let view = views.sparing(objects.places, by: candidate)
            let (worth, reason) = worth(of: view, in: views, isQuestion: cause.isQuestion)
            if worth > best.worth { best = (worth, view, reason) }
        }
        // Beyond some age all are worth the same, and the larger ones more than those that are nearer: these have their turn, too.
        if best.reason == .unseen, !asks(cause), isLongAgo(lastRound, at: time) {
            return look(around: views.parts, of: views, at: time)
        }
        return take(best.view, of: views, at: time, because: best.reason)
    }

    /// What to look at where nothing goes on, or where places have their turn. What stands as it stood looks as it looked: that is taken which ends most of not having
    /// looked there, the whole in its turn, whatever is known and nearer looks have told so far.
    private mutating func look(
        around candidates: [PictureViews.View], of views: PictureViews, at time: Nanoseconds
    ) -> (part: Box?, reason: Reason) {
        let nothing = [Bool](repeating: false, count: ViewAges.columns * ViewAges.rows)
        ages.weigh(at: time, with: nothing, upTo: ViewAges.longestAtLeisure)
        var best = (worth: -1.0, view: views.whole)
        for candidate in candidates {
            let view = views.sparing(objects.places, by: candidate)
            let worth = ages.worth(of: view.box, level: view.level).place
            if worth > best.worth { best = (worth, view) }
        }
        lastRound = time
        return take(best.view, of: views, at: time, because: best.view.isWhole ? .whole : .unseen)
    }

    /// Whoever stands in plain sight is worth more at each look than a place where nobody has ever been: those are looked at now and then
    /// even so, but not before who asks.
    private func isUnseenDue(at time: Nanoseconds, because cause: Attention.Reason) -> Bool {
        looksSinceUnseen >= Self.looksBetweenRounds && !asks(cause) && isLongAgo(lastUnseen, at: time)
    }

    /// Whether somebody waits for the answer; for what moves and was looked at in vain another place may be the right one.
    private func asks(_ cause: Attention.Reason) -> Bool { cause.isQuestion && cause != .restless }

    private func isLongAgo(_ round: Nanoseconds?, at time: Nanoseconds) -> Bool {
        round.map { time < $0 || time - $0 >= Self.longestWithoutRound } ?? true
    }

    private mutating func views(of picture: Picture, at time: Nanoseconds) -> PictureViews {
        if let views, views.picture == picture { return views }
        let views = PictureViews(of: picture)
        self.views = views
        ages = ViewAges(
            width: views.whole.box.width, height: views.whole.box.height, levels: views.levels.count, at: time)
        (lastWhole, latest) = (nil, nil)
        return views
    }

    /// Something may come anywhere, and large things are seen in the whole alone: it is looked at often. Where looks are farther apart than
    /// that, not in every one of them: then it has to be worth more than a part.
    private func isWholeDue(at time: Nanoseconds, because cause: Attention.Reason) -> Bool {
        guard let lastWhole, time >= lastWhole else { return true }
        if partsSinceWhole == 0, cause != .quiet { return false }
        let longest =
            switch cause {
            case .newcomer where partsSinceWhole < Self.mostWhileProving: Self.longestWhileProving
            case _ where cause.isQuestion: Self.longestWhileAsked
            default: Self.longestWithoutWhole
            }
        return time - lastWhole >= longest
    }

    /// What a look would tell, and what of it most.
    private func worth(
        of view: PictureViews.View, in views: PictureViews, isQuestion: Bool
    ) -> (worth: Double, reason: Reason) {
        let ofObjects = objects.worth(of: view, in: views)
        let ages = ages.worth(of: view.box, level: view.level)
        let hope = view.isWhole ? 1 : nearYield.hope
        // Who asks is answered first: those whom the whole shows are not kept waiting for what may be elsewhere.
        let ofPlace = ages.place * (isQuestion ? min(hope, nearYield.now) : hope)
        let ofMotion = ages.motion * hope + (view.isWhole ? motion.ofWhole : 0)
        let worth = ofObjects + ofPlace + ofMotion
        if view.isWhole { return (worth, .whole) }
        if ofMotion > max(ofObjects, ofPlace) { return (worth, .motion) }
        return (worth, ofPlace > ofObjects ? .unseen : .objects)
    }

    /// That is looked at.
    private mutating func take(
        _ view: PictureViews.View, of views: PictureViews, at time: Nanoseconds, because reason: Reason
    ) -> (Box?, Reason) {
        looksSinceUnseen = reason == .unseen ? 0 : min(looksSinceUnseen + 1, Self.looksBetweenRounds)
        if reason == .unseen { lastUnseen = time }
        latest = ObjectWorth.Look(part: views.seen(in: view), level: view.level, time: time)
        if view.isWhole { lastWhole = time }
        partsSinceWhole = view.isWhole ? 0 : min(partsSinceWhole + 1, Self.mostWhileProving)
        ages.note(view.isWhole ? nil : view.box, level: view.level, at: time)
        return (view.isWhole ? nil : view.box, reason)
    }
}
