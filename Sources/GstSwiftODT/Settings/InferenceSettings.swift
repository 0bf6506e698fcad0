import SwiftODT

extension Settings {
    enum DetectorChoice: Sendable {
        case auto, neural, salient, motion, upstream, tensors, recorded

        var acceptsRegions: Bool { self == .auto || self == .neural }
    }

    /// The raw values are also written to recordings.
    enum Zoom: String, Sendable { case off, auto, grid }

    /// The adaptive policy needs tracks, so without tracking inference runs on every frame. It also runs on every
    /// independent picture.
    var intervalPolicy: InferencePolicy.Interval {
        if scene.mode == .singleImage { return .every(1) }
        return inferenceInterval > 0 ? .every(inferenceInterval) : scene.follows ? .auto : .every(1)
    }

    /// Whether each inference runs on either the full frame or one region that is chosen from the tracks.
    var choosesRegions: Bool { zoom == .auto && scene.follows && detector.acceptsRegions }

    /// Returns the maximum number of inferences in flight; 0 for the number that the runtime recommends. With the hint
    /// `latency` the maximum is 1. With other hints it is 2 if the region or the interval of an inference depends on
    /// earlier results. With more inferences in flight, too few of these results would be available. In all other
    /// cases, the property `look-ahead` determines the maximum.
    func inFlightLimit(for hint: InferenceHint) -> Int {
        hint == .latency ? 1 : choosesRegions || intervalPolicy == .auto ? 2 : lookAhead
    }

    var detection: DetectionOptions {
        DetectionOptions(
            scoreFloor: redacts ? min(scene.scoreFloor, redaction.floor) : scene.scoreFloor,
            // With a lower threshold, one of two people who overlap would stay visible.
            iouThreshold: redacts ? max(iouThreshold, Self.standardIOUThreshold) : iouThreshold,
            view: zoom == .grid ? .grid : .fullFrame)
    }

    /// Whether a property requests redaction. ``RedactionGuard`` reports an error if other properties make redaction
    /// impossible.
    var requestsRedaction: Bool { annotator.boxStyle.redaction != nil || !annotator.privacyLabels.isEmpty }

    var redacts: Bool { draw && annotator.boxStyle.redaction != nil }

    /// Whether tracking or redaction uses the luma plane.
    var needsLuma: Bool { scene.follows || redacts && redaction.follows }

    var redaction: RedactionTracker.Options {
        RedactionTracker.Options(
            labels: annotator.privacyLabels, threshold: privacyThreshold, follows: scene.mode == .stream,
            maxAge: max(scene.tracker.maxAge, 1_000_000_000))
    }

    /// Whether the user has specified the model, its label file or its device. In this case no other detector may
    /// replace the specified one.
    var namesDetectorParts: Bool {
        modelFile != nil || labelFile != nil || device != Settings.standardDevice || ModelChoice.of(.detector) != nil
    }

    /// Returns the user's score threshold if there is one, otherwise the value of the detector with these traits.
    func threshold(of traits: DetectorTraits?) -> Double {
        scoreThreshold >= 0 ? scoreThreshold : traits?.scoreThreshold ?? DetectorTraits.usualScoreThreshold
    }

    /// Returns the settings with the values that depend on the detector, for example its score threshold. In the lists
    /// of labels, the names of the detector's label groups are replaced by the labels of the groups.
    func adopting(_ traits: DetectorTraits?) -> Settings {
        var settings = self
        settings.traits = traits ?? DetectorTraits()
        settings.scene.tracker.scoreThreshold = threshold(of: traits)
        if let groups = traits?.labelGroups, !groups.isEmpty {
            settings.scene.filter.allowlist = LabelGroups.expand(scene.filter.allowlist, groups: groups)
            settings.scene.filter.denylist = LabelGroups.expand(scene.filter.denylist, groups: groups)
            settings.annotator.privacyLabels = LabelGroups.expand(annotator.privacyLabels, groups: groups)
        }
        return settings
    }

    var classifierConfiguration: TrackClassifierConfiguration {
        TrackClassifierConfiguration(
            modelFile: classifierFile, labelFile: classifierLabelFile, device: device, threads: threads,
            isModelNeeded: classifierLabelFile != nil || device != Settings.standardDevice ? true : nil)
    }

    /// If the detector itself finds moving or salient objects, there is no additional search for unlabelled objects
    /// (property `unknown-objects`).
    var sceneComplementingDetector: SceneOptions {
        var scene = scene
        let detectsSalient = scene.detectsSalient || scene.detectsSalientInVideo
        if detector == .motion && scene.detectsMoving || detector == .salient && detectsSalient {
            scene.unknownObjects = .none
        }
        return scene
    }

    var saliencySettings: Settings {
        var settings = self
        (settings.detector, settings.modelFile, settings.labelFile) = (.salient, nil, nil)
        return settings
    }
}

struct AttachedMeta: OptionSet, Sendable {
    let rawValue: UInt32
    static let roi = AttachedMeta(rawValue: 1 << 0)
    static let custom = AttachedMeta(rawValue: 1 << 1)
    static let analytics = AttachedMeta(rawValue: 1 << 2)

    static let standard: AttachedMeta = AnalyticsLibrary.shared == nil ? [.roi, .custom] : [.roi, .custom, .analytics]
}

struct MessageFormat: OptionSet, Sendable {
    let rawValue: UInt32
    static let structure = MessageFormat(rawValue: 1 << 0)
    static let json = MessageFormat(rawValue: 1 << 1)
}
