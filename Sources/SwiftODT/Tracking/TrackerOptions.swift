/// What a tracker's user may set; all of it may change between any two calls.
public struct TrackerOptions: Hashable, Sendable {
    /// How long a track lives on unseen.
    public var maxAge: Nanoseconds
    /// How often an object must have been seen until it is shown. On the first frame of an epoch everything is shown at once.
    public var minHits: Int
    /// Detections from here up are strong: they begin tracks. Weaker ones only continue them. Where a stream's scores show noise,
    /// it takes up to half more.
    public var scoreThreshold: Double
    /// How many tracks are kept at most; the one unseen for longest gives way first.
    public var maxTracks: Int

    public init(
        maxAge: Nanoseconds = 1_000_000_000, minHits: Int = 2, scoreThreshold: Double = 0.4, maxTracks: Int = 1000
    ) {
        self.maxAge = maxAge
        self.minHits = minHits
        self.scoreThreshold = scoreThreshold
        self.maxTracks = maxTracks
    }

    /// Detections from here up are of use: those below ``scoreThreshold`` keep a track alive where it is expected.
    public var scoreFloor: Double { min(0.1, scoreThreshold / 2) }
}
