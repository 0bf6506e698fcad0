/// The utility of an inference on a region for the tracked objects. It is a sum over all objects that the region
/// contains completely. Each object adds the time in seconds since its latest detection, multiplied by the likelihood
/// that the inference detects the object.
struct ObjectUtility: Sendable {
    struct RegionInference: Sendable {
        let region: InferredRegion
        let level: Int
        let time: Nanoseconds
    }

    private(set) var known: [TrackerSnapshot.ObjectState] = []
    /// The tracks that count for the utility, at most ``maximumPlaces``.
    private(set) var places: [TrackerSnapshot.ObjectState] = []
    private var lastResult: Nanoseconds?
    /// For each object in ``places``, the time without a detection that counts for the utility, in seconds.
    private var unseen: ContiguousArray<Double> = []

    /// The maximum number of tracks that count for the utility. It bounds the computation time in crowds. Tentative
    /// tracks and the tracks with the oldest detections are kept.
    private static let maximumPlaces = 150
    /// The utility of a tentative track is multiplied by this factor, because the track soon needs further detections.
    static let ofTentative = 3.0
    private static let longestMemory = 1.0
    /// For each object that the region's edge cuts, the region's utility is reduced by this value. A fragment of an
    /// object cannot be used.
    private static let cutCost = 0.05
    /// The region's utility is reduced for a cut object only if more than this fraction of the object is inside the
    /// region.
    private static let minimumFragmentShare = 0.1

    mutating func note(_ snapshot: TrackerSnapshot?) {
        lastResult = snapshot?.lastResult
        known.removeAll(keepingCapacity: true)
        known.append(contentsOf: snapshot?.places ?? [])
        known.removeAll { !$0.box.isFinite }
    }

    /// Chooses the tracks that count for the utility: tentative tracks first, then those with the oldest detections.
    mutating func choose() {
        // Copies the elements. After an assignment, both arrays would share their storage, and the next change of
        // `known` would allocate memory.
        places.removeAll(keepingCapacity: true)
        places.append(contentsOf: known)
        guard places.count > Self.maximumPlaces else { return }
        places.sort { ($0.isConfirmed ? 1 : 0, $0.lastSeen) < ($1.isConfirmed ? 1 : 0, $1.lastSeen) }
        places.removeLast(places.count - Self.maximumPlaces)
    }

    /// Computes for how long each object counts as undetected at `time`. Objects that triggered the inference at `time`
    /// get the maximum. While the result of the previous inference `latest` is pending, objects in the region of that
    /// inference count as partly detected, in proportion to the likelihood of a detection.
    mutating func computeUtility(
        at time: Nanoseconds, because cause: InferencePolicy.Reason, after latest: RegionInference?,
        in pyramid: RegionPyramid
    ) {
        func seconds(since earlier: Nanoseconds) -> Double {
            min(max(0, Double(time.since(earlier)) / 1e9), Self.longestMemory)
        }
        unseen.removeAll(keepingCapacity: true)
        for place in places {
            var since = seconds(since: place.lastSeen)
            if let latest, (lastResult ?? .min) < latest.time, latest.time > place.lastSeen,
                !RegionPyramid.cuts(latest.region, place.box)
            {
                since += (seconds(since: latest.time) - since) * pyramid.visibility(of: place, at: latest.level)
            }
            let isTrigger =
                cause == .tentative && !place.isConfirmed && place.misses == 0
                || cause == .appearanceChange && place.isAppearanceChanged
            unseen.append(isTrigger ? Self.longestMemory : since)
        }
    }

    func utility(of view: RegionPyramid.CandidateRegion, in pyramid: RegionPyramid) -> Double {
        var utility = 0.0
        let region = pyramid.inferredRegion(of: view)
        for (place, since) in zip(places, unseen) {
            if !view.isWhole, RegionPyramid.cuts(region, place.box) {
                if place.box.intersection(view.box).area > Self.minimumFragmentShare * place.box.area {
                    utility -= Self.cutCost
                }
                continue
            }
            utility +=
                pyramid.visibility(of: place, at: view.level) * since
                * (place.isConfirmed ? 1 : Self.ofTentative)
        }
        return utility
    }
}
