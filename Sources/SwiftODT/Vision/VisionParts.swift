/// What looks at images: a detector, and a classifier where categories are asked for.
struct VisionParts {
    let detector: any Detector
    let classifier: TrackClassifier?

    init(detector: any Detector, classifier: TrackClassifier?) {
        self.detector = detector
        self.classifier = classifier
    }
}

/// The names of the parts that options ask for.
struct VisionRecipe: Sendable {
    private var detector: DetectorRecipe
    private let classifierFile: String?
    private let classifierLabelFile: String?
    private let classification: TrackClassifierOptions
    private let scene: SceneOptions

    init(_ options: VisionObjectDetectorOptions) {
        detector = options.detector
        classifierFile = options.classifierFile
        classifierLabelFile = options.classifierLabelFile
        classification = options.classification
        scene = options.scene
        detector.isForStills = scene.mode == .singleImage
    }

    /// - Throws: ``ODTError`` that says what is missing and how to get it, or which options do not go together.
    func make() throws -> VisionParts {
        if detector.kind == .motion, scene.mode == .singleImage {
            throw ODTError(
                .invalidOption,
                "the motion detector compares images of a stream; choose the mode stream, or the neural detector")
        }
        return VisionParts(
            detector: try detector.makeDetector(), classifier: scene.classify ? try makeClassifier() : nil)
    }

    /// Without a named or an installed classifier, categories come from the detector's labels alone.
    private func makeClassifier() throws -> TrackClassifier {
        let table = try CategoryTable.installed()
        var crop: CropClassifier?
        do {
            crop = try CropClassifier(
                modelFile: classifierFile, labelFile: classifierLabelFile, device: detector.device,
                threads: detector.threads, table: table)
        } catch  where classifierFile == nil {
            crop = nil
        }
        return TrackClassifier(table: table, crop: crop, options: classification)
    }
}
