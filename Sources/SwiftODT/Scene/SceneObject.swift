/// A reported object: its track, category and rank.
public struct SceneObject: Sendable {
    public var track: Track
    public var category: Category
    /// The confidence of the category, 0 to 1; `nil` if the category is unknown.
    public var confidence: Double?
    /// Whether it is the most prominent object.
    public var isProminent: Bool
    /// The rank by prominence, from 0.
    public var rank: Int

    public init(
        track: Track, category: Category = .unknown, confidence: Double? = nil, isProminent: Bool = false,
        rank: Int = 0
    ) {
        self.track = track
        self.category = category
        self.confidence = confidence
        self.isProminent = isProminent
        self.rank = rank
    }
}

/// The begin, change or end of a reported object.
public struct SceneEvent: Sendable {
    public var event: TrackEvent
    public var category: Category
}
