import GstFrames
import SwiftODT

/// The options of ``VideoObjects`` and ``VideoAnnotator``: one value for each property of the GStreamer element that
/// applies to them.
/// docs/properties.md describes the properties in detail.
///
///     var options = VideoOptions(multipleObjects: true, zones: [door])
///     options.detector = .motion
///     options.inferenceInterval = 0
public struct VideoOptions: Hashable, Sendable {
    // MARK: Detection

    /// Whether the frames are independent images, which have no tracking ids (`mode=single-image`).
    public var singleImages = false
    /// Whether up to ``maximumObjects`` objects are reported instead of the most prominent one (`multiple-objects`).
    public var multipleObjects = false
    /// The maximum number of reported objects, 1 to 1,000 (`max-objects`). The initializer sets 100 with
    /// `multipleObjects: true`.
    public var maximumObjects = 5
    /// Whether objects are classified into coarse categories (`classify`).
    public var classify = false
    /// How objects are found (`detector`).
    public var detector = Detector.auto
    /// A path or the name of an installed model; `nil` for the default (`model-file`).
    public var model: String?
    /// A file with the model's class names; `nil` to take them from the model (`label-file`).
    public var labelFile: String?
    /// The file with the recorded detections, for ``Detector/recorded`` (`detections-file`).
    public var detectionsFile: String?
    /// The OpenVINO device (`device`).
    public var device = "CPU"
    /// The number of inference threads, up to 1,024; 0 lets the runtime decide (`threads`).
    public var threads = 0
    /// The minimum score of a detection that starts a track, 0 to 1 (`score-threshold`). With `nil`, the model's
    /// threshold applies.
    public var scoreThreshold: Double?
    /// The intersection over union, 0 to 1, above which two detections are merged (`iou-threshold`).
    public var overlapThreshold = 0.5
    /// The classification network, whose labels are reported; `nil` for the default, which assigns categories only
    /// (`classifier-file`).
    public var classifier: String?
    /// A file with the class names of the classification network (`classifier-label-file`).
    public var classifierLabelFile: String?
    /// The minimum confidence of a category or classifier label, 0 to 1 (`classification-threshold`). With `nil`, the
    /// classifier's threshold applies.
    public var classificationThreshold: Double?
    /// The labels of the objects to report, or label groups such as `@animals`; empty for all (`label-allowlist`).
    /// Unknown labels are warnings.
    public var allowedLabels: Set<String> = []
    /// The labels of objects to leave out (`label-denylist`).
    public var deniedLabels: Set<String> = []
    /// The minimum area of an object, as a fraction of the frame (`min-area`).
    public var minimumArea = 0.0
    /// The maximum area of an object, as a fraction of the frame (`max-area`).
    public var maximumArea = 1.0
    /// Which objects without a label are reported (`unknown-objects`).
    public var unknownObjects = UnknownObjects.none

    // MARK: Scheduling and tracking

    /// Whether frames wait for their detections (`strategy`).
    public var strategy = Strategy.auto
    /// The interval between inferences in frames, or 0 for an adaptive interval (`inference-interval`).
    public var inferenceInterval = 1
    /// The maximum number of inferences in flight, 0 to 32; 0 lets the runtime decide (`look-ahead`).
    public var lookAhead = 0
    /// Inference on magnified regions, to detect small objects (`zoom`).
    public var zoom = Zoom.off
    /// Whether objects are tracked from frame to frame (`tracking`).
    public var tracking = true
    /// How long a track is kept without a detection (`track-max-age`).
    public var trackMaximumAge = Duration.seconds(1)
    /// The number of detections that confirm a track (`track-min-hits`).
    public var trackMinimumHits = 2
    /// Whether an object that returns gets its earlier tracking id, if it can be recognised (`reidentify`).
    public var reidentify = false
    /// A returning object can get its earlier tracking id only if its absence is not longer than this time
    /// (`reidentify-for`).
    public var reidentifyFor = Duration.seconds(300)
    /// The network that recognises returning objects; `nil` for the default (`reidentification-file`).
    public var reidentificationModel: String?
    /// The transformation that displays frames upright; `nil` to use the video's orientation tag (`orientation`).
    /// Frames are transformed before detection, so boxes, zones and ``VideoResult/frame`` have upright coordinates.
    public var orientation: Orientation?
    /// Areas and lines in which objects are counted (`zones`).
    public var zones: [Zone] = []

