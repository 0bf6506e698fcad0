import Synchronization

/// A decoder that takes its input and its labels from a ``DetectionAssembly``.
protocol AssembledDecoder: DetectionDecoder {
    var assembly: DetectionAssembly { get }

    /// Whether the network has already applied non-maximum suppression.
    var isSuppressed: Bool { get }

    /// Returns the boxes with a score of at least `floor`, in input pixels. `floor` is above 0, because otherwise every
    /// cell without an object would become a candidate.
    func candidates(_ outputs: [TensorView], from floor: Float) throws -> [Candidate]
}

extension AssembledDecoder {
    var input: NetworkInput { assembly.input }
    var labels: [String]? { assembly.names.all.map(\.text) }
    var isSuppressed: Bool { false }

    func decode(
        _ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions
    ) throws -> [Detection] {
        try assembly.detections(
            from: candidates(outputs, from: Float(max(options.scoreFloor, 0.001))), placement: placement,
            options: options, suppressed: isSuppressed)
    }
}

/// The parts that all decoders share: the input, the class names, and the conversion from candidates to detections.
struct DetectionAssembly: Sendable {
    let input: NetworkInput
    /// The labels of the classes. Index 0 is the first class that is not the background.
    let names: Labels
    /// For messages.
    let file: String
    /// Whether the network returns boxes as fractions of the input. Used only if the network's description does not
    /// specify the unit.
    private let givesFractions = ModelHeuristic()

    /// Applies non-maximum suppression, converts the boxes from input pixels to buffer pixels, and clips them to the
    /// inferred region.
    ///
    /// - Parameter suppressed: whether the network has already applied non-maximum suppression.
    /// - Throws: ``ODTError`` if there are fewer labels than classes, because the labels then belong to another network,
    ///   or if a score is above 1, because the network then has another layout or returns logits.
    func detections(
        from candidates: [Candidate], placement: InputPlacement, options: DetectionOptions, suppressed: Bool
    ) throws -> [Detection] {
        if let tooHigh = candidates.first(where: { $0.isValid && $0.score > Self.maximumScore }) {
            throw ODTError(
                .unsupported,
                "\(file) returns the score \(tooHigh.score), but scores are from 0 to 1: the outputs are logits or have "
                    + "another layout; export it with scores from 0 to 1, or set \"family\" in its manifest (\"logits\": "
                    + "true works only for \(DetectionFamily.logitsFamilies))")
        }
        if names.count > 0, let unnamed = candidates.first(where: { $0.classIndex >= names.count }) {
            throw ODTError(
                .unsupported,
                "\(file) returns class \(unnamed.classIndex), but it has only \(CountText.text(names.count, "label")); use the labels of "
                    + "this model")
        }
        let suppression = Suppression(
            iouThreshold: suppressed ? 1 : Float(options.iouThreshold),
            iouThresholdAcrossClasses: suppressed ? 1 : Suppression.acrossClasses)
        return suppression(candidates).compactMap { candidate in
            let box = placement.buffer(
                Box(
                    minX: Double(candidate.minX), minY: Double(candidate.minY),
                    maxX: Double(candidate.maxX), maxY: Double(candidate.maxY))
            ).intersection(placement.region)
            guard box.isFinite, !box.isEmpty else { return nil }
            return Detection(
                box: box, score: Double(min(candidate.score, 1)), label: names[Int(candidate.classIndex)])
        }
    }

    /// Scores are at most 1, apart from the rounding of quantised outputs.
    private static let maximumScore: Float = 1.05

    /// Returns the candidates with boxes in input pixels. Some networks, such as exports for TensorFlow, return
    /// fractions of the input instead.
    ///
    /// - Parameter areFractions: whether the boxes are fractions. If it is `nil`, the unit is estimated from the first
    ///   outputs of the network. The boxes count as fractions if most boxes have their centres within 2 units of the
    ///   origin on both axes.
    func inPixels(_ candidates: [Candidate], areFractions: Bool? = nil) -> [Candidate] {
        guard areFractions ?? areFractionsLikely(candidates) else { return candidates }
        let (width, height) = (Float(input.width), Float(input.height))
        return candidates.map {
            Candidate(
                minX: $0.minX * width, minY: $0.minY * height, maxX: $0.maxX * width, maxY: $0.maxY * height,
                score: $0.score, classIndex: $0.classIndex)
        }
    }

