/// What looks at images: a detector, and a classifier where categories are asked for.
struct VisionParts {
    let detector: any Detector
    let classifier: TrackClassifier?

    init(detector: any Detector, classifier: TrackClassifier?) {
        self.detector = detector
        self.classifier = classifier
    }

    /// Makes what the options name.
    /// - Throws: ``DetectorError`` that says what is missing and how to get it, or which options do not go together.
    init(_ recipe: DetectorRecipe, scene: SceneOptions) throws {
        if recipe.kind == .motion, scene.mode == .singleImage {
            throw DetectorError(
                .invalidOption,
                "the motion detector compares images of a stream; choose the mode stream, or the neural detector")
        }
        detector = try recipe.makeDetector()
        classifier = scene.classify ? TrackClassifier() : nil
    }
}