    // MARK: Reports

    /// Which frames give a result (`updates`). ``VideoAnnotator`` draws every frame in any case.
    public var updates = Updates.everyFrame
    /// Whether results contain the events of tracks: begin, change and end (`track-events`).
    public var trackEvents = true
    /// The minimum time between two results (`message-interval`).
    public var resultInterval = Duration.zero
    /// The file to which the detector's detections are recorded, for ``Detector/recorded`` (`record-detections`).
    public var recordingFile: String?
    /// What to do if ``recordingFile`` already exists (`record-existing`).
    public var existingRecording = ExistingRecording.refuse
    /// Whether results contain a copy of the pixels of their frame.
    public var includesFrames = false

    // MARK: Drawing

    /// Whether objects are drawn into the frames (`draw`). With `nil`, the default, ``VideoAnnotator`` draws and
    /// ``VideoObjects`` does not.
    public var draw: Bool?
    /// Whether boxes are drawn (`draw-boxes`).
    public var drawBoxes = true
    /// How long the boxes of coasting objects are drawn (`draw-coasting`).
    public var drawCoasting = DrawCoasting.auto
    /// Whether labels are drawn (`draw-labels`).
    public var drawLabels = true
    /// Whether labels contain the tracking id (`draw-tracking-labels`).
    public var drawTrackingLabels = true
    /// Whether labels contain confidence and score (`draw-confidence`).
    public var drawConfidence = true
    /// Whether the paths of tracks are drawn (`draw-traces`).
    public var drawTraces = false
    /// Whether zones and their counts are drawn (`draw-zones`).
    public var drawZones = true
    /// Whether the regions of recent inferences are drawn (`draw-inference-regions`).
    public var drawInferenceRegions = false
    /// The duration of the movement that a drawn path shows (`trace-duration`).
    public var traceDuration = Duration.seconds(2)
    /// How colours are assigned to objects (`color-mode`).
    public var colorMode = ColorMode.trackingID
    /// The colour of boxes with ``ColorMode/fixed``, as ARGB (`box-color`).
    public var boxColor: UInt32 = 0xFF00_E676
    /// The colour of the label text as ARGB; 0 for black or white, whichever has more contrast (`label-color`).
    public var labelColor: UInt32 = 0
    /// How boxes are drawn (`box-style`).
    public var boxStyle = BoxStyle.rectangle
    /// The labels that ``BoxStyle/blur`` and ``BoxStyle/pixelate`` redact; empty for all objects (`privacy-labels`).
    public var privacyLabels: Set<String> = []
    /// Whether redaction that cannot be guaranteed is an error (`privacy-strict`).
    public var privacyStrict = true
    /// The minimum score of a detection that is redacted (`privacy-threshold`).
    public var privacyThreshold = 0.2
    /// The line width of boxes in pixels; 0 to derive it from the frame size (`line-width`).
    public var lineWidth = 0.0
    /// The font family of labels (`font`).
    public var font = "Sans"
    /// The font size of labels in pixels, at most a sixth of the shorter side; 0 to derive it from the frame size
    /// (`font-size`).
    public var fontSize = 0.0
    /// The text of labels, with the placeholders `{label}`, `{category}`, `{confidence}`, `{score}` and `{id}`
    /// (`label-format`).
    public var labelFormat = "{label} · {category} {confidence} #{id}"
    /// Whether labels have a background (`label-background`).
    public var labelBackground = true

    /// Creates options with the element's defaults, except that every frame has a result.
    ///
    /// - Parameters:
    ///   - multipleObjects: whether up to 100 objects are reported instead of the most prominent one.
    ///   - detector: how objects are found.
    ///   - zones: areas and lines in which objects are counted.
    public init(multipleObjects: Bool = false, detector: Detector = .auto, zones: [Zone] = []) {
        self.multipleObjects = multipleObjects
        self.detector = detector
        self.zones = zones
        if multipleObjects { maximumObjects = 100 }
    }
}

