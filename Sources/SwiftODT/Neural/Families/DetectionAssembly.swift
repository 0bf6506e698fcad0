/// What all families have in common: the input, the class names, and the way from candidates to detections.
struct DetectionAssembly: Sendable {
    let input: NetworkInput
    let names: ClassNames
    /// The model's path, for messages.
    let file: String
    /// Whether the network gives fractions of its input rather than pixels, where only its figures tell.
    private let givesFractions = ModelHeuristic()

    init(input: NetworkInput, names: ClassNames, file: String) {
        self.input = input
        self.names = names
        self.file = file
    }

    /// Suppresses candidates and brings what stays from input pixels to buffer pixels, clipped to what was looked at.
    ///
    /// - Parameter suppressed: whether the network has done that by itself.
    func detections(
        from candidates: [Candidate], placement: InputPlacement, options: DetectionOptions, suppressed: Bool = false
    ) -> [Detection] {
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

    /// Boxes in input pixels, whatever the export gives: those for TensorFlow give fractions of the input.
    ///
    /// - Parameter areFractions: `nil` to go by the figures of the network's first answers: in pixels, most boxes have their
    ///   centres elsewhere than in the first two rows and columns.
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
        return givesFractions.isSo(after: atCorner, against: candidates.count - atCorner)
    }

    /// The floor as networks count; never so low that empty cells pass.
    func floor(_ options: DetectionOptions) -> Float { Float(max(options.scoreFloor, 0.001)) }

    /// An error for outputs that are not as the network's description says.
    func mismatch(_ outputs: [TensorView]) -> ODTError {
        ODTError(
            .failed,
            "\(file) gave outputs of other shapes than it declares: "
                + outputs.map { "\($0.shape)" }.joined(separator: ", "))
    }
}
