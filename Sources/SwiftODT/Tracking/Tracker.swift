/// A multiple-object tracker. The input is detections and their times, the output is tracks with ids.
///
/// For every frame in order, call ``advance(to:width:height:luma:)``. If the detector has a result, call
/// ``update(_:seenAt:region:)`` next. Then read ``tracks``. The tracker is not thread-safe: use it from one thread at a
/// time.
///
/// All durations are in running time, so the same options fit any frame rate. Between results, the Kalman filters
/// propagate the boxes. With luma planes, the tracker also uses image motion for the propagation, appearance for the
/// matching, and scene cut detection. If every frame has a result, the image motion of boxes is not computed.
package final class Tracker {
    var state: TrackerState

    package init(options: TrackerOptions = TrackerOptions()) { state = TrackerState(options: options) }

    package var options: TrackerOptions {
        get { state.options }
        set { state.options = newValue }
    }

    /// Starts a frame. Call this function once for every frame, in order, before ``update(_:seenAt:region:)``.
    ///
    /// Propagates boxes, detects scene cuts (a cut ends all tracks), and ends old tracks. A frame with the same time as
    /// the previous one counts as a repetition. A time that is more than 1 s before the previous one starts a new
    /// epoch, see ``reset(reason:)``.
    ///
    /// - Parameter luma: the frame's reduced luma plane for image motion and appearance. `nil` if not available.
    package func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?) {
        state.advance(to: time, width: width, height: height, luma: luma)
    }

    /// Applies the detector's result for the frame at time `seenAt`.
    ///
    /// A late result is applied to its own frame, and the changes are propagated to the latest frame. The reported
    /// boxes move smoothly to their new positions. Results out of order and results from before a scene cut are
    /// dropped.
    ///
    /// - Parameter region: the inferred region, or `nil` for the full frame. Tracks outside the region do not count as
    ///   missed. Detections that the region's edges cut neither begin nor update a track.
    package func update(_ detections: [Detection], seenAt: Nanoseconds, region: InferredRegion? = nil) {
        state.update(detections, seenAt: seenAt, region: region)
    }

    /// The tracks to report: confirmed and coasting tracks. Tracks that ended with the latest frame are included once,
    /// as lost.
    package var tracks: [Track] { state.tracks() }

    /// Returns the boxes of all tracks with label votes that satisfy a condition. Tentative tracks are included. Tracks
    /// are excluded if the picture shows that the object is absent.
    func places(where isMeant: (LabelVotes) -> Bool) -> [Box] {
        state.tracklets.indices.filter { !state.tracklets[$0].occlusion.isAbsent && isMeant(state.tracklets[$0].votes) }
            .map { state.tracklets[$0].shownBox(at: state.settledTime) }
    }

    /// The number of ``tracks``. This property is cheaper than ``tracks``, because it creates no `Track` values.
    package var trackCount: Int {
        state.tracklets.indices.count { state.tracklets[$0].isReported } + state.lostJustNow.count
    }

    /// Whether at least one track is tentative or missed. The next result may confirm or end this track.
    var isUndecided: Bool {
        state.tracklets.indices.contains { state.tracklets[$0].misses > 0 || !state.tracklets[$0].isConfirmed }
    }

    /// Whether the latest frame began a new scene.
    package var isCut: Bool { state.isCut }

    /// Returns a snapshot of the latest frame. `nil` before the first frame.
    package func snapshot() -> TrackerSnapshot? { state.snapshot() }

    /// Returns the `begin` and `end` events of tracks since the last call.
    package func takeEvents() -> [TrackEvent] { state.events.takeAll() }

    /// Returns the best detection and the path length of a track. `nil` if the track has ended. The search is linear.
    func summary(of id: Int) -> (best: Track.Best, pathLength: Double)? {
        index(of: id).map { (state.tracklets[$0].best, state.tracklets[$0].pathLength) }
    }

    private func index(of id: Int) -> Int? { state.tracklets.indices.first { state.tracklets[$0].id == id } }

    /// The numbers of detections since the beginning that the tracker did not use, by reason.
    package var unused: UnusedDetections { state.matcher.preFilter.unused }

    /// The maximum number of detections per result. Further detections are not used.
    package static var maximumDetections: Int { DetectionPreFilter.maximum }

    /// Starts a new epoch. All tracks end. The noise estimates are kept. Later tracks get new ids.
    package func reset(reason: TrackEvent.Reason) { state.reset(reason: reason) }
}

/// The options of a ``Tracker``. They can change between any two calls.
package struct TrackerOptions: Hashable, Sendable {
    /// The maximum time for which a track is kept without a detection. Default 1 s. If inferences rarely cover the
    /// position of the track, the track is kept up to about twice as long.
    package var maxAge: Nanoseconds
    /// The number of detections that confirm a track. Default 2. In the first result of a scene, one detection
    /// suffices.
    package var minHits: Int
    /// The minimum score of a detection that begins a track, 0 to 1, default 0.4. Weaker detections can only continue
    /// tracks. If the stream's scores are bimodal, the effective threshold is up to 1.5 times this value.
    package var scoreThreshold: Double
    /// The maximum number of tracks. Default 1000. When a new track needs a place, the track that has been missed for
    /// longest ends.
    package var maxTracks: Int
    package var heuristics = TrackerHeuristics()

    package init(
        maxAge: Nanoseconds = 1_000_000_000, minHits: Int = 2,
        scoreThreshold: Double = DetectorTraits.usualScoreThreshold, maxTracks: Int = 1000
    ) {
        self.maxAge = maxAge
        self.minHits = minHits
        self.scoreThreshold = scoreThreshold
        self.maxTracks = maxTracks
    }

    /// The minimum score of a usable detection. Detections between this score and ``scoreThreshold`` can only continue
    /// tracks.
    package var scoreFloor: Double { min(0.1, scoreThreshold / 2) }
}

/// Support for moving an object from one tracker to another with its id. This happens when a moving object without a
/// label is detected and gets a label, see ``UnclassifiedObjects``.
extension Tracker {
    /// Reserves the next track id for an object of another tracker, and returns the id.
    func takeID() -> Int {
        defer { state.nextID += 1 }
        return state.nextID
    }

    /// Gives a track the id, start time and path length of an object that another tracker tracked before. The track's
    /// own id is not reused.
    ///
    /// - Returns: the track with its new id. `nil` if no track has the id `id`, or if the new track is not reported.
    func adoptIdentity(_ id: Int, as previous: Track, after pathLength: Double) -> Track? {
        guard let index = index(of: id), let known = previous.id else { return nil }
        state.tracklets[index].adoptIdentity(as: known, since: previous.firstSeen, after: pathLength)
        return state.tracks().first { $0.id == known }
    }

    /// Removes a track without an event, because another tracker continues the track.
    func release(_ id: Int) { state.tracklets.removeAll { $0.id == id } }
}

extension Tracker {
    /// Calls `body` for each detection of the latest result that is not matched with a track.
    func forEachUntracked(of detections: [Detection], _ body: (Detection) -> Void) {
        // If the tracker dropped the latest result, the flags in `isTaken` belong to an earlier result.
        guard state.matcher.isTaken.count == detections.count else { return }
        for (source, detection) in detections.enumerated() where !state.matcher.isTaken[source] { body(detection) }
    }

    /// Returns the label and the best score of each tentative track that ended since the last call.
    func takeUnconfirmed() -> [(label: Label?, score: Double)] { state.unconfirmed.takeAll() }
}