extension VideoOptions {
    /// How objects are found.
    public enum Detector: String, CaseIterable, Sendable {
        /// A network if its runtime and a model are installed, else the motion detector.
        case auto
        /// A detection network, run by OpenVINO.
        case neural
        /// A saliency network, run by OpenVINO: the most prominent object of any class.
        case salient
        /// Moving objects in front of a static camera. Needs no model.
        case motion
        /// The detections that an element of ``VideoSource/pipeline(_:)`` attaches to its buffers.
        case upstream
        /// The network outputs that an element of ``VideoSource/pipeline(_:)`` attaches to its buffers as tensors.
        case tensors
        /// The detections of a recording, ``VideoOptions/detectionsFile``.
        case recorded
    }

    /// Which objects without a label are reported.
    public enum UnknownObjects: String, CaseIterable, Sendable {
        /// No objects without a label.
        case none
        /// Moving objects in front of a static camera.
        case moving
        /// In videos, salient objects that do not move. In single images, the most prominent object if nothing is
        /// detected.
        case salient
        /// `moving` for videos, `salient` for single images.
        case auto
    }

    /// Whether frames wait for their detections.
    public enum Strategy: String, CaseIterable, Sendable {
        /// `keepOnlyLatest` for live sources, except frames that `swiftodtgate` releases late; else `everyFrame`.
        case auto
        /// No frame waits. An idle detector takes the newest frame.
        case keepOnlyLatest = "keep-only-latest"
        /// Each frame waits for its own result.
        case everyFrame = "every-frame"
    }

    /// Which regions are magnified for inference.
    public enum Zoom: String, CaseIterable, Sendable {
        /// No region: inference always runs on the full frame.
        case off
        /// Each inference runs on the full frame or on one region, which is chosen from the tracks.
        case auto
        /// Inference runs on the full frame and on all tiles.
        case grid
    }

    /// Which frames give a result.
    public enum Updates: String, CaseIterable, Sendable {
        /// Frames with a new detection result.
        case onResult = "on-result"
        /// All frames.
        case everyFrame = "every-frame"
        /// Frames in which an object appears, disappears, or changes its label, category or state.
        case onChange = "on-change"
        /// Frames with a new detection result and at least one object.
        case onObject = "on-object"
        /// No frames. All events are then part of one result at the end, whose time and size are 0. For files only: the
        /// events of a live source are lost when the task is cancelled.
        case none
    }

    /// How long the boxes of coasting objects are drawn.
    public enum DrawCoasting: String, CaseIterable, Sendable {
        /// Not at all.
        case never = "false"
        /// As long as the track is reported.
        case always = "true"
        /// For 0.3 s.
        case auto
    }

    /// How colours are assigned to objects.
    public enum ColorMode: String, CaseIterable, Sendable {
        /// One colour per track.
        case trackingID = "tracking-id"
        /// One colour per category.
        case category
        /// ``VideoOptions/boxColor`` for all objects.
        case fixed
    }

    /// How boxes are drawn.
    public enum BoxStyle: String, CaseIterable, Sendable {
        /// A plain rectangle.
        case rectangle
        /// A rectangle with rounded corners.
        case rounded
        /// Corners only.
        case corners
        /// A rectangle with a translucent filling.
        case filled
        /// Redaction: the content is blurred irreversibly.
        case blur
        /// Redaction: the content is pixelated irreversibly.
        case pixelate
    }

    /// What to do if a recording exists already.
    public enum ExistingRecording: String, CaseIterable, Sendable {
        /// Throw an error and leave the file unchanged.
        case refuse
        /// Continue an unfinished recording of the same video and options.
        case resume
        /// Replace the recording.
        case replace
    }
}