    private func areFractionsLikely(_ candidates: [Candidate]) -> Bool {
        let atCorner = candidates.count { $0.minX + $0.maxX <= 4 && $0.minY + $0.maxY <= 4 }
        return givesFractions.isLikely(votesFor: atCorner, against: candidates.count - atCorner)
    }

    /// Call this if every box has become a candidate.
    ///
    /// - Throws: ``ODTError`` if all raw scores are from 0 to 1. They are then probabilities, which the logistic function
    ///   would raise to at least 0.5.
    func requireLogits(_ scores: [TensorView]) throws {
        for output in scores {
            let areProbabilities = try output.withSparseNumbers { numbers in
                (0..<numbers.count).allSatisfy { (0...1).contains(numbers[$0]) }
            }
            guard areProbabilities, output.shape.product != 0 else { return }
        }
        throw ODTError(
            .unsupported,
            "\(file) returns class scores from 0 to 1, but its family expects logits; set \"logits\": false in its "
                + "manifest, or set another \"family\"")
    }

    func mismatch(
        _ outputs: [TensorView], remedy: String = "export the model again or set its family in a manifest"
    ) -> ODTError {
        ODTError(
            .failed,
            "\(file) returned outputs whose shapes do not match its description or its family: "
                + outputs.map { "\($0.shape)" }.joined(separator: ", ") + "; " + remedy)
    }
}

/// A yes-or-no property of a network that its description does not specify. It is derived from the first outputs of the
/// network, by a majority vote of boxes or outputs. The decision is final after 64 votes, so a later unusual output cannot
/// change it.
final class ModelHeuristic: Sendable {
    private let votes = Mutex((for: 0, against: 0))

    private static let enough = 64

    /// Adds votes, unless the decision is final. Returns whether most votes are in favour of the property.
    func isLikely(votesFor: Int, against votesAgainst: Int) -> Bool {
        votes.withLock { votes in
            if votes.for + votes.against < Self.enough {
                votes.for += votesFor
                votes.against += votesAgainst
            }
            return votes.for > votes.against
        }
    }
}

extension Labels {
    /// Returns the labels of a network's classes without a background class.
    ///
    /// - Parameters:
    ///   - count: the number of classes without a background class. `nil` if the network's description does not
    ///     determine it.
    ///   - hasBackground: whether the labels can begin with a background class if `count` is `nil`.
    /// - Throws: ``ODTError`` if there are no labels, or if the number of labels does not match the number of classes.
    static func ofClasses(_ labels: Labels?, count: Int?, hasBackground: Bool, file: String) throws -> Labels {
        guard let labels = labels ?? count.flatMap(usual) else {
            throw ODTError(
                .unsupported,
                "\(file) has \(count.map(String.init) ?? "an unknown number of") classes but no labels: "
                    + "put a text file with one label per line beside it (\(ModelManifest.path(besideModel: file).dropLast(5)).txt), "
                    + "set label-file, or set \"labels\" in its manifest to a known vocabulary, for example \"coco80\"")
        }
        guard let count else { return hasBackground && labels.beginsWithBackground ? labels.withoutFirst : labels }
        // `count` is only compared, because a model file may declare up to `Int.max` classes and an addition could
        // overflow.
        switch labels.count {
        case count: return labels
        case 1... where labels.count - 1 == count && labels.beginsWithBackground: return labels.withoutFirst
        default:
            throw ODTError(
                .unsupported,
                "\(file) has \(count) class\(count == 1 ? "" : "es"), but the list of its labels has "
                    + "\(CountText.text(labels.count, "label")); use the labels of this model")
        }
    }

    /// Returns the vocabulary that most networks with this number of classes use.
    private static func usual(_ count: Int) -> Labels? {
        switch count {
        case 80: vocabulary("coco80")
        case 90: vocabulary("coco90")
        default: nil
        }
    }

    /// Whether index 0 has no label, or has the name of a background class or of an unused class.
    var beginsWithBackground: Bool {
        guard let first = self[0]?.text else { return count > 0 }
        return ["background", "__background__", "???", "n/a", "none", "bg", "unlabeled", "unlabelled"].contains(
            first.lowercased())
    }

    var withoutFirst: Labels { Labels((1..<max(count, 1)).map { self[$0]?.text ?? "" }) }
}
