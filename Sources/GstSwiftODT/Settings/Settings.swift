import SwiftODT

/// All properties of the element: one consistent copy a frame. What they are, and what GObject is told of them, says the table
/// below.
struct Settings: Sendable {
    enum Strategy: Sendable { case auto, keepOnlyLatest, everyFrame }
    enum Updates: Sendable { case onResult, everyFrame, onChange, onObject, none }

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
    /// A recording of detections, for `detector=recorded`.
    var detectionsFile: String?
    var device = standardDevice
    var threads = 0
    var classifierFile: String?
    var classifierLabelFile: String?
    var classificationThreshold = -1.0

    // When it is asked.
    var strategy = Strategy.auto
    var inferenceInterval = 1
    var lookAhead = 0
    var zoom = Zoom.off

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
    /// A text or a file, see ``Zone/list(named:)``.
    var zones: String?
    /// Where what the detector answers is written.
    var recordDetections: String?
    var recordExisting = RecordingWriter.Existing.refuse

    // As the user wrote them, for reading back; the meaning is in `scene.filter`.
    var labelAllowlist: String? {
        didSet { scene.filter.allowlist = DetectionFilter.labels(in: labelAllowlist ?? "") }
    }
    var labelDenylist: String? {
        didSet { scene.filter.denylist = DetectionFilter.labels(in: labelDenylist ?? "") }
    }

    /// Whether redaction that cannot be guaranteed is an error.
    var privacyStrict = true
    var privacyThreshold = 0.2
    var privacyLabels: String? {
        didSet { annotator.privacyLabels = DetectionFilter.labels(in: privacyLabels ?? "") }
    }

    /// Whether the user named anything that the network is made of: then nothing else takes its place.
    var namesDetectorParts: Bool { modelFile != nil || labelFile != nil || device != Settings.standardDevice }

    var classifierRecipe: TrackClassifierConfiguration {
        TrackClassifierConfiguration(
            modelFile: classifierFile, labelFile: classifierLabelFile, device: device, threads: threads,
            isModelNeeded: classifierFile != nil || classifierLabelFile != nil || device != Settings.standardDevice)
    }

    /// What the scene goes by: what the detector finds by itself is not looked for again.
    var sceneBesideDetector: SceneOptions {
        var scene = scene
        if detector == .motion && scene.detectsMoving || detector == .salient && scene.detectsSalient {
            scene.unknownObjects = .none
        }
        return scene
    }

    /// What the network is made by that finds the prominent thing where the detector finds nothing: the installed one.
    var forSalient: Settings {
        var settings = self
        (settings.detector, settings.modelFile, settings.labelFile) = (.salient, nil, nil)
        return settings
    }
}

// MARK: - The table

extension Settings {
    /// The element's properties, in the order in which it lists them: one row says all there is to know of one. A default is what new
    /// settings have.
    static let properties = detecting + scheduling + drawing + reporting

    /// By GObject's id, which is the place in the table, counted from 1.
    static func property(_ id: UInt32) -> Property { properties[Int(id) - 1] }

