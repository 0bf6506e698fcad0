/// What a ``TrackClassifier`` knows about one track, and what it has asked about it.
struct TrackClassificationState: Sendable {
    /// Why a crop should be looked at, the weakest reason first.
    enum Urgency: Int {
        case doubt, growth, new
    }

    /// The latest crop that was sent to the classifier.
    private struct Request: Sendable {
        var promise: ClassificationPromise?
        var area: Double
        var time: Nanoseconds
        /// How many crops of the track have been asked about.
        var count: Int
    }

    /// How much of the earlier evidence counts after another label, and after another crop.
    private static let labelMemory = 0.95
    private static let cropMemory = 0.7
    /// A crop with a shorter side, in pixels, says nothing.
    private static let smallestSide = 12.0
    /// An object of which less is inside the picture is not judged by that part.
    private static let smallestPart = 0.5

    private var fromLabels = CategoryEvidence()
    private var fromCrops = CategoryEvidence()
    private var label: Label?
    private var labelCategory: Category?
    private var labelSeen: Nanoseconds?
    private var request: Request?
    /// The number of the call that last spoke of the track.
    var lastCall = 0

    /// A label that means something outweighs any crop.
    var verdict: CategoryVerdict { fromLabels.isEmpty ? fromCrops.verdict : fromLabels.verdict }

    /// Whether a question has not been answered yet.
    var isWaiting: Bool { request?.promise != nil }

    /// Lets the track's label speak, once for each detection.
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

    /// Whether a crop of the track should be looked at now.
    ///
    /// A track without id is seen this once, so any crop of it is better than none.
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

    /// Sends the track's crop to the classifier. A question that cannot be asked counts as one, so that it is not
    /// repeated with every frame.
    mutating func requestClassification(_ classifier: any Classifier, about track: Track, in frame: Frame) throws {
        let area = track.box.clipped(width: frame.width, height: frame.height).area
        request = Request(promise: nil, area: area, time: frame.time, count: (request?.count ?? 0) + 1)
        request?.promise = try classifier.start(frame, box: track.box)
    }

    /// Takes the answer if it has come; waits for it if told to.
    mutating func collect(threshold: Double, wait: Bool) throws {
        guard let promise = request?.promise, wait || promise.isDone else { return }
        request?.promise = nil
        fromCrops.add(try promise.wait().scores, memory: Self.cropMemory, threshold: threshold)
    }
}
