/// What looks at images: a detector, a classifier where categories are asked for, and a saliency network where things without a name
/// are.
struct VisionComponents {
    let detector: any Detector
    var classifier: TrackClassifier?
    var salient: (any Detector)?
}

/// The names of the parts that options ask for.
struct VisionConfiguration: Sendable {
    private var detector: DetectorConfiguration
    private let classifier: TrackClassifierConfiguration
    private let scene: SceneOptions

    init(_ options: VisionObjectDetectorOptions) {
        detector = options.detector
        classifier = TrackClassifierConfiguration(
            modelFile: options.classifierFile, labelFile: options.classifierLabelFile, device: detector.device,
            threads: detector.threads, options: options.classification)
        scene = options.scene
        detector.isForStills = scene.mode == .singleImage
    }

    /// - Throws: ``ODTError`` that says what is missing and how to get it, or which options do not go together.
    func make() throws -> VisionComponents {
        if detector.kind == .motion, scene.mode == .singleImage {
            throw ODTError(
                .invalidOption,
                "the motion detector compares images of a stream; choose the mode stream, or the neural detector")
        }
        return VisionComponents(
            detector: try detector.makeDetector(), classifier: scene.classify ? try classifier.makeClassifier() : nil,
            salient: try makeSalient())
    }

    /// What finds the prominent thing where it is asked for and the detector is not the one that does.
    private func makeSalient() throws -> (any Detector)? {
        guard scene.detectsSalient, detector.kind != .salient else { return nil }
        do {
            return try detector.salientConfiguration.makeDetector()
        } catch  where scene.unknownObjects == .auto {
            Diagnostics.report(.warning, "things without a name are not looked for in pictures: \(error)")
            return nil
        }
    }
}