    /// What is found, and which of it is reported.
    private static let detecting: [Property] = [
        Property(
            "mode", \.scene.mode,
            .choice(
                "SwiftOdtMode",
                [
                    (.stream, "stream", "Video: low latency, tracking ids"),
                    (.singleImage, "single-image", "Each picture alone, complete, without tracking ids"),
                ]),
            .playing, "Mode", "Video with tracking, or each picture alone"),
        Property(
            "multiple-objects", \.scene.multipleObjects, .boolean, .playing, "Multiple objects",
            "Report up to max-objects objects instead of the most prominent one alone"),
        Property(
            "max-objects", \.scene.maxObjects, .count(1...Int32(SceneOptions.mostObjects)), .playing, "Maximum objects",
            "How many objects are reported at most with multiple-objects=true"),
        Property(
            "classify", \.scene.classify, .boolean, .playing, "Classify",
            "Sort objects into coarse categories: fashion good, home good, food, place, plant"),
        Property(
            "detector", \.detector,
            .choice(
                "SwiftOdtDetector",
                [
                    (.auto, "auto", "neural where its runtime and model are there, else motion"),
                    (.neural, "neural", "A detection network, through OpenVINO"),
                    (.salient, "salient", "The thing in the picture, whatever it is, through OpenVINO"),
                    (.motion, "motion", "What moves before a fixed camera; needs no model"),
                    (.upstream, "upstream", "The regions of interest that an element upstream attached"),
                    (.recorded, "recorded", "Detections that were recorded before: detections-file"),
                ]),
            .ready, "Detector", "What finds the objects"),
        Property(
            "model-file", \.modelFile, .optionalText, .ready, "Model file",
            "Network for detector=neural or salient (.onnx, .tflite, .xml, .pb, .pdmodel); unset: the installed "
                + "default"),
        Property(
            "label-file", \.labelFile, .optionalText, .ready, "Label file",
            "Names of the network's classes, one a line; unset: from the manifest or the model itself"),
        Property(
            "detections-file", \.detectionsFile, .optionalText, .ready, "Detections file",
            "What detector=recorded plays back: a file that record-detections or odt detect wrote, or MOTChallenge's text"
        ),
        Property(
            "device", \.device, .text, .ready, "Device",
            "OpenVINO device that runs the networks, such as CPU, GPU, AUTO"),
        Property(
            "threads", \.threads, .count(0...1024), .ready, "Threads",
            "Threads for inference; 0: as the runtime sees fit"),
        Property(
            "score-threshold", \.scene.tracker.scoreThreshold, .real(0...1), .controllable, "Score threshold",
            "Score from which on a detection makes a new object"),
        Property(
            "iou-threshold", \.iouThreshold, .real(0...1), .controllable, "Overlap threshold",
            "Detections that overlap more (intersection over union) are one object"),
        Property(
            "classifier-file", \.classifierFile, .optionalText, .ready, "Classifier file",
            "Classification network for classify=true; unset: the installed default"),
        Property(
            "classifier-label-file", \.classifierLabelFile, .optionalText, .ready, "Classifier label file",
            "Names of the classifier's classes; unset: from the classifier itself"),
        Property(
            "classification-threshold", \.classificationThreshold, .real(-1...1), .controllable,
            "Classification threshold", "Confidence below which the category is unknown; -1: the model's own"),
        Property(
            "label-allowlist", \.labelAllowlist, .optionalText, .playing, "Label allowlist",
            "Comma-separated labels; objects of others are ignored"),
        Property(
            "label-denylist", \.labelDenylist, .optionalText, .playing, "Label denylist",
            "Comma-separated labels; objects of these are ignored"),
        Property(
            "min-area", \.scene.filter.minArea, .real(0...1), .controllable, "Minimum area",
            "Smallest part of the picture that an object covers"),
        Property(
            "max-area", \.scene.filter.maxArea, .real(0...1), .controllable, "Maximum area",
            "Largest part of the picture that an object covers"),
        Property(
            "unknown-objects", \.scene.unknownObjects,
            .choice(
                "SwiftOdtUnknownObjects",
                [
                    (.none, "none", "They are left out"),
                    (.moving, "moving", "What moves before a camera that stands still, in mode=stream"),
                    (.salient, "salient", "The prominent thing where nothing has a name, in mode=single-image"),
                    (.auto, "auto", "moving in mode=stream, salient in mode=single-image"),
                ]),
            .playing, "Unknown objects", "Which things that the detector has no name for are objects, too"),
    ]

