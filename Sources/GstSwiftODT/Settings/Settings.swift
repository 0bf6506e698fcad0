import SwiftODT

/// All properties of the element: one consistent copy a frame.
struct Settings: Sendable {
    enum DetectorChoice: Int, Sendable { case auto, neural, salient, motion, upstream }
    enum Strategy: Int, Sendable { case auto, keepOnlyLatest, everyFrame }
    enum Updates: Int, Sendable { case onResult, everyFrame, onChange, onObject, none }

    static let standardDevice = "CPU"

    // What is detected, followed and chosen.
    var scene = SceneOptions()
    var iouThreshold = 0.5
    /// `nil` for auto: as the stream's tag says.
    var orientation: Orientation?

    // What the detector is made of: takes effect when the element starts.
    var detector = DetectorChoice.auto
    var modelFile: String?
    var labelFile: String?
    var device = standardDevice
    var threads = 0
    var classifierFile: String?
    var classifierLabelFile: String?
    var classificationThreshold = -1.0

    // When it is asked.
    var strategy = Strategy.auto
    var inferenceInterval = 1
    var lookAhead = 0

    // What is drawn.
    var draw = true
    var annotator = AnnotatorOptions()

    // What is said.
    var updates = Updates.onResult
    /// Whether beginnings, changes and ends of objects are said.
    var trackEvents = true
    var messageInterval: Nanoseconds = 0
    var messageFormat = MessageFormat.structure
    var attachMeta = AttachedMeta.standard
    var source: String?

    // As the user wrote them, for reading back; the meaning is in `scene.filter`.
    var labelAllowlist: String? {
        didSet { scene.filter.allowlist = DetectionFilter.labels(in: labelAllowlist ?? "") }
    }
    var labelDenylist: String? {
        didSet { scene.filter.denylist = DetectionFilter.labels(in: labelDenylist ?? "") }
    }

    /// These, but with what takes effect from READY as it was when the element started.
    func keeping(_ started: Settings) -> Settings {
        var kept = self
        kept.detector = started.detector
        kept.modelFile = started.modelFile
        kept.labelFile = started.labelFile
        kept.device = started.device
        kept.threads = started.threads
        kept.classifierFile = started.classifierFile
        kept.classifierLabelFile = started.classifierLabelFile
        return kept
    }

    /// What of that is another now, by the names of the properties.
    func waitingForReady(since started: Settings) -> [String] {
        [
            ("detector", detector != started.detector),
            ("model-file", modelFile != started.modelFile),
            ("label-file", labelFile != started.labelFile),
            ("device", device != started.device),
            ("threads", threads != started.threads),
            ("classifier-file", classifierFile != started.classifierFile),
            ("classifier-label-file", classifierLabelFile != started.classifierLabelFile),
        ].filter(\.1).map(\.0)
    }

    /// Whether the user named anything that the network is made of: then nothing else takes its place.
    var namesDetectorParts: Bool { modelFile != nil || labelFile != nil || device != Settings.standardDevice }

    var classifierRecipe: TrackClassifierRecipe {
        TrackClassifierRecipe(
            modelFile: classifierFile, labelFile: classifierLabelFile, device: device, threads: threads,
            isModelNeeded: classifierFile != nil || classifierLabelFile != nil || device != Settings.standardDevice)
    }

    var detection: DetectionOptions { DetectionOptions(scoreFloor: scene.scoreFloor, iouThreshold: iouThreshold) }
}

/// How messages carry the objects.
struct MessageFormat: OptionSet, Sendable {
    let rawValue: UInt32
    static let structure = MessageFormat(rawValue: 1 << 0)
    static let json = MessageFormat(rawValue: 1 << 1)
}

/// Which metadata is attached to buffers.
struct AttachedMeta: OptionSet, Sendable {
    let rawValue: UInt32
    static let roi = AttachedMeta(rawValue: 1 << 0)
    static let custom = AttachedMeta(rawValue: 1 << 1)
    static let analytics = AttachedMeta(rawValue: 1 << 2)

    /// All that this GStreamer knows.
    static let standard: AttachedMeta = AnalyticsLibrary.shared == nil ? [.roi, .custom] : [.roi, .custom, .analytics]
}
