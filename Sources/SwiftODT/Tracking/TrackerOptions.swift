/// The options of a ``Tracker``, which can change between any two calls.
public struct TrackerOptions: Hashable, Sendable {
    /// How long a track is kept without a detection. Default 1 s.
    public var maxAge: Nanoseconds
    /// The number of detections that confirm a track, default 2. In the first result of a scene every object is
    /// reported at once.
    public var minHits: Int
    /// The minimum score to begin a track, 0 to 1, default 0.4. Weaker detections only continue tracks. If the
    /// stream's scores are bimodal, the effective value is up to 1.5 times as high.
    public var scoreThreshold: Double
    /// The maximum number of tracks, default 1000. The track that has been missed for longest ends first.
    public var maxTracks: Int

    public init(
        maxAge: Nanoseconds = 1_000_000_000, minHits: Int = 2, scoreThreshold: Double = 0.4, maxTracks: Int = 1000
    ) {
        self.maxAge = maxAge
        self.minHits = minHits
        self.scoreThreshold = scoreThreshold
        self.maxTracks = maxTracks
    }

    /// The minimum score of a usable detection. Detections below ``scoreThreshold`` continue tracks near their
    /// predicted positions.
    public var scoreFloor: Double { min(0.1, scoreThreshold / 2) }
}