    /// When it is looked for, and how it is followed.
    private static let scheduling: [Property] = [
        Property(
            "strategy", \.strategy,
            .choice(
                "SwiftOdtStrategy",
                [
                    (.auto, "auto", "keep-only-latest for live streams, else every-frame"),
                    (.keepOnlyLatest, "keep-only-latest", "Never wait: detect on the newest frame when free"),
                    (.everyFrame, "every-frame", "Wait for each frame's own result"),
                ]),
            .playing, "Strategy", "Whether frames wait for their detection"),
        Property(
            "inference-interval", \.inferenceInterval, .count(0...Int32.max), .playing, "Inference interval",
            "Detect on every n-th frame, 0: when it pays, and carry the boxes in between"),
        Property(
            "look-ahead", \.lookAhead, .count(0...Int32(SchedulePlan.maximumWaiting)), .playing, "Look-ahead",
            "Detections in flight at once with every-frame; 0: as the runtime asks, 1: no frame waits for a later one"),
        Property(
            "zoom", \.zoom,
            .choice(
                "SwiftOdtZoom",
                [
                    (.off, "off", "The whole picture alone"),
                    (.auto, "auto", "The whole picture or a part of it, where that tells more: one look as before"),
                    (.grid, "grid", "The whole picture and all of its parts in every detection"),
                ]),
            .playing, "Zoom", "Whether parts of the picture are looked at larger, for what is small"),
        Property(
            "tracking", \.scene.tracking, .boolean, .playing, "Tracking",
            "Follow objects from frame to frame and give them ids"),
        Property(
            "track-max-age", \.scene.tracker.maxAge, .time(), .playing, "Track maximum age",
            "How long an unseen object is carried on, in nanoseconds"),
        Property(
            "track-min-hits", \.scene.tracker.minHits, .count(1...1000), .playing, "Track minimum hits",
            "How many detections confirm an object before it is reported"),
        Property(
            "orientation", \.orientation,
            .choice(
                "SwiftOdtOrientation",
                [
                    (nil, "auto", "As the stream's image-orientation tag says"),
                    (.identity, "identity", "Upright as it is"),
                    (.rotate90, "90r", "Upright after 90 degrees clockwise"),
                    (.rotate180, "180", "Upright after 180 degrees"),
                    (.rotate270, "90l", "Upright after 90 degrees counter-clockwise"),
                    (.flipHorizontal, "horiz", "Upright after a horizontal flip"),
                    (.flipVertical, "vert", "Upright after a vertical flip"),
                    (.transpose, "ul-lr", "Upright after a flip across the upper left/lower right diagonal"),
                    (.transverse, "ur-ll", "Upright after a flip across the upper right/lower left diagonal"),
                ]),
            .playing, "Orientation", "How the picture is turned to be upright"),
    ]

    /// What is drawn.
    private static let drawing: [Property] = [
        Property(
            "draw", \.draw, .boolean, .controllable, "Draw", "Draw the objects into the picture"),
        Property(
            "draw-boxes", \.annotator.drawBoxes, .boolean, .controllable, "Draw boxes",
            "Draw the boxes; false leaves the labels alone"),
        Property(
            "draw-coasting", \.annotator.drawCoasting,
            .choice(
                "SwiftOdtDrawCoasting",
                [
                    (.never, "false", "Only what is seen"),
                    (.always, "true", "Dashed, as long as it is carried on"),
                    (.briefly, "auto", "Dashed, for a third of a second after it was missed"),
                ]),
            .playing, "Draw coasting", "Draw objects that are not seen but carried on"),
        Property(
            "draw-labels", \.annotator.drawLabels, .boolean, .controllable, "Draw labels", "Draw a label at each box"),
        Property(
            "draw-tracking-labels", \.annotator.drawTrackingLabels, .boolean, .controllable, "Draw tracking labels",
            "Let labels show the tracking id"),
        Property(
            "draw-confidence", \.annotator.drawConfidence, .boolean, .controllable, "Draw confidence",
            "Let labels show the confidence"),
        Property(
            "draw-traces", \.annotator.drawTraces, .boolean, .controllable, "Draw traces",
            "Draw the way that each object has come"),
        Property(
            "draw-zones", \.annotator.drawZones, .boolean, .controllable, "Draw zones",
            "Draw the zones, and what was counted in them"),
        Property(
            "draw-inference-regions", \.annotator.drawInferenceRegions, .boolean, .controllable, "Draw attention",
            "Draw where the detector has just looked"),
        Property(
            "trace-duration", \.annotator.traceDuration, .time(upTo: 60_000_000_000), .playing, "Trace duration",
            "How far back traces reach, in nanoseconds"),
        Property(
            "color-mode", \.annotator.colorMode,
            .choice(
                "SwiftOdtColorMode",
                [
                    (.trackingID, "tracking-id", "A colour of its own for each track"),
                    (.category, "category", "A colour for each category"),
                    (.fixed, "fixed", "box-color for all"),
                ]),
            .playing, "Color mode", "What an object's colour tells"),
        Property(
            "box-color", \.annotator.boxColor, .color, .controllable, "Box color",
            "Colour of boxes with color-mode=fixed (ARGB)"),
        Property(
            "label-color", \.annotator.labelColor, .color, .controllable, "Label color",
            "Colour of the label text (ARGB); 0: black or white, whichever reads better"),
        Property(
            "box-style", \.annotator.boxStyle,
            .choice(
                "SwiftOdtBoxStyle",
                [
                    (.rectangle, "rectangle", "A plain rectangle"),
                    (.rounded, "rounded", "A rectangle with rounded corners"),
                    (.corners, "corners", "The corners alone"),
                    (.filled, "filled", "A rectangle with a translucent filling"),
                    (.blur, "blur", "What is in it is blurred, for good"),
                    (.pixelate, "pixelate", "What is in it becomes large blocks, for good"),
                ]),
            .playing, "Box style", "How boxes are drawn"),
        Property(
            "privacy-labels", \.privacyLabels, .optionalText, .playing, "Privacy labels",
            "Comma-separated labels that box-style=blur and pixelate redact; unset: everything that is detected"),
        Property(
            "privacy-strict", \.privacyStrict, .boolean, .playing, "Privacy strict",
            "Redaction that is requested and cannot be guaranteed is an error; false: a warning"),
        Property(
            "privacy-threshold", \.privacyThreshold, .real(0...1), .controllable, "Privacy threshold",
            "Score from which on a detection is redacted, whatever is reported"),
        Property(
            "line-width", \.annotator.lineWidth, .real(0...256), .controllable, "Line width",
            "Width of the boxes' lines in pixels; 0: from the size of the picture"),
        Property(
            "font", \.annotator.font, .text, .playing, "Font", "Font family of the labels"),
        Property(
            "font-size", \.annotator.fontSize, .real(0...1024), .controllable, "Font size",
            "Size of the labels' text in pixels; 0: from the size of the picture"),
        Property(
            "label-format", \.annotator.labelFormat, .text, .playing, "Label format",
            "Text of the labels; knows {label} {category} {confidence} {score} {id}"),
        Property(
            "label-background", \.annotator.labelBackground, .boolean, .controllable, "Label background",
            "Draw a panel behind the label"),
    ]

