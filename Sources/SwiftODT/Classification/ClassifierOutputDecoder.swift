import Glibc

/// Decodes the output of a classification network. The output has one score for each label. If the labels are mutually
/// exclusive, the decoder adds up the scores of each category. Otherwise the best label determines the category.
struct ClassifierOutputDecoder: Sendable {
    /// The index of the network's output that has the scores.
    private let output: Int
    private let labels: [Label?]
    private let categories: [Category]
    /// Whether at least one label has a category.
    let hasCategories: Bool
    private let scoresAreLogits: Bool
    /// Whether each score is computed independently of the others. `nil` if the model does not specify it.
    private let scoresAreIndependent: Bool?
    /// Whether most outputs of the network have values outside the range of probabilities.
    private let givesLogits = ModelHeuristic()
    /// The scale of quantised scores; `nil` if it is unknown.
    private let scale: QuantisationScale?

    /// - Throws: ``ODTError`` if the network is not a classifier, or if its labels are missing or do not match.
    init(_ inspection: NetworkInspection, table: CategoryTable) throws {
        let hasBackground = inspection.manifest?.hasBackground ?? false
        let counts = inspection.outputs.map { $0.shape.map { $0 ?? 1 }.product ?? 0 }
        let shapes = inspection.outputs.map(\.shapeText).joined(separator: ", ")
        guard counts.contains(where: { $0 > 1 }) else {
            throw ODTError(
                .unsupported,
                "\(inspection.file) has the outputs \(shapes), but a classifier needs at least two classes; "
                    + "choose an image classifier")
        }
        guard let names = inspection.labels else {
            throw ODTError(
                .unsupported,
                "\(inspection.file) has no labels inside or beside it; specify a label file with one label per line")
        }
        guard let output = counts.firstIndex(where: { Self.shift(names, scores: $0, hasBackground) != nil }),
            let shift = Self.shift(names, scores: counts[output], hasBackground)
        else {
            throw ODTError(
                .unsupported,
                "\(inspection.file) has the outputs \(shapes), none of which has a score for each of its "
                    + "\(names.count) labels; specify the matching label file, or choose an image classifier")
        }
        self.output = output
        labels = (0..<counts[output]).map { names[$0 + shift] }
        categories = table.categories(of: labels.map { $0?.text ?? "" }).map { $0 ?? .unknown }
        hasCategories = categories.contains { $0 != .unknown }
        scoresAreLogits = inspection.manifest?.scoresAreLogits ?? false
        scoresAreIndependent = scoresAreLogits ? true : inspection.endsWithLogistic
        scale = inspection.quantisation[inspection.outputs[output].name]
    }

    /// Returns the offset that is added to the index of a score to get the index of its label. The offset is 1 if only
    /// the labels have a background class, and -1 if only the network has a background class, as networks for ImageNet
    /// often have. Returns `nil` if the output and the labels do not match.
    private static func shift(_ labels: Labels, scores: Int, _ hasBackground: Bool) -> Int? {
        guard scores > 1 else { return nil }
        switch scores - labels.count {
        case 0: return 0
        case 1 where hasBackground || scores == 1001: return -1
        case -1 where labels.beginsWithBackground: return 1
        default: return nil
        }
    }

    /// - Parameter needsFiniteScore: Whether it is an error if no score is finite. Some networks return no finite score
    ///   for some pictures, for example a network that divides by the contrast of a crop.
    func read(_ outputs: [TensorView], needsFiniteScore: Bool = false) throws -> Classification {
        guard outputs.indices.contains(output) else {
            throw ODTError(.failed, "the classifier returned \(outputs.count) outputs, fewer than its model declares")
        }
        var view = outputs[output]
        // Without another scale, quantised scores are probabilities in steps of 1/256, as TFLite defines them for softmax
        // and the logistic function.
        if view.element == .uint8 || view.element == .int8 {
            view.scale = scale ?? QuantisationScale(step: 1 / 256, zero: view.element == .int8 ? -128 : 0)
        }
        return try view.withFloats { scores in
            guard scores.count == labels.count else {
                throw ODTError(.failed, "the classifier returned \(scores.count) scores for \(labels.count) labels")
            }
            guard !needsFiniteScore || scores.contains(where: \.isFinite) else {
                throw ODTError(
                    .failed,
                    "the classifier returned no finite score; check its input normalisation, or export it again")
            }
            return summary(scores)
        }
    }

    private func summary(_ scores: UnsafeBufferPointer<Float>) -> Classification {
        let probability = probabilities(scores)
        var best = 0
        var sums = CategoryScores()
        for index in scores.indices {
            let score = probability(scores[index])
            sums[categories[index]] += Double(score)
            if scores[index] > scores[best] { best = index }
        }
        let labelScore = Double(probability(scores[best]))
        // The sum of many weak independent scores is not the probability of a category. Independent scores of a model
        // that does not specify this add up to about 1 only by chance, but the scores of a softmax always do.
        if scoresAreIndependent ?? (abs(sums.total - 1) > Self.sumTolerance) {
            sums = CategoryScores()
            sums[categories[best]] = labelScore
        }
        // Quantised scores of a softmax can add up to more than 1.
        if sums.total > 1 { sums = sums * (1 / sums.total) }
        return Classification(scores: sums, label: labels[best], labelScore: labelScore)
    }

    /// The maximum deviation from 1 of the sum of a softmax, because its scores are rounded.
    private static let sumTolerance = 0.05

    /// Returns the function that maps a value of the output to a probability. It is the identity, the softmax (which
    /// PyTorch models often omit), or the logistic function. Logits can happen to be from 0 to 1, so earlier outputs
    /// decide, too.
    private func probabilities(_ scores: UnsafeBufferPointer<Float>) -> (Float) -> Float {
        if scoresAreLogits { return logistic }
        let areProbabilities = scores.allSatisfy { $0 >= 0 && $0 <= 1.001 }
        let votes = scores.allSatisfy(\.isFinite) ? 1 : 0
        let areLogits = givesLogits.isLikely(
            votesFor: areProbabilities ? 0 : votes, against: areProbabilities ? votes : 0)
        if areProbabilities, !areLogits { return { $0 } }
        let peak = scores.max() ?? 0
        let sum = scores.reduce(0) { $0 + exp($1 - peak) }
        return { exp($0 - peak) / sum }
    }
}
