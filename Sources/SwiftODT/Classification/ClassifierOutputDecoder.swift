import Glibc

/// Reads a classification network's output: a score a label, summed up by category.
struct ClassifierOutputDecoder: Sendable {
    private let output: Int
    /// The label and the category of each score; `nil` where the vocabulary leaves an index out.
    private let labels: [Label?]
    private let categories: [Category]
    private let scoresAreLogits: Bool

    /// - Throws: ``ODTError`` where the network is no classifier, or its labels are missing or do not fit.
    init(_ inspection: NetworkInspection, table: CategoryTable) throws {
        let counts = inspection.outputs.map { $0.shape.map { $0 ?? 1 }.product ?? 0 }
        guard let names = inspection.labels else {
            throw ODTError(
                .unsupported,
                "\(inspection.file) has no labels inside or beside it; name a text file with one label a line "
                    + "(classifier-label-file)")
        }
        guard let output = counts.firstIndex(where: { Self.shift(names, scores: $0) != nil }),
            let shift = Self.shift(names, scores: counts[output])
        else {
            let shapes = inspection.outputs.map(\.shapeText).joined(separator: ", ")
            throw ODTError(
                .unsupported,
                "\(inspection.file) gives \(shapes), which is not a score for each of its \(names.count) labels; "
                    + "name the right label file (classifier-label-file), or a model that classifies images")
        }
        self.output = output
        labels = (0..<counts[output]).map { names[$0 + shift] }
        categories = table.categories(of: labels.map { $0?.text ?? "" }).map { $0 ?? .unknown }
        scoresAreLogits = inspection.manifest?.scoresAreLogits ?? false
    }

    /// By how much an output's indices differ from the labels': some networks have a background class that their labels do not
    /// name, some labels name one that the network does not have. `nil` where they do not belong together.
    private static func shift(_ labels: Labels, scores: Int) -> Int? {
        guard scores > 1 else { return nil }
        switch scores - labels.count {
        case 0: return 0
        case 1: return -1
        case -1 where labels.beginsWithBackground: return 1
        default: return nil
        }
    }

    func read(_ outputs: [TensorView]) throws -> Classification {
        guard outputs.indices.contains(output) else {
            throw ODTError(.failed, "the classifier gave \(outputs.count) outputs, fewer than it has")
        }
        return try withScores(of: outputs[output]) { scores in
            guard scores.count == labels.count else {
                throw ODTError(.failed, "the classifier gave \(scores.count) scores for \(labels.count) labels")
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
        // Labels that do not exclude each other may all be likely.
        if sums.total > 1 { sums = sums * (1 / sums.total) }
        return Classification(scores: sums, label: labels[best], labelScore: Double(probability(scores[best])))
    }

    /// How to get from the network's numbers to probabilities: they are that already, or what a softmax (in PyTorch often left
    /// out) or the logistic function makes of them.
    private func probabilities(_ scores: UnsafeBufferPointer<Float>) -> (Float) -> Float {
        if scoresAreLogits { return { 1 / (1 + exp(-$0)) } }
        if scores.allSatisfy({ $0 >= 0 && $0 <= 1.001 }) { return { $0 } }
        let peak = scores.max() ?? 0
        let sum = scores.reduce(0) { $0 + exp($1 - peak) }
        return { exp($0 - peak) / sum }
    }

    /// Quantised scores are probabilities in steps of 1/256, as TFLite defines them for softmax and the logistic function.
    private func withScores(
        of view: TensorView, _ body: (UnsafeBufferPointer<Float>) throws -> Classification
    ) throws -> Classification {
        switch view.element {
        case .uint8:
            let scores = view.bytes.map { Float($0) / 256 }
            return try scores.withUnsafeBufferPointer(body)
        case .int8:
            let scores = view.bytes.map { (Float(Int8(bitPattern: $0)) + 128) / 256 }
            return try scores.withUnsafeBufferPointer(body)
        case .float32, .float16, .int32, .int64:
            return try view.withFloats(body)
        }
    }
}