    /// What is said.
    private static let reporting: [Property] = [
        Property(
            "updates", \.updates,
            .choice(
                "SwiftOdtUpdates",
                [
                    (.onResult, "on-result", "For each frame that a detection ended at"),
                    (.everyFrame, "every-frame", "For every frame"),
                    (.onChange, "on-change", "When objects come, go or change their name or state"),
                    (.onObject, "on-object", "For each result with at least one object"),
                    (.none, "none", "Never: track events alone, where track-events is on"),
                ]),
            .playing, "Updates", "When a message swiftodt is posted on the bus"),
        Property(
            "track-events", \.trackEvents, .boolean, .playing, "Track events",
            "Post a message swiftodt-track where an object begins, gets another label or category, or ends, whatever updates "
                + "says"),
        Property(
            "message-interval", \.messageInterval, .time(), .playing, "Message interval",
            "Shortest time between two messages in nanoseconds of running time; the newest wins"),
        Property(
            "message-format", \.messageFormat,
            .flags(
                "SwiftOdtMessageFormat",
                [
                    (.structure, "structure", "The objects as a list of structures"),
                    (.json, "json", "The whole message as JSON text in the field json"),
                ]),
            .playing, "Message format", "How messages carry the objects"),
        Property(
            "attach-meta", \.attachMeta,
            .flags(
                "SwiftOdtMetaFlags",
                [
                    (.roi, "roi", "GstVideoRegionOfInterestMeta, one an object"),
                    (.custom, "custom", "GstCustomMeta SwiftOdtMeta, which survives conversion, scaling and encoding"),
                    (.analytics, "analytics", "GstAnalyticsRelationMeta, with GStreamer 1.24 or newer"),
                ]),
            .playing, "Attach metadata", "Which metadata is attached to the buffers"),
        Property(
            "source", \.source, .optionalText, .playing, "Source", "A name for the stream, put into every message"),
        Property(
            "zones", \.zones, .optionalText, .ready, "Zones",
            "Areas and lines to watch, and areas to ignore: a JSON file, or the JSON text itself"),
        Property(
            "record-detections", \.recordDetections, .optionalText, .ready, "Record detections",
            "A file that gets what the detector answers, before tracking and filters, for detector=recorded"),
        Property(
            "record-existing", \.recordExisting,
            .choice(
                "SwiftOdtRecordExisting",
                [
                    (.refuse, "refuse", "An error: nothing is lost"),
                    (.resume, "resume", "An unfinished recording of the same video and settings is gone on with"),
                    (.replace, "replace", "A recording that is there is replaced"),
                ]),
            .ready, "Record existing",
            "What becomes of a recording that is there already under the name of record-detections"),
        Property(
            structure: "stats", "Statistics", "Counters and the time that each stage takes"),
    ]
}
