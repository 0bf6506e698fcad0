/// The category evidence of one track, and its latest classification request.
struct TrackClassificationState: Sendable {
    /// The reason to classify a crop, in ascending order of priority. `doubt`: the evidence is ambiguous. `growth`: the
    /// object has grown. `new`: no crop has been classified.
    enum Urgency: Int {
        case doubt, growth, new
    }

    private struct Request: Sendable {
        /// The pending result. `nil` after the result has been collected, and if the request failed.
        var promise: ClassificationPromise?
        /// The visible area of the object's box when the crop was taken, in square pixels.
        var area: Double
        var time: Nanoseconds
        var count: Int
    }

    /// The factor by which each new label of the detector reduces the weight of earlier labels.
    private static let labelDecay = 0.95
    /// The factor by which each new classified crop reduces the weight of earlier crops.
    private static let cropDecay = 0.7
    /// A crop is classified only if its shorter side has at least this length, in pixels.
    private static let smallestSide = 12.0
    /// A crop is classified only if at least this fraction of the object's box is inside the picture.
    private static let smallestPart = 0.5

    private var fromLabels = CategoryEvidence()
    private var fromCrops = CategoryEvidence()
    private var classifierLabels = ClassifierLabelEvidence()
    private var label: Label?
    private var labelCategory: Category?
    /// The time of the latest detection whose label was counted.
    private var labelSeen: Nanoseconds?
    private var request: Request?
    /// The calls of ``TrackClassifier/classify(_:in:wait:)`` are numbered. This is the number of the latest call that
    /// included the track.
    var lastCall = 0

    /// The category of the object. It follows from the detector's labels if at least one of these labels has a
    /// category. Otherwise it follows from the classified crops.
    ///
    /// - Parameters:
    ///   - includesClassifierLabel: whether the label of the classifier is part of the verdict.
    ///   - threshold: the minimum score of this label.
    func verdict(includesClassifierLabel: Bool, threshold: Double) -> CategoryVerdict {
        var verdict = fromLabels.isEmpty ? fromCrops.verdict : fromLabels.verdict
        if includesClassifierLabel { verdict.classifierLabel = classifierLabels.verdict(threshold: threshold) }
        return verdict
    }

    private var isWaiting: Bool { request?.promise != nil }

    /// Adds the label of the track as evidence, once for each detection. Applies the threshold in every call.
    mutating func readLabel(of track: Track, table: CategoryTable, threshold: Double) {
        if track.label != label {
            label = track.label
            labelCategory = label.flatMap { table.category(of: $0.text) }
        }
        if let labelCategory, track.lastSeen != labelSeen {
            labelSeen = track.lastSeen
            var scores = CategoryScores()
            scores[labelCategory] = track.score
            fromLabels.add(scores, memory: Self.labelDecay)
        }
        fromLabels.decide(threshold: threshold)
    }

