/// A multiple-object tracker. The input is detections and their running times, the output is tracks with ids.
///
/// For every frame in order, call ``advance(to:width:height:luma:)``, then ``update(_:seenAt:region:)`` if the detector
/// has a result, then read ``tracks``. The tracker is not thread-safe: use it from one thread at a time.
package final class Tracker {
    var state: TrackerState

    package init(options: TrackerOptions = TrackerOptions()) { state = TrackerState(options: options) }

    package var options: TrackerOptions {
        get { state.options }
        set { state.options = newValue }
    }

    /// Starts a frame: propagates boxes, ends all tracks at a scene cut, and ends old tracks. A time that is more than
    /// 1 s before the previous one starts a new epoch, see ``reset(reason:)``. `luma` enables image motion, appearance
    /// and scene cut detection.
    package func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?) {
        state.advance(to: time, width: width, height: height, luma: luma)
    }

    /// Applies the detector's result for the frame at time `seenAt`. A late result is applied to its own frame, and the
    /// changes are propagated to the latest frame. Results out of order or from before a scene cut are dropped.
    ///
    /// - Parameter region: the inferred region, or `nil` for the full frame. Tracks outside the region do not count as
    ///   missed. Detections that the region's edges cut neither begin nor update a track.
    package func update(_ detections: [Detection], seenAt: Nanoseconds, region: InferredRegion? = nil) {
        state.update(detections, seenAt: seenAt, region: region)
    }

    /// The tracks to report: confirmed tracks, even if they coast. Tracks that ended in the latest frame are included
    /// with the state `lost`.
    package var tracks: [Track] { state.tracks() }

    /// The tracks that `odt track` writes: detected tracks, and coasting tracks whose boxes are still accurate.
    package var currentTracks: [Track] { state.tracks(areCurrent: true) }

    /// The number of ``tracks``, without the cost of creating them.
    package var trackCount: Int {
        state.tracklets.indices.count { state.tracklets[$0].isReported } + state.lostJustNow.count
    }

    /// Returns the boxes of all tracks whose label votes satisfy a condition, including tentative tracks. Leaves out
    /// tracks if the picture shows that the object is absent.
    func places(where isMeant: (LabelVotes) -> Bool) -> [Box] {
        state.tracklets.indices.filter { !state.tracklets[$0].occlusion.isAbsent && isMeant(state.tracklets[$0].votes) }
            .map { state.tracklets[$0].shownBox(at: state.settledTime) }
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

    /// Returns the label and the best score of each tentative track that ended since the last call.
    func takeUnconfirmed() -> [(label: Label?, score: Double)] { state.unconfirmed.takeAll() }

    /// Calls `body` for each detection of the latest result that is not matched with a track.
    func forEachUntracked(of detections: [Detection], _ body: (Detection) -> Void) {
        // If the tracker dropped the latest result, the flags in `isTaken` belong to an earlier result.
        guard state.matcher.isTaken.count == detections.count else { return }
        for (source, detection) in detections.enumerated() where !state.matcher.isTaken[source] { body(detection) }
    }

    /// Returns the best detection and the path length of a track. `nil` if the track has ended. The search is linear.
    func summary(of id: Int) -> (best: Track.Best, pathLength: Double)? {
        index(of: id).map { (state.tracklets[$0].best, state.tracklets[$0].pathLength) }
    }

    private func index(of id: Int) -> Int? { state.tracklets.indices.first { state.tracklets[$0].id == id } }

    /// The numbers of detections since the beginning that the tracker did not use, by reason.
    package var unused: UnusedDetections { state.matcher.preFilter.unused }

    /// The maximum number of detections per result. Further detections are not used.
    package static var maximumDetections: Int { DetectionPreFilter.maximum }

    /// Reserves the next track id for an object of another tracker, and returns the id.
    func takeID() -> Int {
        defer { state.nextID += 1 }
        return state.nextID
    }

    /// Gives a track the id, start time and path length of an object that another tracker tracked before. Returns the
    /// track with its new id, or `nil` if no track has the id `id` or the track is not reported.
    func adoptIdentity(_ id: Int, as previous: Track, after pathLength: Double) -> Track? {
        guard let index = index(of: id), let known = previous.id else { return nil }
        state.tracklets[index].id = known
        state.tracklets[index].isNew = false
        state.tracklets[index].knownSince = min(state.tracklets[index].knownSince, previous.firstSeen)
        state.tracklets[index].pathLength += pathLength
        return state.tracks().first { $0.id == known }
    }

    /// Removes a track without an event, because another tracker continues the track.
    func release(_ id: Int) { state.tracklets.removeAll { $0.id == id } }

    /// Starts a new epoch. All tracks end. The estimates of noise and of scores are kept. Later tracks get new ids.
    package func reset(reason: TrackEvent.Reason) { state.reset(reason: reason) }
}

/// The options of a ``Tracker``. They can change between any two calls.
package struct TrackerOptions: Hashable, Sendable {
    /// The maximum time for which a track is kept without a detection, default 1 s. If inferences rarely cover the
    /// track's position, it is kept about twice as long.
    package var maxAge: Nanoseconds
    /// The number of detections that confirm a track, default 2. Low scores count less. In the first result of a
    /// scene, one detection is enough.
    package var minHits: Int
    /// The minimum score of a detection that begins a track, 0 to 1, default 0.4. If the stream's scores are bimodal,
    /// the effective threshold is up to 1.75 times this value, and at most 0.7.
    package var scoreThreshold: Double
    /// The maximum number of tracks, default 1000. The track that has been missed for longest ends first.
    package var maxTracks: Int
    package var heuristics = TrackerHeuristics()

    package init(
        maxAge: Nanoseconds = 1_000_000_000, minHits: Int = 2,
        scoreThreshold: Double = DetectorTraits.usualScoreThreshold, maxTracks: Int = 1000
    ) {
        (self.maxAge, self.minHits, self.scoreThreshold) = (maxAge, minHits, scoreThreshold)
        self.maxTracks = maxTracks
    }

    /// The minimum score of a usable detection. Detections below ``scoreThreshold`` can only continue tracks.
    package var scoreFloor: Double { min(0.1, scoreThreshold / 2) }
}
