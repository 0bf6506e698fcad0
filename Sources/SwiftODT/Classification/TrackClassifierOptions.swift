/// The options of a ``TrackClassifier``.
public struct TrackClassifierOptions: Hashable, Sendable {
    /// Minimum confidence of a reported category. -1, the default, uses the threshold of the classifier's model, and
    /// none for categories that follow from the detector's label.
    public var threshold: Double
    /// Growth of the object's area since the last crop that triggers another one. The default is a factor of 1.5.
    public var growth: Double
    /// Interval until another crop after an ambiguous result, default 0.5 s. It doubles with each crop.
    public var retryInterval: Nanoseconds

    public init(threshold: Double = -1, growth: Double = 1.5, retryInterval: Nanoseconds = 500_000_000) {
        self.threshold = threshold
        self.growth = growth
        self.retryInterval = retryInterval
    }
}
