import SwiftODT

/// Detects the objects of images in order. A `Scene` tracks and classifies the detected objects.
///
/// `@unchecked Sendable`: ``VisionQueue`` ensures that only one thread at a time uses it.
final class VisionProcessor: @unchecked Sendable {
    private let makeComponents: @Sendable () throws -> VisionComponents
    private let overlapThreshold: Double
    private let scene: Scene
    private let scoreThreshold: Double?
    /// Whether objects have the labels of a custom classifier instead of the categories.
    private let hasClassifierLabels: Bool
    private var parts: VisionComponents?
    /// The error for a label in the allowlist that the detector does not have.
    private var labelProblem: ODTError?
    private var clock = SteadyClock()
    private var instant = MonotonicClock.now
    /// The size and orientation of the previous image.
    private var layout: (width: Int, height: Int, orientation: Orientation)?

    /// - Parameter parts: creates the components at the first image.
    init(options: VisionObjectDetectorOptions, parts: @escaping @Sendable () throws -> VisionComponents) {
        makeComponents = parts
        scoreThreshold = options.scoreThreshold
        hasClassifierLabels = options.classifierFile != nil
        overlapThreshold = options.detector.overlapThreshold
        scene = Scene(options: options.scene)
    }

    func find(in input: VisionInput) throws -> [VisionObject] {
        let picture = try input.frame.get()
        let parts = try loadedComponents()
        if let labelProblem { throw labelProblem }
        // The components determine the score threshold, on which the minimum score of detections depends.
        let detection = DetectionOptions(
            scoreFloor: scene.options.scoreFloor, iouThreshold: overlapThreshold, isAwaited: true)
        let time = clock.time(of: input.timestamp?.nanoseconds, step: timeSinceLastImage())
        var frame = picture.with(time: time, orientation: Orientation(input.orientation))
        // ML Kit has no events of tracks.
        defer { _ = scene.takeEvents() }
        return try withExtendedLifetime(picture) {
            // If the layout differs from that of the previous image, the image belongs to another stream.
            let layout = (frame.width, frame.height, frame.orientation)
            if let previous = self.layout, previous != layout {
                scene.reset(reason: .flush)
                parts.detector.reset()
            }
            self.layout = layout
            if scene.options.follows { frame.luma = LumaPlane.reduce(frame) }
            scene.advance(to: time, width: frame.width, height: frame.height, luma: frame.luma)
            scene.observe(try parts.detector.start(frame, options: detection).wait(), seenAt: time)
            if scene.wantsProminent, let salient = parts.salient {
                scene.observeProminent(
                    try salient.start(frame, options: detection).wait(),
                    threshold: salient.traits.scoreThreshold ?? DetectorTraits.usualScoreThreshold)
            }
            return try scene.objects(in: frame)
                .filter { $0.track.state != .lost }
                .map {
                    VisionObject(
                        $0, width: frame.width, height: frame.height, hasClassifierLabels: hasClassifierLabels)
                }
        }
    }

    /// Returns the time since the previous image, at least 1 ms. It is used for images without a usable timestamp.
    private func timeSinceLastImage() -> Nanoseconds {
        let now = MonotonicClock.now
        defer { instant = now }
        return max(1_000_000, now - instant)
    }

    private func loadedComponents() throws -> VisionComponents {
        if let parts { return parts }
        let made = try makeComponents()
        scene.classifier = made.classifier
        if let threshold = scoreThreshold ?? made.detector.traits.scoreThreshold {
            scene.options.tracker.scoreThreshold = threshold
        }
        labelProblem = resolveLabels(for: made.detector)
        parts = made
        return made
    }
}

extension VisionProcessor {
    /// Replaces label groups in the label lists by the labels of the groups.
    ///
    /// - Returns: an error if a list contains a label that the detector never returns, or an unknown group.
    private func resolveLabels(for detector: any Detector) -> ODTError? {
        let (allowlist, denylist) = (scene.options.filter.allowlist, scene.options.filter.denylist)
        let groups = LabelGroups.withStandard(detector.traits.labelGroups)
        scene.options.filter.allowlist = LabelGroups.expand(allowlist, groups: groups)
        scene.options.filter.denylist = LabelGroups.expand(denylist, groups: groups)
        guard let labels = detector.labels, !labels.isEmpty else { return nil }
        let names = groups.keys.map { "\(LabelGroups.mark)\($0)" } + [DetectionFilter.unknown]
        let known = Set(labels.map { $0.lowercased() } + names)
        for (list, name) in [(allowlist, "allowedLabels"), (denylist, "deniedLabels")] {
            guard let label = list.subtracting(known).min() else { continue }
            let remedy = spellingSuggestion(for: label, in: known) ?? "see ObjectDetector.labels"
            return ODTError(.invalidOption, "the detector has no label '\(label)' (\(name)); \(remedy)")
        }
        return nil
    }
}

/// The detector, the classifier if categories are requested, and the saliency network if unclassified objects are
/// requested.
struct VisionComponents {
    let detector: any Detector
    var classifier: TrackClassifier?
    var salient: (any Detector)?
}

struct VisionConfiguration: Sendable {
    private var detector: DetectorConfiguration
    private let classifier: TrackClassifierConfiguration
    private let scene: SceneOptions
    /// The options that must be from 0 to 1, with their names.
    private let fractions: [(name: String, value: Double?)]

    init(_ options: VisionObjectDetectorOptions) {
        detector = DetectorConfiguration(options.detector)
        var classification = TrackClassifierOptions()
        if let threshold = options.classificationConfidenceThreshold { classification.threshold = threshold }
        classifier = TrackClassifierConfiguration(
            modelFile: options.classifierFile, labelFile: options.classifierLabelFile, device: detector.device,
            threads: detector.threads, options: classification)
        scene = options.scene
        fractions = [
            ("scoreThreshold", options.scoreThreshold), ("overlapThreshold", options.detector.overlapThreshold),
            ("classificationConfidenceThreshold", options.classificationConfidenceThreshold),
        ]
        detector.isForStills = scene.mode == .singleImage
    }

    /// - Throws: ``ODTError`` if a file is missing, with the remedy, or if options contradict each other or are out of
    ///   range.
    func make() throws -> VisionComponents {
        for case let (name, value?) in fractions where !(0...1).contains(value) {
            throw ODTError(.invalidOption, "\(name) is \(value); use a number from 0 to 1")
        }
        if classifier.labelFile != nil, classifier.modelFile == nil {
            throw ODTError(.invalidOption, "classifierLabelFile has no effect without classifierFile; set both")
        }
        if classifier.modelFile != nil, !scene.classify {
            throw ODTError(
                .invalidOption, "classifierFile has no effect without classification; set shouldEnableClassification")
        }
        if detector.kind == .motion, scene.mode == .singleImage {
            throw ODTError(
                .invalidOption,
                "the motion detector compares images of a stream; set the mode to stream, or use the neural detector")
        }
        return VisionComponents(
            detector: try detector.makeDetector(), classifier: scene.classify ? try classifier.makeClassifier() : nil,
            salient: try makeSalient())
    }

    /// Returns a saliency detector if it is requested and the main detector is not a saliency detector.
    private func makeSalient() throws -> (any Detector)? {
        guard scene.detectsSalient, detector.kind != .salient else { return nil }
        return try detector.salientConfiguration.makeDetector()
    }
}
