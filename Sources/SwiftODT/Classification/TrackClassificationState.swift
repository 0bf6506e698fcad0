/// The category evidence of one track, and its latest classification request.
struct TrackClassificationState: Sendable {
    /// The reason to classify a crop, in ascending priority.
    enum Urgency: Int {
        case doubt, growth, new
    }

    /// The latest crop sent to the classifier.
    private struct Request: Sendable {
        var promise: ClassificationPromise?
        var area: Double
        var time: Nanoseconds
        /// The number of crops of this track sent so far.
        var count: Int
    }

    /// The decay of earlier evidence with each label and each crop.
    private static let labelMemory = 0.95
    private static let cropMemory = 0.7
    /// Minimum length of a crop's shorter side, in pixels.
    private static let smallestSide = 12.0
    /// Minimum share of the object's area inside the picture.
    private static let smallestPart = 0.5

    private var fromLabels = CategoryEvidence()
    private var fromCrops = CategoryEvidence()
    private var label: Label?
    private var labelCategory: Category?
    private var labelSeen: Nanoseconds?
    private var request: Request?
    /// The number of the latest call that contained the track.
    var lastCall = 0

    /// A label with a category takes precedence over crops.
    var verdict: CategoryVerdict { fromLabels.isEmpty ? fromCrops.verdict : fromLabels.verdict }

    /// Whether a classification is pending.
    var isWaiting: Bool { request?.promise != nil }

    /// Adds the track's label as evidence, once per detection.
    mutating func readLabel(of track: Track, table: CategoryTable, threshold: Double) {
        if track.label != label {
            label = track.label
            labelCategory = label.flatMap { table.category(of: $0.text) }
        }
        guard let labelCategory, track.lastSeen != labelSeen else { return }
        labelSeen = track.lastSeen
        var scores = CategoryScores()
        scores[labelCategory] = track.score
        fromLabels.add(scores, memory: Self.labelMemory, threshold: threshold)
    }

    /// Returns the urgency of classifying a crop of the track now, or `nil` if that is unnecessary.
    ///
    /// A track without id cannot be classified later, so any crop is accepted.
    func urgency(of track: Track, in frame: Frame, _ options: TrackClassifierOptions) -> Urgency? {
        guard fromLabels.isEmpty, !isWaiting, track.box.isFinite, track.state == .new || track.state == .tracked else {
            return nil
        }
        let visible = track.box.clipped(width: frame.width, height: frame.height)
        guard !visible.isEmpty else { return nil }
        if track.id == nil { return .new }
        guard min(visible.width, visible.height) >= Self.smallestSide,
            visible.area >= Self.smallestPart * track.box.area
        else { return nil }

        guard let request else { return .new }
        if visible.area >= request.area * options.growth { return .growth }
        let elapsed = Double(frame.time) - Double(request.time)
        let retryInterval = Double(options.retryInterval) * Double(1 << min(request.count - 1, 20))
        return fromCrops.isAmbiguous && elapsed >= retryInterval ? .doubt : nil
    }

    /// Sends the track's crop to the classifier. A request that fails is recorded as well, so that it is not repeated
    /// with every frame.
    mutating func requestClassification(_ classifier: any Classifier, about track: Track, in frame: Frame) throws {
        let area = track.box.clipped(width: frame.width, height: frame.height).area
        request = Request(promise: nil, area: area, time: frame.time, count: (request?.count ?? 0) + 1)
        request?.promise = try classifier.start(frame, box: track.box)
    }

    /// Collects the result if it is available, or waits for it if `wait` is set.
    mutating func collect(threshold: Double, wait: Bool) throws {
        guard let promise = request?.promise, wait || promise.isDone else { return }
        request?.promise = nil
        fromCrops.add(try promise.wait().scores, memory: Self.cropMemory, threshold: threshold)
    }
}
