/// Chooses for each look whether the whole picture is looked at or a part of it, nearer, and which: one look costs what another does, so
/// the one is taken that tells most.
///
/// What a look tells is what it ends of not knowing: for each object that it shows whole and large enough to be seen the time since
/// it was seen last, and for each place how long nobody has looked there so near, more where something moves that no object
/// explains. Decided from times and pictures alone: the same frames give the same looks.
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

    private struct View {
        let box: Box
        /// Which of the levels of magnification; 0 is the whole.
        let level: Int
    }

    private var picture: Picture?
    private var views: [View] = []
    /// Input pixels for a pixel of the picture, and how much nearer than the whole, level by level.
    private var scales: [Double] = []
    private var magnifications: [Double] = []
    private var ages = ViewAges()
    private var motion = CellMotion()
    private var known: Outlook?
    /// What was looked at last, and when.
    private var latest: (part: SeenPart, level: Int, time: Nanoseconds)?
    /// For how many seconds nobody has seen each of what is known, for the moment.
    private var unseen: ContiguousArray<Double> = []
    private var lastWhole: Nanoseconds?
    /// What the whole tells of large things that move, for the moment.
    private var worthOfWhole = 0.0
    /// The share of the objects that have lately been seen from nearby alone: what nearer looks have told so far is what they
    /// are likely to tell of other places.
    private var yield = 1.0
    /// The same of the objects that are known now.
    private var nearNow = 1.0

    public init() {}

    /// What is known of the objects now.
    public mutating func note(_ outlook: Outlook?) {
        known = outlook
        // Where a crowd is, those told of first say enough, and each look stays a matter of some hundred microseconds.
        if let outlook, outlook.places.count > Self.mostPlaces {
            known?.places = Array(outlook.places.prefix(Self.mostPlaces))
        }
        known?.places.removeAll { !$0.box.isFinite }
    }

    /// Whether what the latest look has told is known.
    private var isAnswered: Bool { latest.map { (known?.answered ?? .min) >= $0.time } ?? true }

    /// Another time begins: the next look is at the whole.
    public mutating func reset() { self = PartChoice() }

    /// What to look at in a frame, which counts as looked at then; `nil` for the whole picture.
    public mutating func next(
        at time: Nanoseconds, because cause: Attention.Reason = .interval, in picture: Picture, luma: LumaPlane?
    ) -> (part: Box?, reason: Reason) {
        let time = time.reckonable
        if picture != self.picture { prepare(picture) }
        learnYield()
        motion.look(at: luma, at: time, besides: known?.places.map(\.box) ?? [])
        guard views.count > 1, !isWholeDue(at: time, because: cause) else {
            return note(views.first, at: time, because: .whole)
        }
        weighObjects(at: time)
        weighMotion(at: time, because: cause)
        var best = (worth: -1.0, view: views[0], reason: Reason.whole)
        let places = known?.places ?? []
        for candidate in views + viewsOfObjects() {
            let view =
                candidate.level == 0
                ? candidate : View(box: spare(candidate.box, of: places), level: candidate.level)
            let (worth, reason) = worth(of: view, isQuestion: cause.isQuestion)
            if worth > best.worth { best = (worth, view, view.level == 0 ? .whole : reason) }
        }
        return note(best.view, at: time, because: best.reason)
    }

    /// Something may come anywhere, and large things are seen in the whole alone: it is looked at often, but not each time that there is
    /// leisure.
    private func isWholeDue(at time: Nanoseconds, because cause: Attention.Reason) -> Bool {
        guard let lastWhole, time >= lastWhole else { return true }
        if cause == .quiet, latest?.level == 0 { return false }
        return time - lastWhole >= Self.longestWithoutWhole
    }

    private mutating func learnYield() {
        let places = known?.places ?? []
        nearNow = places.isEmpty ? 1 : Double(places.count { $0.nearness > Self.near }) / Double(places.count)
        yield += (nearNow - yield) * Self.memoryOfYield
    }

    /// Works out for how long each object has not been seen. What the latest look has told is not known yet where its answer is
    /// still to come: whoever it shows counts as seen then, as far as that is likely.
    private mutating func weighObjects(at time: Nanoseconds) {
        func seconds(since earlier: Nanoseconds) -> Double {
            min(max(0, Double(time.since(earlier)) / 1e9), Self.longestMemory)
        }
        let pending = isAnswered ? nil : latest
        unseen.removeAll(keepingCapacity: true)
        for place in known?.places ?? [] {
            var since = seconds(since: place.lastSeen)
            if let pending, pending.time > place.lastSeen, !pending.part.cuts(widened(place.box)) {
                since += (seconds(since: pending.time) - since) * visibility(of: place, at: pending.level)
            }
            unseen.append(since)
        }
    }

    /// Works out what a look tells of what moves. Where that is large it is seen in the whole, and at once; a part would cut it, or show
    /// no more of it. Only what keeps moving and is not explained by that may turn out to be many small things. Where each frame is looked
    /// at that can wait: a look at the whole is never far.
    private mutating func weighMotion(at time: Nanoseconds, because cause: Attention.Reason) {
        var isMoving = motion.isMoving
        worthOfWhole = 0
        let (width, height) = (Double(picture?.width ?? 1), Double(picture?.height ?? 1))
        for region in cause == .interval || !motion.isCalm ? [] : motion.regions
        where time.since(region.began) < Self.longestLarge {
            guard region.side(width: width, height: height) * scales[0] >= Self.plain else { continue }
            for cell in region.cells { isMoving[cell] = false }
            worthOfWhole += Self.worthOfLarge
        }
        ages.weigh(at: time, with: isMoving)
    }

    private mutating func note(_ view: View?, at time: Nanoseconds, because reason: Reason) -> (Box?, Reason) {
        latest = (
            SeenPart(
                view.flatMap { $0.level > 0 ? $0.box : nil }, width: picture?.width ?? 1, height: picture?.height ?? 1),
            view?.level ?? 0, time
        )
        guard let view, view.level > 0 else {
            lastWhole = time
            ages.note(nil, level: 0, at: time)
            return (nil, .whole)
        }
        ages.note(view.box, level: view.level, at: time)
        return (view.box, reason)
    }

    private mutating func prepare(_ picture: Picture) {
        self.picture = picture
        let whole = Box(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height))
        let grid = PartGrid(
            width: picture.width, height: picture.height, pixelAspectRatio: picture.pixelAspectRatio,
            turned: picture.turned, input: picture.input)
        let across = Double(max(1, picture.turned ? picture.input.height : picture.input.width))
        let down = Double(max(1, picture.turned ? picture.input.width : picture.input.height))
        views = [View(box: whole, level: 0)]
        scales = [min(across / whole.width, down / whole.height)]
        var size = SIMD2(whole.width, whole.height)
        for part in grid.parts {
            if SIMD2(part.width, part.height) != size {
                size = SIMD2(part.width, part.height)
                scales.append(min(across / part.width, down / part.height))
            }
            views.append(View(box: part, level: scales.count - 1))
        }
        magnifications = scales.map { $0 / scales[0] }
        ages = ViewAges(width: whole.width, height: whole.height, levels: scales.count)
        (lastWhole, latest) = (nil, nil)
    }

    /// Views with an object in their middle.
    private func viewsOfObjects() -> [View] {
        guard let known else { return [] }
        var found: [View] = []
        for place in known.places.prefix(Self.mostAnchors) {
            for level in 1..<scales.count where visibility(of: place, at: level - 1) < 1 {
                guard let size = views.first(where: { $0.level == level })?.box else { continue }
                let box = Box(
                    centerX: place.box.centerX, centerY: place.box.centerY, width: size.width, height: size.height)
                found.append(View(box: box, level: level))
            }
        }
        return found
    }

    /// Moves a part so that objects at its edges come wholly into it, where they fit and most of them is in it already, or out of it;
    /// and keeps it within the picture.
    private func spare(_ part: Box, of places: [Outlook.Place]) -> Box {
        var part = kept(part)
        for _ in 0..<2 {
            for place in places {
                let box = widened(place.box)
                let shared = box.intersection(part)
                guard !shared.isEmpty else { continue }
                if shared.area > 0.3 * box.area, box.width < part.width, box.height < part.height {
                    part = part.offset(
                        x: Self.push(part.minX, part.maxX, box.minX, box.maxX),
                        y: Self.push(part.minY, part.maxY, box.minY, box.maxY))
                } else if shared.width < shared.height {
                    part = part.offset(x: part.centerX < box.centerX ? -shared.width : shared.width, y: 0)
                } else {
                    part = part.offset(x: 0, y: part.centerY < box.centerY ? -shared.height : shared.height)
                }
                part = kept(part)
            }
        }
        return part
    }

    /// How far a range has to go to hold another that is shorter.
    private static func push(_ low: Double, _ high: Double, _ first: Double, _ last: Double) -> Double {
        if first < low { return first - low }
        return last > high ? last - high : 0
    }

    private func kept(_ part: Box) -> Box {
        guard let whole = views.first?.box else { return part }
        return Box(
            x: min(max(0, part.x), max(0, whole.width - part.width)).rounded(),
            y: min(max(0, part.y), max(0, whole.height - part.height)).rounded(), width: part.width, height: part.height
        )
    }

    private func widened(_ box: Box) -> Box {
        Box(
            centerX: box.centerX, centerY: box.centerY, width: box.width * (1 + 2 * Self.margin),
            height: box.height * (1 + 2 * Self.margin))
    }

    /// What a look would tell.
    private func worth(of view: View, isQuestion: Bool) -> (worth: Double, reason: Reason) {
        var ofObjects = 0.0
        let seen = SeenPart(
            view.level == 0 ? nil : view.box, width: picture?.width ?? 1, height: picture?.height ?? 1)
        for (place, since) in zip(known?.places ?? [], unseen) {
            if view.level > 0, seen.cuts(widened(place.box)) {
                if place.box.intersection(view.box).area > 0.1 * place.box.area { ofObjects -= Self.costOfCutting }
                continue
            }
            ofObjects += visibility(of: place, at: view.level) * since * (place.isProved ? 1 : Self.worthOfNewcomers)
        }
        let hope = view.level == 0 ? 1 : max(Self.leastYield, yield)
        let ages = ages.worth(of: view.box, level: view.level)
        // Who asks is answered first: those whom the whole shows are not kept waiting for what may be elsewhere.
        let ofPlace = ages.place * (isQuestion ? min(hope, nearNow) : hope)
        let ofMotion = ages.motion * hope + (view.level == 0 ? worthOfWhole : 0)
        let worth = ofObjects + ofPlace + ofMotion
        if ofMotion > max(ofObjects, ofPlace) { return (worth, .motion) }
        return (worth, ofPlace > ofObjects ? .unseen : .objects)
    }

    /// How likely an object is seen at a level, 0 to 1: by its size in the network's input, and by how near it was seen.
    private func visibility(of place: Outlook.Place, at level: Int) -> Double {
        let side = max(0, place.box.area).squareRoot() * scales[level]
        let bySize = min(1, max(0.02, (side - Self.invisible) / (Self.plain - Self.invisible)))
        return place.nearness > Self.near * magnifications[level] ? bySize * Self.doubtOfFarLooks : bySize
    }

    private static let longestWithoutWhole: Nanoseconds = 400_000_000
    /// Somebody large has come: that is worth more than a part that nobody has seen for long.
    private static let worthOfLarge = 3.0
    /// For how long one large thing is expected where something moves.
    private static let longestLarge: Nanoseconds = 1_000_000_000
    /// Sides in input pixels below which nothing is seen, and from which on all is.
    private static let (invisible, plain) = (6.0, 36.0)
    private static let doubtOfFarLooks = 0.3
    /// Times as near as another look: that sees more.
    private static let near = 1.25
    /// Of each look's news.
    private static let memoryOfYield = 0.05
    private static let leastYield = 0.1
    /// Who has been seen once is to be seen again soon.
    private static let worthOfNewcomers = 3.0
    /// Seconds after which it is no more worth to know.
    private static let longestMemory = 1.0
    /// An object that an edge cuts is not seen, and its piece tells nothing.
    private static let costOfCutting = 0.05
    /// Of an object's side: it may move on.
    private static let margin = 0.1
    private static let mostAnchors = 40
    private static let mostPlaces = 150
}
