/// A multiple-object tracker: takes detections and times, returns tracks with ids.
///
/// For every frame in order call ``advance(to:width:height:luma:)``, then ``update(_:seenAt:region:)`` if the
/// detector has a result, then read ``tracks``. Not thread-safe: use it from one thread at a time.
///
/// All durations are in running time, so that the same options fit any frame rate. Between results boxes are
/// propagated by their Kalman filters and, with luma planes, by image motion; if every frame has a result, image
/// motion is not computed. Luma planes are also used for appearance matching and scene cut detection.
///     let tracker = Tracker()
///     for (time, detections) in results {
///         tracker.advance(to: time, width: 1920, height: 1080, luma: nil)
///         tracker.update(detections, seenAt: time)
///         for track in tracker.tracks { print(track.id ?? 0, track.box) }
///     }
package final class Tracker {
    var state: TrackerState

    package init(options: TrackerOptions = TrackerOptions()) { state = TrackerState(options: options) }

    /// Can change between any two calls.
    package var options: TrackerOptions {
        get { state.options }
        set { state.options = newValue }
    }

    /// Starts a frame. Call it once for every frame, in order, before ``update(_:seenAt:region:)``.
    ///
    /// Propagates boxes, detects scene cuts, which end all tracks, and ends old tracks. An equal time means a
    /// repeated frame. A time that is more than 1 s earlier starts a new epoch, as ``reset(reason:)`` does.
    ///
    /// - Parameter luma: the frame's reduced luma plane if available, for image motion and appearance.
    package func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?) {
        state.advance(to: time, width: width, height: height, luma: luma)
    }

    /// Applies a detector's result for the frame at `seenAt`.
    ///
    /// A late result is applied to its frame and replayed to the latest one, and reported boxes move smoothly to
    /// their new positions. Results out of order, or from before a scene cut, are dropped.
    ///
    /// - Parameter region: the inferred region; `nil` for the full frame. Tracks outside are not counted as missed,
    ///   and detections that the region's edges cut neither begin nor update a track.
    package func update(_ detections: [Detection], seenAt: Nanoseconds, region: InferredRegion? = nil) {
        state.update(detections, seenAt: seenAt, region: region)
    }

    /// The tracks to report: confirmed and coasting ones, and once those that were lost with the latest frame.
    package var tracks: [Track] { state.tracks() }

    /// Returns the boxes of all tracks whose label votes satisfy a condition, including tentative ones.
    func places(where isMeant: (LabelVotes) -> Bool) -> [Box] { state.places(where: isMeant) }

    /// The number of ``tracks``, without creating them.
    package var trackCount: Int { state.trackCount }

    /// Whether the latest frame began a new scene.
    package var isCut: Bool { state.isCut }

    /// Returns the states of all tracks in the latest frame, including tentative ones; `nil` before the first frame.
    package func snapshot() -> TrackerSnapshot? { state.snapshot() }

    /// Returns the begins and ends of tracks since the last call.
    package func takeEvents() -> [TrackEvent] { state.takeEvents() }

    /// Returns the best detection and the path length of a track; `nil` if it has ended. Searches linearly.
    func summary(of id: Int) -> (best: Track.Best, pathLength: Double)? { state.summary(of: id) }

    /// The numbers of detections that were not used since the beginning.
    package var unused: UnusedDetections { state.matcher.unused }

    /// The maximum number of detections per result; further ones are not used.
    package static var maximumDetections: Int { DetectionPreFilter.maximum }

    /// Starts a new epoch: all tracks end. The noise estimates are kept, and ids continue and are never reused.
    package func reset(reason: TrackEvent.Reason) { state.reset(reason: reason) }
}

/// The options of a ``Tracker``, which can change between any two calls.
package struct TrackerOptions: Hashable, Sendable {
    /// How long a track is kept without a detection. Default 1 s.
    package var maxAge: Nanoseconds
    /// The number of detections that confirm a track, default 2. In the first result of a scene every object is
    /// reported at once.
    package var minHits: Int
    /// The minimum score to begin a track, 0 to 1, default 0.4. Weaker detections only continue tracks. If the
    /// stream's scores are bimodal, the effective value is up to 1.5 times as high.
    package var scoreThreshold: Double
    /// The maximum number of tracks, default 1000. The track that has been missed for longest ends first.
    package var maxTracks: Int

    package init(
        maxAge: Nanoseconds = 1_000_000_000, minHits: Int = 2, scoreThreshold: Double = 0.4, maxTracks: Int = 1000
    ) {
        self.maxAge = maxAge
        self.minHits = minHits
        self.scoreThreshold = scoreThreshold
        self.maxTracks = maxTracks
    }

    /// The minimum score of a usable detection. Detections below ``scoreThreshold`` continue tracks near their
    /// predicted positions.
    package var scoreFloor: Double { min(0.1, scoreThreshold / 2) }
}

/// Moves an object from one tracker to another: an unclassified moving object gets a label and keeps its id.
extension Tracker {
    /// Returns an id for an object of another tracker, from the sequence of the track ids.
    func takeID() -> Int {
        defer { state.nextID += 1 }
        return state.nextID
    }

    /// Gives a track the id, age and path length of an object that another tracker followed before. Its own id is not
    /// reused.
    ///
    /// - Returns: the track with its new id; `nil` if there is no track with the id.
    func adoptIdentity(_ id: Int, as previous: Track, after pathLength: Double) -> Track? {
        guard let index = state.tracklets.indices.first(where: { state.tracklets[$0].id == id }),
            let known = previous.id
        else { return nil }
        state.tracklets[index].adoptIdentity(as: known, since: previous.firstSeen, after: pathLength)
        return state.tracks().first { $0.id == known }
    }

    /// Removes a track without an event, because another tracker continues it.
    func release(_ id: Int) { state.tracklets.removeAll { $0.id == id } }
}

extension Tracker {
    /// Calls `body` for each detection of the latest result that no track has used.
    func forEachUntracked(of answer: [Detection], _ body: (Detection) -> Void) {
        // A dropped result has no flags.
        guard state.matcher.isTaken.count == answer.count else { return }
        for (source, detection) in answer.enumerated() where !state.matcher.isTaken[source] { body(detection) }
    }

    /// Returns the label and the best score of each tentative track that ended since the last call.
    func takeUnconfirmed() -> [(label: Label?, score: Double)] {
        if state.unconfirmed.isEmpty { return [] }
        defer { state.unconfirmed.removeAll(keepingCapacity: true) }
        return state.unconfirmed
    }
}
