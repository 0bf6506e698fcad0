/// Tracks objects across the frames of a video: gives the detections of any detector ids that stay the same.
///
///     let tracker = ObjectTracker()
///     for (time, detections) in results {  // for each frame, in order
///         let objects = tracker.update(with: detections, at: time, width: 1920, height: 1080)
///         print(objects.map(\.trackingID))
///     }
///
/// All durations are in stream time, so the same options fit any frame rate. A tracker is not thread-safe.
public final class ObjectTracker {
    /// The options of a tracker.
    public struct Options: Hashable, Sendable {
        /// The maximum time for which a track is kept without a detection, default 1 s. After twice this time without
        /// `update`, all tracks end, unless the previous interval was at least half as long.
        public var maximumAge: Duration
        /// The number of detections that confirm a track, default 2. Low scores count less. In the first result of a
        /// scene, one detection is enough.
        public var minimumHits: Int
        /// The minimum score of a detection that begins a track, 0 to 1, default 0.4. Weaker detections only continue
        /// tracks. ``ObjectDetector/trackingThreshold`` is the value for the model of a detector.
        public var scoreThreshold: Double
        /// The maximum number of tracks, default 1000. The track that has been missed for longest ends first.
        public var maximumTracks: Int

        /// Creates options.
        public init(
            maximumAge: Duration = .seconds(1), minimumHits: Int = 2, scoreThreshold: Double = 0.4,
            maximumTracks: Int = 1000
        ) {
            (self.maximumAge, self.minimumHits) = (maximumAge, minimumHits)
            (self.scoreThreshold, self.maximumTracks) = (scoreThreshold, maximumTracks)
        }

        fileprivate var clampedToRange: TrackerOptions {
            TrackerOptions(
                maxAge: max(0, Nanoseconds(maximumAge).clampedToRange), minHits: max(1, minimumHits),
                scoreThreshold: scoreThreshold.isNaN ? 0.4 : min(max(0, scoreThreshold), 1),
                maxTracks: max(1, maximumTracks))
        }
    }

    private let tracker: Tracker
    private var latest: (update: Nanoseconds, interval: Nanoseconds, size: (Int, Int))?

    /// Creates a tracker. Options out of range are clamped.
    public init(options: Options = Options()) { tracker = Tracker(options: options.clampedToRange) }

    /// Tracks the detections of the next frame. Uses its pixels for appearance, camera motion and scene cuts. Pass all
    /// detections, including those with low scores. The frames need increasing timestamps.
    public func update(with detections: [Detection], in frame: Frame) -> [TrackedObject] {
        let luma = withExtendedLifetime(frame) { frame.luma ?? LumaPlane.reduce(frame) }
        return update(
            with: detections, at: frame.timestamp, width: frame.width, height: frame.height, luma: luma)
    }

    /// Tracks the detections of the next frame without its pixels. Pass all detections, including those with low
    /// scores. Sizes and boxes are in pixels. Another size begins a new scene, and so does a time that is more than 1 s
    /// earlier than the previous time. At a time that is up to 1 s earlier, the detections are ignored.
    ///
    /// - Returns: the detected and coasting objects, and each lost object once, except at the beginning of a new scene.
    public func update(with detections: [Detection], at time: MediaTime, width: Int, height: Int) -> [TrackedObject] {
        update(with: detections, at: time, width: width, height: height, luma: nil)
    }

    /// Predicts the objects of a frame for which no detections are available. `width` and `height` are in pixels.
    public func predict(at time: MediaTime, width: Int, height: Int) -> [TrackedObject] {
        update(with: nil, at: time, width: width, height: height, luma: nil)
    }

    /// Returns the `begin` and `end` events of tracks since the last call. The tracker keeps at most 10,000 events and
    /// drops the oldest ones first.
    public func takeEvents() -> [TrackedObjectEvent] {
        tracker.takeEvents().compactMap { event in
            guard let id = event.track.id else { return nil }
            return TrackedObjectEvent(
                kind: event.reason.map(TrackedObjectEvent.Kind.end) ?? .begin, trackingID: id,
                name: event.track.label?.text, category: .unknown,
                firstSeen: MediaTime(nanoseconds: event.track.firstSeen),
                lastSeen: MediaTime(nanoseconds: event.track.lastSeen), best: event.best, pathLength: event.pathLength)
        }
    }

    /// Ends all tracks. Later tracks get new ids.
    public func reset() { tracker.reset(reason: .flush) }

    private func update(
        with detections: [Detection]?, at time: MediaTime, width: Int, height: Int, luma: LumaPlane?
    ) -> [TrackedObject] {
        let time = time.nanoseconds.clampedToRange
        if let latest, latest.size != (width, height) { reset() }
        if let latest, time - latest.update > max(tracker.options.maxAge, latest.interval).times(2) { reset() }
        tracker.advance(to: time, width: max(1, width), height: max(1, height), luma: luma)
        if let detections {
            tracker.update(detections, seenAt: time)
            latest = (time, latest.map { time - $0.update } ?? 0, (width, height))
        }
        return tracker.tracks.map { track in
            TrackedObject(
                trackingID: track.id, box: track.box, score: track.score, label: track.label, state: track.state,
                firstSeen: MediaTime(nanoseconds: track.firstSeen), lastSeen: MediaTime(nanoseconds: track.lastSeen),
                velocityX: track.velocityX, velocityY: track.velocityY)
        }
    }
}
