/// The detector, the classifier if categories are requested, and the saliency network if unclassified objects are
/// requested.
struct VisionComponents {
    let detector: any Detector
    var classifier: TrackClassifier?
    var salient: (any Detector)?
}

/// The configurations from which the components are created.
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

    /// Creates the components.
    /// - Throws: ``ODTError`` if a file is missing, with the remedy, or if options contradict each other.
    func make() throws -> VisionComponents {
        if detector.kind == .motion, scene.mode == .singleImage {
            throw ODTError(
                .invalidOption,
                "the motion detector compares images of a stream; set the mode to stream, or use the neural detector")
        }
        return VisionComponents(
            detector: try detector.makeDetector(), classifier: scene.classify ? try classifier.makeClassifier() : nil,
            salient: try makeSalient())
    }

    /// Returns a saliency detector if it is requested and the main detector is of another kind.
    private func makeSalient() throws -> (any Detector)? {
        guard scene.detectsSalient, detector.kind != .salient else { return nil }
        do {
            return try detector.salientConfiguration.makeDetector()
        } catch  where scene.unknownObjects == .auto {
            Diagnostics.report(.warning, "unclassified objects are not detected in single images: \(error)")
            return nil
        }
    }
}
