/// Says what kind of thing is inside a box of a frame.
///
/// As with a ``Detector``, whatever is needed of the frame is taken inside ``start(_:box:)``.
public protocol Classifier: AnyObject, Sendable {
    /// How many classifications may be under way at once before ``start(_:box:)`` waits for one of them.
    var capacity: Int { get }

    /// The figure from which on an answer is worth believing: the model's own where it says so.
    var threshold: Double { get }

    /// Begins to look at what is inside the box (buffer pixels). Called from one thread at a time.
    func start(_ frame: Frame, box: Box) throws -> ClassificationPromise
}

/// What a classifier makes of a crop.
public struct Classification: Hashable, Sendable {
    /// How much speaks for each coarse category, together at most 1.
    public var scores: CategoryScores
    /// The label with the highest score.
    public var label: Label?
    /// That label's score, 0...1.
    public var labelScore: Double

    public init(scores: CategoryScores, label: Label? = nil, labelScore: Double = 0) {
        self.scores = scores
        self.label = label
        self.labelScore = labelScore
    }
}

/// A classification under way.
public typealias ClassificationPromise = Promise<Classification>