extension VideoOptions {
    /// The names of the element's properties, each with a function that returns the value of the property as text. If
    /// the function returns `nil`, the element's default is used.
    package static let table: [(name: String, text: @Sendable (VideoOptions) -> String?)] = [
        ("mode", { $0.singleImages ? "single-image" : "stream" }), ("multiple-objects", { "\($0.multipleObjects)" }),
        ("max-objects", { "\($0.maximumObjects)" }), ("classify", { "\($0.classify)" }),
        ("detector", { $0.detector.rawValue }), ("model-file", { $0.model }), ("label-file", { $0.labelFile }),
        ("detections-file", { $0.detectionsFile }), ("device", { $0.device }), ("threads", { "\($0.threads)" }),
        ("score-threshold", { $0.scoreThreshold.map { "\($0)" } }), ("iou-threshold", { "\($0.overlapThreshold)" }),
        ("classifier-file", { $0.classifier }), ("classifier-label-file", { $0.classifierLabelFile }),
        ("classification-threshold", { $0.classificationThreshold.map { "\($0)" } }),
        ("label-allowlist", { list($0.allowedLabels) }), ("label-denylist", { list($0.deniedLabels) }),
        ("min-area", { "\($0.minimumArea)" }), ("max-area", { "\($0.maximumArea)" }),
        ("unknown-objects", { $0.unknownObjects.rawValue }), ("strategy", { $0.strategy.rawValue }),
        ("inference-interval", { "\($0.inferenceInterval)" }), ("look-ahead", { "\($0.lookAhead)" }),
        ("zoom", { $0.zoom.rawValue }), ("tracking", { "\($0.tracking)" }),
        ("track-max-age", { nanoseconds($0.trackMaximumAge) }), ("track-min-hits", { "\($0.trackMinimumHits)" }),
        ("reidentify", { "\($0.reidentify)" }), ("reidentify-for", { nanoseconds($0.reidentifyFor) }),
        ("reidentification-file", { $0.reidentificationModel }),
        ("orientation", { $0.orientation?.nick }),
        ("zones", { $0.zones.isEmpty ? nil : Zone.json($0.zones) }),
        ("updates", { $0.updates.rawValue }), ("track-events", { "\($0.trackEvents)" }),
        ("message-interval", { nanoseconds($0.resultInterval) }), ("record-detections", { $0.recordingFile }),
        ("record-existing", { $0.existingRecording.rawValue }), ("draw", { $0.draw.map { "\($0)" } }),
        ("draw-boxes", { "\($0.drawBoxes)" }),
        ("draw-coasting", { $0.drawCoasting.rawValue }),
        ("draw-labels", { "\($0.drawLabels)" }), ("draw-tracking-labels", { "\($0.drawTrackingLabels)" }),
        ("draw-confidence", { "\($0.drawConfidence)" }), ("draw-traces", { "\($0.drawTraces)" }),
        ("draw-zones", { "\($0.drawZones)" }), ("draw-inference-regions", { "\($0.drawInferenceRegions)" }),
        ("trace-duration", { nanoseconds($0.traceDuration) }), ("color-mode", { $0.colorMode.rawValue }),
        ("box-color", { "\($0.boxColor)" }), ("label-color", { "\($0.labelColor)" }),
        ("box-style", { $0.boxStyle.rawValue }), ("privacy-labels", { list($0.privacyLabels) }),
        ("privacy-strict", { "\($0.privacyStrict)" }), ("privacy-threshold", { "\($0.privacyThreshold)" }),
        ("line-width", { "\($0.lineWidth)" }), ("font", { $0.font }), ("font-size", { "\($0.fontSize)" }),
        ("label-format", { $0.labelFormat }), ("label-background", { "\($0.labelBackground)" }),
    ]

    /// The properties whose value differs from the element's default, as NAME=VALUE.
    package var properties: [String] {
        var standard = VideoOptions()
        standard.updates = .onResult
        return Self.table.compactMap { name, text in
            let value = text(self)
            return value == text(standard) ? nil : value.map { "\(name)=\($0)" }
        }
    }

    /// Checks options whose invalid values the element would accept, or would report with the name of the property.
    func check() throws(ODTError) {
        try Zone.check(zones)
        let most = SceneOptions.mostObjects
        guard (1...most).contains(maximumObjects) else {
            throw ODTError(.invalidOption, "maximumObjects is \(maximumObjects); use a number from 1 to \(most)")
        }
        for case let (name, value?) in [
            ("scoreThreshold", scoreThreshold), ("classificationThreshold", classificationThreshold),
        ] where !(0...1).contains(value) {
            throw ODTError(.invalidOption, "\(name) is \(value); use a number from 0 to 1")
        }
        for (name, duration) in [
            ("trackMaximumAge", trackMaximumAge), ("reidentifyFor", reidentifyFor), ("resultInterval", resultInterval),
            ("traceDuration", traceDuration),
        ] where duration < .zero {
            throw ODTError(.invalidOption, "\(name) is \(duration); use 0 or more")
        }
    }

    private static func list(_ labels: Set<String>) -> String? {
        labels.isEmpty ? nil : DetectionFilter.list(of: labels.sorted())
    }

    private static func nanoseconds(_ duration: Duration) -> String { "\(Nanoseconds(duration))" }
}