    /// Returns the urgency of classifying a crop of the track now. `nil` if no crop needs to be classified.
    ///
    /// A track without an id exists for one frame only, so its crop is classified even if it is small or cut off.
    ///
    /// - Parameter threshold: the minimum score of the classifier's label.
    func urgency(
        of track: Track, in frame: Frame, _ options: TrackClassifierOptions, threshold: Double
    ) -> Urgency? {
        guard fromLabels.isEmpty || options.classifiesAll, !isWaiting, track.box.isFinite,
            track.state == .new || track.state == .tracked
        else {
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
        let isUncertain =
            fromCrops.isAmbiguous || options.classifiesAll && classifierLabels.verdict(threshold: threshold) == nil
        return isUncertain && elapsed >= retryInterval ? .doubt : nil
    }

    /// Sends the track's crop to the classifier. A request that fails is recorded, too. Otherwise it would be repeated
    /// with every frame.
    mutating func requestClassification(
        _ classifier: any Classifier, about track: Track, in frame: Frame
    ) throws -> ClassificationPromise {
        let area = track.box.clipped(width: frame.width, height: frame.height).area
        request = Request(promise: nil, area: area, time: frame.time, count: (request?.count ?? 0) + 1)
        let promise = try classifier.start(frame, box: track.box)
        request?.promise = promise
        return promise
    }

    /// Adds the result of the pending request if it is available. Applies the threshold in every call.
    mutating func collect(threshold: Double, wait: Bool) throws {
        if let promise = request?.promise, wait || promise.isDone {
            request?.promise = nil
            let found = try promise.wait()
            fromCrops.add(found.scores, memory: Self.cropDecay)
            classifierLabels.add(found, memory: Self.cropDecay)
        }
        fromCrops.decide(threshold: threshold)
    }
}

/// The accumulated evidence for the category of one object. The evidence comes from one source: the labels of the
/// detector, or the results of a classifier.
///
/// The first result sets the verdict at once. After that, hysteresis stabilises the verdict. Another category replaces
/// the current one only if it leads by a margin. The current category becomes unknown only if its weight falls well
/// below the threshold.
struct CategoryEvidence: Sendable {
    /// Another category replaces the current one if its lead exceeds this fraction of the total weight.
    fileprivate static let leadToChange = 0.15
    /// The current category becomes unknown only if its fraction of the total weight falls below the threshold by more
    /// than this value. The threshold is a parameter of ``decide(threshold:)``.
    private static let dropTolerance = 0.1
    /// Evidence is ambiguous if the best category leads the second category by less than this fraction of the total
    /// weight.
    private static let clearLead = 0.25

    private var mass = CategoryScores()
    private var weight = 0.0
    private(set) var verdict: CategoryVerdict = .unknown

    var isEmpty: Bool { weight == 0 }

    /// Whether another result might change the verdict: the scores of the two best categories are close, or the best
    /// category is not the verdict.
    var isAmbiguous: Bool {
        guard weight > 0 else { return true }
        let best = mass.best
        let second = Category.allCases.lazy.filter { $0 != best }.map { mass[$0] }.max() ?? 0
        return mass[best] - second < Self.clearLead * weight || verdict.category != best
    }

    /// Adds a result. `memory` is the factor by which the weight of earlier results is reduced, 0 to 1.
    mutating func add(_ scores: CategoryScores, memory: Double) {
        guard scores.isValid else { return }
        mass = mass * memory + scores
        weight = weight * memory + 1
    }

    /// Derives the verdict from the evidence. A category becomes the verdict only if its fraction of the total weight is
    /// at least `threshold`. Without new evidence, the verdict changes only if the threshold does.
    mutating func decide(threshold: Double) {
        guard weight > 0 else { return }
        var category = mass.best
        let kept = verdict.category
        if kept != .unknown, share(kept) + Self.leadToChange >= share(category),
            share(kept) >= threshold - Self.dropTolerance
        {
            category = kept
        } else if share(category) < threshold {
            category = .unknown
        }
        verdict = CategoryVerdict(
            category: category, confidence: category == .unknown ? nil : min(1, max(0, share(category))))
    }

    private func share(_ category: Category) -> Double { mass[category] / weight }
}

/// The accumulated evidence for the classifier's label of one object.
struct ClassifierLabelEvidence: Sendable {
    private var mass: [Label: Double] = [:]
    private var weight = 0.0
    private var current: Label?

    /// Returns the current label, or `nil` if its score is below the threshold.
    func verdict(threshold: Double) -> ClassifierLabel? {
        guard let current, let sum = mass[current] else { return nil }
        let score = min(1, sum / weight)
        return score >= threshold ? ClassifierLabel(label: current, score: score) : nil
    }

    /// Adds the label with the highest score. Another label replaces the current one only if it leads by a margin. The
    /// parameter `memory` is that of ``CategoryEvidence``.
    mutating func add(_ found: Classification, memory: Double) {
        guard let label = found.label, (0...1).contains(found.labelScore) else { return }
        mass = mass.mapValues { $0 * memory }
        mass[label, default: 0] += found.labelScore
        weight = weight * memory + 1
        let lead = mass[label, default: 0] - (current.flatMap { mass[$0] } ?? 0)
        if current == nil || lead > CategoryEvidence.leadToChange * weight { current = label }
    }
}
