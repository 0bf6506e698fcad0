/// How a ``TrackClassifier`` goes about its work.
public struct TrackClassifierOptions: Hashable, Sendable {
    /// The confidence below which a category is not told; -1 for the classifier model's own figure (and none for
    /// categories that follow from the detector's label).
    public var threshold: Double
    /// A crop is classified anew when its object covers this many times the area of the last time.
    public var growth: Double
    /// How long an answer that leaves doubt stands before the next crop is looked at; twice as long after each.
    public var retryInterval: Nanoseconds

    public init(threshold: Double = -1, growth: Double = 1.5, retryInterval: Nanoseconds = 500_000_000) {
        self.threshold = threshold
        self.growth = growth
        self.retryInterval = retryInterval
    }
}
