/// Gives every track a coarse category: `[Track] -> [CategoryVerdict]`.
///
/// What the detector calls an object decides where the ``CategoryTable`` knows that name, at no cost. For others a
/// classifier looks at the object's crop, rarely: when the object is new, has grown, or leaves doubt.
public struct TrackClassifier: Sendable {
    /// What is known about one track, and what has been asked about it.
    private struct Entry: Sendable {
        var fromLabels = CategoryEvidence()
        var fromCrops = CategoryEvidence()
        var question: Question?
        var lastCall = 0
    }

    /// The latest crop that was sent to the classifier.
    private struct Question: Sendable {
        var ticket: ClassificationTicket?
        var area: Double
        var time: Nanoseconds
        /// How many crops of the track have been asked about.
        var count: Int
    }

    /// Calls that a track may be absent from before it is forgotten: callers may leave some out now and then.
    private static let memory = 60
    /// How much of the earlier evidence counts after another label or another crop.
    private static let labelMemory = 0.95
    private static let cropMemory = 0.7
    /// The lead below which a verdict is in doubt.
    private static let doubt = 0.25
    /// Crops with a shorter side, in pixels, say nothing.
    private static let smallestSide = 12.0

    private let table: CategoryTable
    private let crop: (any Classifier)?
    private let options: TrackClassifierOptions
    private var entries: [Int: Entry] = [:]
    private var call = 0

    /// - Parameter crop: looks at objects whose label says nothing; without it these stay unknown.
    public init(
        table: CategoryTable = .standard, crop: (any Classifier)? = nil, options: TrackClassifierOptions = .init()
    ) {
        self.table = table
        self.crop = crop
        self.options = options
    }

    /// Looks at the tracks of one frame: starts to classify crops where that is needed and collects the answers that have
    /// arrived.
    ///
    /// At most one crop is started a call and nothing is waited for, unless `wait` says that all answers have to be there.
    /// Tracks without an id cannot be recognised in the next frame: without `wait` only their label speaks for them.
    /// - Parameters:
    ///   - frame: the picture that the tracks' boxes speak of; `nil` when it is gone, then no crop is started.
    ///   - wait: as a single image asks, and a file that has to give the same result each time.
    /// - Returns: a verdict for each track, in the same order.
    /// - Throws: what the classifier throws. The verdicts so far are kept.
    public mutating func classify(_ tracks: [Track], in frame: Frame?, wait: Bool) throws -> [CategoryVerdict] {
        call += 1
        return tracks.map { track in
            guard let label = track.label, let category = table.category(of: label.text) else { return .unknown }
            var scores = CategoryScores()
            scores[category] = track.score
            var entry = track.id.flatMap { entries[$0] } ?? Entry()
            entry.fromLabels.add(scores, memory: Self.labelMemory, threshold: max(0, options.threshold))
            entry.lastCall = call
            if let id = track.id { entries[id] = entry }
            return entry.fromLabels.verdict
        }
    }

    /// Forgets all tracks: a new epoch begins.
    public mutating func reset() {
        entries.removeAll()
    }
}
