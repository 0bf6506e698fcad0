/// The utility of a region's inference for tracked objects. It is the sum of the times in seconds since the latest
/// detection of each object. An object counts only if the region contains the object completely. Its time is multiplied
/// by the likelihood that the inference detects the object.
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
    /// The time in seconds for which each object in ``places`` counts as undetected.
    private var unseen: ContiguousArray<Double> = []

    /// The maximum number of tracks that count for the utility. It bounds the computation time in crowds. Tentative
    /// tracks and the tracks with the oldest detections are kept.
    private static let maximumPlaces = 150
    /// The utility of a tentative track is multiplied by this factor, because the track soon needs further detections.
    static let ofTentative = 3.0
    private static let longestMemory = 1.0
    /// The reduction of a region's utility for each object that the region's edge cuts, because a fragment of an object
    /// cannot be used.
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
            if triggers(place, cause) { since = Self.longestMemory }
            unseen.append(since)
        }
    }

    private func triggers(_ place: TrackerSnapshot.ObjectState, _ cause: InferencePolicy.Reason) -> Bool {
        switch cause {
        case .tentative: !place.isConfirmed && place.misses == 0
        case .appearanceChange: place.isAppearanceChanged
        default: false
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

struct MotionUtility: Sendable {
    private(set) var ofFullFrame = 0.0
    /// For each cell of ``CoverageAge``, whether it has motion of an object that may be detected at a higher
    /// magnification. These are the cells with unexplained motion, except those of large moving objects.
    private(set) var isMovingNearby: [Bool] = []

    var isStill: Bool { motion.isStill }

    var isUnexplained: Bool { motion.isMoving.contains(true) }

    private var motion = CellMotion()

    /// The utility of a full-frame inference for each large moving object. It exceeds the utility of an area that has
    /// not been inferred for long.
    static let ofLarge = 3.0
    /// The time in nanoseconds after which a moving region no longer counts as one large object, because full-frame
    /// inferences have not explained it.
    private static let longestLarge: Nanoseconds = 1_000_000_000

    mutating func update(at plane: LumaPlane?, at time: Nanoseconds, besides known: [TrackerSnapshot.ObjectState]) {
        motion.update(at: plane, at: time, besides: known.map(\.box))
    }

    /// Computes ``ofFullFrame`` and ``isMovingNearby``, separating large moving regions from small ones.
    ///
    /// A large object is detected in the full frame, while a tile would cut it. If the motion of a region remains
    /// unexplained, the region may consist of many small objects, for which tiles are better. With a fixed inference
    /// interval, all moving regions count as small, because the next full-frame inference follows soon.
    mutating func computeUtility(at time: Nanoseconds, because cause: InferencePolicy.Reason, in pyramid: RegionPyramid)
    {
        (ofFullFrame, isMovingNearby) = (0, motion.isMoving)
        guard cause != .interval, motion.isCalm else { return }
        let (width, height) = (pyramid.fullFrame.box.width, pyramid.fullFrame.box.height)
        for region in motion.regions where time.since(region.began) < Self.longestLarge {
            guard pyramid.visibility(ofSide: region.side(width: width, height: height), at: 0).isCertain else {
                continue
            }
            for cell in region.cells { isMovingNearby[cell] = false }
            ofFullFrame += Self.ofLarge
        }
    }
}
