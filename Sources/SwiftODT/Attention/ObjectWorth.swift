/// What a look would tell of the objects that are known: for each that it shows whole and large enough to be seen, how long it has
/// not been seen.
struct ObjectWorth: Sendable {
    /// A look that was made.
    struct Look: Sendable {
        let part: SeenPart
        let level: Int
        let time: Nanoseconds
    }

    /// All of them.
    private(set) var known: [Outlook.Place] = []
    /// Those for whom is looked.
    private(set) var places: [Outlook.Place] = []
    private var answered: Nanoseconds?
    /// For how many seconds nobody has seen each of them, for the moment.
    private var unseen: ContiguousArray<Double> = []

    /// Where a crowd is, those who have waited longest say enough, and each choice stays a matter of a millisecond.
    private static let mostPlaces = 150
    /// Who has been seen once is to be seen again soon.
    private static let worthOfNewcomers = 3.0
    /// Seconds after which it is no more worth to know.
    private static let longestMemory = 1.0
    /// An object that an edge cuts is not seen, and its piece tells nothing.
    private static let costOfCutting = 0.05
    /// Of an object: less of it in a part is no piece of it.
    private static let leastPiece = 0.1

    mutating func note(_ outlook: Outlook?) {
        answered = outlook?.answered
        known.removeAll(keepingCapacity: true)
        known.append(contentsOf: outlook?.places ?? [])
        known.removeAll { !$0.box.isFinite }
    }

    /// Chooses for whom is looked: newcomers first, then whoever has not been seen for longest.
    mutating func choose() {
        // Copied, not shared: what is known is written anew with every frame.
        places.removeAll(keepingCapacity: true)
        places.append(contentsOf: known)
        guard places.count > Self.mostPlaces else { return }
        places.sort { ($0.isProved ? 1 : 0, $0.lastSeen) < ($1.isProved ? 1 : 0, $1.lastSeen) }
        places.removeLast(places.count - Self.mostPlaces)
    }

    /// Works out for how long each object has not been seen; those because of whom is looked, newcomers and doubtful ones, for as long
    /// as counts. What the latest look has told is not known yet where its answer is still to come: whoever it shows counts as seen then, as far as that is likely.
    mutating func weigh(
        at time: Nanoseconds, because cause: Attention.Reason, after latest: Look?, in views: PictureViews
    ) {
        func seconds(since earlier: Nanoseconds) -> Double {
            min(max(0, Double(time.since(earlier)) / 1e9), Self.longestMemory)
        }
        unseen.removeAll(keepingCapacity: true)
        for place in places {
            var since = seconds(since: place.lastSeen)
            if let latest, (answered ?? .min) < latest.time, latest.time > place.lastSeen,
                !PictureViews.cuts(latest.part, place.box)
            {
                since += (seconds(since: latest.time) - since) * views.visibility(of: place, at: latest.level)
            }
            if isAsking(place, cause) { since = Self.longestMemory }
            unseen.append(since)
        }
    }

    /// Whether it is because of this one that is looked.
    private func isAsking(_ place: Outlook.Place, _ cause: Attention.Reason) -> Bool {
        switch cause {
        case .newcomer: !place.isProved && place.misses == 0
        case .doubt: place.isDoubted
        default: false
        }
    }

    func worth(of view: PictureViews.View, in views: PictureViews) -> Double {
        var worth = 0.0
        let part = views.seen(in: view)
        for (place, since) in zip(places, unseen) {
            if !view.isWhole, PictureViews.cuts(part, place.box) {
                if place.box.intersection(view.box).area > Self.leastPiece * place.box.area {
                    worth -= Self.costOfCutting
                }
                continue
            }
            worth +=
                views.visibility(of: place, at: view.level) * since * (place.isProved ? 1 : Self.worthOfNewcomers)
        }
        return worth
    }
}
