/// Follows objects from frame to frame: detections and time in, tracks with ids out.
///
/// For every frame in order call ``advance(to:width:height:luma:)``, then ``update(_:seenAt:region:)`` where a detector has
/// answered, then read ``tracks``. Used from one thread at a time.
///
/// All is reckoned in running time, so that one set of options serves any frame rate. Where no answer comes, boxes are
/// carried on by their filters and, where planes are given, by what is seen to move in the picture; an answer at every
/// frame costs no image motion at all. Planes also tell alike objects apart by their looks, and show where scenes are cut.
///
///     let tracker = Tracker()
///     for (time, detections) in answers {
///         tracker.advance(to: time, width: 1920, height: 1080, luma: nil)
///         tracker.update(detections, seenAt: time)
///         for track in tracker.tracks { print(track.id ?? 0, track.box) }
///     }
public final class Tracker {
    var state: TrackerState

    public init(options: TrackerOptions = TrackerOptions()) { state = TrackerState(options: options) }

    /// May change at any time between calls.
    public var options: TrackerOptions {
        get { state.options }
        set { state.options = newValue }
    }

    /// The world moved on. To be called once for every frame, in order, before the answer for it.
    ///
    /// Carries boxes, detects scene cuts (all tracks end), ages and ends tracks. A time that stands still is a repeated
    /// frame; one that goes back by more than a second, with no ``reset(reason:)`` before, begins a new epoch.
    ///
    /// - Parameter luma: the frame's small grey copy, where there is one: boxes then follow the image, and looks count.
    public func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?) {
        state.advance(to: time, width: width, height: height, luma: luma)
    }

    /// A detector's answer for the frame at `seenAt`.
    ///
    /// It may be late: then it is applied to the frame it saw and replayed to now, and shown boxes glide to where it
    /// puts them. Answers out of order, or from before a scene cut, are dropped.
    ///
    /// - Parameter region: what was looked at; `nil` for the whole picture. What lies elsewhere is not missed, and what the part's
    ///   edges cut through neither begins a track nor changes one.
    public func update(_ detections: [Detection], seenAt: Nanoseconds, region: InferredRegion? = nil) {
        state.update(detections, seenAt: seenAt, region: region)
    }

    /// Those to be shown now: past probation, and those lost with the latest frame, once.
    public var tracks: [Track] { state.tracks() }

    /// Where all are whose names, clear or not, are such: those on probation too.
    func places(where isMeant: (LabelVotes) -> Bool) -> [Box] { state.places(where: isMeant) }

    /// How many ``tracks`` there are, without the cost of making them.
    public var trackCount: Int { state.trackCount }

    /// Whether the latest frame began a new scene.
    public var isCut: Bool { state.isCut }

    /// What is known of all objects in the latest frame, proved or not; `nil` before the first.
    public func snapshot() -> TrackerSnapshot? { state.snapshot() }

    /// Which tracks began and ended since the last call.
    public func takeEvents() -> [TrackEvent] { state.takeEvents() }

    /// When a track was seen best, and how far it has come; `nil` where it has ended. Takes time with the number of tracks.
    func summary(of id: Int) -> (best: Track.Best, pathLength: Double)? { state.summary(of: id) }

    /// Detections that could not be used, of all answers so far.
    public var unused: UnusedDetections { state.matcher.unused }

    /// More detections in an answer are not used.
    public static var maximumDetections: Int { DetectionPreFilter.maximum }

    /// A new epoch: all tracks end, what was learnt about the stream's motion is kept, ids go on and are never reused.
    public func reset(reason: TrackEvent.Reason) { state.reset(reason: reason) }
}
