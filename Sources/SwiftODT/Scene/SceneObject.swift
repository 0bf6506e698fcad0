/// An object as it is reported: a track, its category, and its place among the others.
public struct SceneObject: Sendable {
    public var track: Track
    public var category: Category
    /// Of the category; `nil` where that is unknown.
    public var confidence: Double?
    /// Whether it is the most prominent one.
    public var isProminent: Bool
    /// 0 for the most prominent one, 1 for the next, and so on.
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

/// Something that happened in the life of a reported object.
public struct SceneEvent: Sendable {
    public var event: TrackEvent
    public var category: Category
}
