/// The parts that all decoders share: the input, the class names, and the conversion from candidates to detections.
struct DetectionAssembly: Sendable {
    let input: NetworkInput
    let names: ClassNames
    /// The model's path, for messages.
    let file: String
    /// Whether boxes are fractions of the input instead of pixels, for networks whose description does not specify it.
    private let givesFractions = ModelHeuristic()

    init(input: NetworkInput, names: ClassNames, file: String) {
        self.input = input
        self.names = names
        self.file = file
    }

    /// Applies non-maximum suppression, converts the boxes from input pixels to buffer pixels, and clips them to the
    /// inferred region.
    ///
    /// - Parameter suppressed: whether the network has already applied non-maximum suppression.
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

    /// Returns candidates with boxes in input pixels. Exports for TensorFlow have fractions of the input instead.
    ///
    /// - Parameter areFractions: `nil` to infer it from the first outputs: if boxes are in pixels, most of their
    ///   centres are outside the first two rows and columns of pixels.
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

    /// Returns the score floor as a float, at least 0.001, so that empty cells never pass.
    func floor(_ options: DetectionOptions) -> Float { Float(max(options.scoreFloor, 0.001)) }

    /// Returns the error for outputs whose shapes do not match the network's description.
    func mismatch(_ outputs: [TensorView]) -> ODTError {
        ODTError(
            .failed,
            "\(file) returned outputs whose shapes differ from its description: "
                + outputs.map { "\($0.shape)" }.joined(separator: ", ")
                + "; export the model again or set its family in a manifest")
    }
}
