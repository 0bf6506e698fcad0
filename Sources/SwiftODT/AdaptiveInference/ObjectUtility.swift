/// What a look would tell of the objects that are known: for each that it shows whole and large enough to be seen, how long it has
/// not been seen.
struct ObjectUtility: Sendable {
    /// A look that was made.
    struct RegionInference: Sendable {
        let region: InferredRegion
        let level: Int
        let time: Nanoseconds
    }

    /// All of them.
    private(set) var known: [TrackerSnapshot.ObjectState] = []
    /// Those for whom is looked.
    private(set) var places: [TrackerSnapshot.ObjectState] = []
    private var answered: Nanoseconds?
    /// For how many seconds nobody has seen each of them, for the moment.
    private var unseen: ContiguousArray<Double> = []

    /// Where a crowd is, those who have waited longest say enough, and each choice stays a matter of a millisecond.
    private static let maximumPlaces = 150
    /// Who has been seen once is to be seen again soon.
    private static let utilityOfTentative = 3.0
    /// Seconds after which it is no more worth to know.
    private static let longestMemory = 1.0
    /// An object that an edge cuts is not seen, and its piece tells nothing.
    private static let cutCost = 0.05
    /// Of an object: less of it in a part is no piece of it.
    private static let minimumFragmentShare = 0.1

    mutating func note(_ snapshot: TrackerSnapshot?) {
        answered = snapshot?.answered
        known.removeAll(keepingCapacity: true)
        known.append(contentsOf: snapshot?.places ?? [])
        known.removeAll { !$0.box.isFinite }
    }

    /// Chooses for whom is looked: newcomers first, then whoever has not been seen for longest.
    mutating func choose() {
        // Copied, not shared: what is known is written anew with every frame.
        places.removeAll(keepingCapacity: true)
        places.append(contentsOf: known)
        guard places.count > Self.maximumPlaces else { return }
        places.sort { ($0.isConfirmed ? 1 : 0, $0.lastSeen) < ($1.isConfirmed ? 1 : 0, $1.lastSeen) }
        places.removeLast(places.count - Self.maximumPlaces)
    }

    /// Works out for how long each object has not been seen; those because of whom is looked, newcomers and doubtful ones, for as long
    /// as counts. What the latest look has told is not known yet where its answer is still to come: whoever it shows counts as seen then, as far as that is likely.
    mutating func computeUtility(
        at time: Nanoseconds, because cause: InferencePolicy.Reason, after latest: RegionInference?, in views: RegionPyramid
    ) {
        func seconds(since earlier: Nanoseconds) -> Double {
            min(max(0, Double(time.since(earlier)) / 1e9), Self.longestMemory)
        }
        unseen.removeAll(keepingCapacity: true)
        for place in places {
            var since = seconds(since: place.lastSeen)
            if let latest, (answered ?? .min) < latest.time, latest.time > place.lastSeen,
                !RegionPyramid.cuts(latest.region, place.box)
            {
                since += (seconds(since: latest.time) - since) * views.visibility(of: place, at: latest.level)
            }
            if triggers(place, cause) { since = Self.longestMemory }
            unseen.append(since)
        }
    }

    /// Whether it is because of this one that is looked.
    private func triggers(_ place: TrackerSnapshot.ObjectState, _ cause: InferencePolicy.Reason) -> Bool {
        switch cause {
        case .tentative: !place.isConfirmed && place.misses == 0
        case .appearanceChange: place.isAppearanceChanged
        default: false
        }
    }

    func utility(of view: RegionPyramid.CandidateRegion, in views: RegionPyramid) -> Double {
        var utility = 0.0
        let region = views.seen(in: view)
        for (place, since) in zip(places, unseen) {
            if !view.isWhole, RegionPyramid.cuts(region, place.box) {
                if place.box.intersection(view.box).area > Self.minimumFragmentShare * place.box.area {
                    utility -= Self.cutCost
                }
                continue
            }
            utility +=
                views.visibility(of: place, at: view.level) * since * (place.isConfirmed ? 1 : Self.utilityOfTentative)
        }
        return utility
    }
}
