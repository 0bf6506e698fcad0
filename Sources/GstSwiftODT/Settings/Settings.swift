import SwiftODT

/// The values of all properties of the element. Each frame is processed with one consistent copy. The table
/// ``properties`` defines the names, types, ranges and descriptions of the properties.
struct Settings: Sendable {
    enum Strategy: Sendable { case auto, keepOnlyLatest, everyFrame }
    enum Updates: Sendable { case onResult, everyFrame, onChange, onObject, none }

    static let standardDevice = "CPU"
    static let standardIOUThreshold = 0.5
    /// The maximum number of frames that are held for look-ahead, and for redaction. It limits the number of buffers
    /// that are withheld from a decoder's buffer pool.
    static let maximumLookAhead = 32

    var scene = SceneOptions()
    var iouThreshold = standardIOUThreshold
    /// The orientation of frames; `nil` to use the `image-orientation` tag of the stream.
    var orientation: Orientation?

    /// A detection can start a track only if its score is at least this value, 0 to 1. If the value is -1, the
    /// network's value is used.
    var scoreThreshold = -1.0
    /// The traits of the detector in use, see ``adopting(_:)``.
    var traits = DetectorTraits()

    // Changes of the following properties take effect when the element starts, unless stated otherwise.
    var detector = DetectorChoice.auto
    var modelFile: String?
    var labelFile: String?
    var detectionsFile: String?
    var device = standardDevice
    var threads = 0
    /// Whether the element takes turns for inference with other elements of the process. Changes take effect at once.
    var sharesInference = false
    var classifierFile: String?
    var classifierLabelFile: String?
    /// The network for `reidentify`; `nil` for the standard one.
    var reidentificationFile: String?
    /// The minimum confidence of a category, 0 to 1; -1 for the default of the model. Changes take effect at once.
    var classificationThreshold = -1.0

    var strategy = Strategy.auto
    var inferenceInterval = 1
    var lookAhead = 0
    var zoom = Zoom.off

    var draw = true
    var drawMode = DrawMode.blend
    /// Whether the tracker may map frames in device memory.
    var mapMemory = false
    var annotator = AnnotatorOptions()

    var updates = Updates.onResult
    var trackEvents = true
    var messageInterval: Nanoseconds = 0
    var messageFormat = MessageFormat.structure
    var attachMeta = AttachedMeta.standard
    var source: String?
    /// The zones as JSON text, or the path of a JSON file; see ``Zone/list(named:)``. `nil` for no zones.
    var zones: String?
    var recordDetections: String?
    var recordExisting = RecordingWriter.Existing.refuse

    // The lists of labels as texts, as the user has set them. They are returned when the properties are read.
    // `scene.filter` has the parsed lists.
    var labelAllowlist: String? {
        didSet { scene.filter.allowlist = LabelGroups.expand(DetectionFilter.labels(in: labelAllowlist ?? "")) }
    }
    var labelDenylist: String? {
        didSet { scene.filter.denylist = LabelGroups.expand(DetectionFilter.labels(in: labelDenylist ?? "")) }
    }

    /// Whether an error is posted if redaction cannot be guaranteed. If `false`, a warning is posted.
    var privacyStrict = true
    /// Detections are redacted if their score is at least this value, 0 to 1.
    var privacyThreshold = RedactionTracker.usualThreshold
    var privacyLabels: String? {
        didSet { annotator.privacyLabels = LabelGroups.expand(DetectionFilter.labels(in: privacyLabels ?? "")) }
    }
}

// MARK: - Properties

extension Settings {
    /// The element's properties, in the order in which gst-inspect lists them. The default of a property is the initial
    /// value of its variable above. The argument after the type states when a change takes effect: when the element
    /// starts (`ready`), at once (`playing`), or at once and also if a GStreamer controller changes the property
    /// (`controllable`).
    static let properties = detecting + scheduling + drawing + reporting

    /// The id is the position in the table, starting at 1.
    static func property(_ id: UInt32) -> Property { properties[Int(id) - 1] }

    private static let detecting: [Property] = [
        Property(
            "mode", \.scene.mode,
            .choice(
                "SwiftOdtMode",
                (.stream, "stream", "Video, with tracking ids"),
                (.singleImage, "single-image", "Independent images, without tracking ids")),
            .playing, "Mode", "Whether the frames are a video or independent images"),
        Property(
            "multiple-objects", \.scene.multipleObjects, .boolean, .playing, "Multiple objects",
            "Report up to max-objects objects instead of only the most prominent one"),
        Property(
            "max-objects", \.scene.maxObjects, .count(1...Int32(SceneOptions.mostObjects)), .playing, "Maximum objects",
            "Maximum number of reported objects with multiple-objects=true"),
        Property(
            "classify", \.scene.classify, .boolean, .playing, "Classify",
            "Classify objects into coarse categories: fashion good, home good, food, place, plant"),
        Property(
            "detector", \.detector,
            .choice(
                "SwiftOdtDetector",
                (.auto, "auto", "neural if its runtime and model are installed, else motion"),
                (.neural, "neural", "Object detection network, run by OpenVINO"),
                (.salient, "salient", "Saliency network, run by OpenVINO: the most prominent object of any class"),
                (.motion, "motion", "Moving objects in front of a static camera; needs no model"),
                (.upstream, "upstream", "Object detections and regions of interest that upstream elements attached"),
                (.tensors, "tensors", "Network outputs that an upstream element attached as tensors"),
                (.recorded, "recorded", "Detections from the file detections-file")),
            .ready, "Detector", "Detection method"),
        Property(
            "model-file", \.modelFile, .optionalText, .ready, "Model file",
            "Network of detector=neural or salient (.onnx, .tflite, .xml, .pb, .pdmodel). For detector=tensors: the "
                + "network that made the tensors. Unset: the installed default"),
        Property(
            "label-file", \.labelFile, .optionalText, .ready, "Label file",
            "Class names of the network, one per line; unset: from the manifest or the model file"),
        Property(
            "detections-file", \.detectionsFile, .optionalText, .ready, "Detections file",
            "File for detector=recorded: written by record-detections or odt detect, or in MOTChallenge format"
        ),
        Property(
            "device", \.device, .text, .ready, "Device",
            "OpenVINO device that runs the networks, for example CPU, GPU or AUTO"),
        Property(
            "threads", \.threads, .count(0...1024), .ready, "Threads",
            "Number of inference threads; 0: chosen by the runtime"),
        Property(
            "share-inference", \.sharesInference, .boolean, .playing, "Share inference",
            "Take turns for inference with other elements of the process; the most useful inference runs first"),
        Property(
            "score-threshold", \.scoreThreshold, .real(-1...1), .controllable, "Score threshold",
            "Minimum score of a detection that starts a track; -1: the model's default"),
        Property(
            "iou-threshold", \.iouThreshold, .real(0...1), .controllable, "Overlap threshold",
            "Non-maximum suppression: detections with a higher IoU are merged"),
        Property(
            "classifier-file", \.classifierFile, .optionalText, .ready, "Classifier file",
            "Classification network for classify=true; its labels are reported. Unset: the installed default, which "
                + "determines categories only"),
        Property(
            "classifier-label-file", \.classifierLabelFile, .optionalText, .ready, "Classifier label file",
            "Class names of the classifier; unset: from its manifest or model file"),
        Property(
            "classification-threshold", \.classificationThreshold, .real(-1...1), .controllable,
            "Classification threshold", "Minimum confidence of a category or classifier label; -1: the model's default"),
        Property(
            "label-allowlist", \.labelAllowlist, .optionalText, .playing, "Label allowlist",
            "Comma-separated labels or groups (@street); objects with other labels are ignored"),
        Property(
            "label-denylist", \.labelDenylist, .optionalText, .playing, "Label denylist",
            "Comma-separated labels or groups (@street); objects with these labels are ignored"),
        Property(
            "label-allowlist-array", of: "label-allowlist", \.labelAllowlist, .strings, .playing,
            "Label allowlist array", "label-allowlist as an array of strings"),
        Property(
            "label-denylist-array", of: "label-denylist", \.labelDenylist, .strings, .playing, "Label denylist array",
            "label-denylist as an array of strings"),
        Property(
            "min-area", \.scene.filter.minArea, .real(0...1), .controllable, "Minimum area",
            "Minimum area of an object, as a fraction of the frame"),
        Property(
            "max-area", \.scene.filter.maxArea, .real(0...1), .controllable, "Maximum area",
            "Maximum area of an object, as a fraction of the frame"),
        Property(
            "unknown-objects", \.scene.unknownObjects,
            .choice(
                "SwiftOdtUnknownObjects",
                (.none, "none", "Not reported"),
                (.moving, "moving", "Moving objects in front of a static camera, in mode=stream"),
                (.salient, "salient", "Standing objects in mode=stream, the most prominent in single-image"),
                (.auto, "auto", "moving in mode=stream, salient in mode=single-image")),
            .playing, "Unknown objects", "Which objects are reported that the detector cannot classify"),
    ]

    private static let scheduling: [Property] = [
        Property(
            "strategy", \.strategy,
            .choice(
                "SwiftOdtStrategy",
                (.auto, "auto", "keep-only-latest for live streams, else every-frame"),
                (.keepOnlyLatest, "keep-only-latest", "No frame waits; an idle detector takes the newest frame"),
                (.everyFrame, "every-frame", "Each frame waits for its own result")),
            .playing, "Strategy", "Whether frames wait for their detections"),
        Property(
            "inference-interval", \.inferenceInterval, .count(0...Int32.max), .playing, "Inference interval",
            "Run inference on every n-th frame and extrapolate in between; 0: adaptive"),
        Property(
            "look-ahead", \.lookAhead, .count(0...Int32(Settings.maximumLookAhead)), .playing, "Look-ahead",
            "Maximum inferences in flight with every-frame; 0: chosen by the runtime, 1: no added latency"),
        Property(
            "zoom", \.zoom,
            .choice(
                "SwiftOdtZoom",
                (.off, "off", "Full frame only"),
                (.auto, "auto", "One inference, on the full frame or a region at higher magnification"),
                (.grid, "grid", "The full frame and all of its tiles in every detection")),
            .playing, "Zoom", "Inference on magnified regions, to detect small objects"),
        Property(
            "tracking", \.scene.tracking, .boolean, .playing, "Tracking",
            "Track objects from frame to frame and assign ids"),
        Property(
            "track-max-age", \.scene.tracker.maxAge, .time(), .playing, "Track maximum age",
            "Time after which an undetected track ends, in nanoseconds"),
        Property(
            "track-min-hits", \.scene.tracker.minHits, .count(1...1000), .playing, "Track minimum hits",
            "Number of detections that confirm a track"),
        Property(
            "reidentify", \.scene.reidentify, .boolean, .playing, "Re-identify",
            "Give an object that returns its earlier tracking id, if it can be recognised"),
        Property(
            "reidentify-for", \.scene.reidentifyFor, .time(), .playing, "Re-identify for",
            "Time for which an object can return, in nanoseconds"),
        Property(
            "reidentification-file", \.reidentificationFile, .optionalText, .ready, "Re-identification file",
            "Network for reidentify=true; unset: person_reidentification_retail_0248"),
        Property(
            "map-memory", \.mapMemory, .boolean, .playing, "Map memory",
            "Map frames in device memory, so that the tracker can use their pixels"),
        Property(
            "orientation", \.orientation,
            .choice(
                "SwiftOdtOrientation",
                (nil, "auto", "From the stream's image-orientation tag"),
                (.identity, "identity", "Already upright"),
                (.rotate90, "90r", "Upright after 90 degrees clockwise"),
                (.rotate180, "180", "Upright after 180 degrees"),
                (.rotate270, "90l", "Upright after 90 degrees counter-clockwise"),
                (.flipHorizontal, "horiz", "Upright after a horizontal flip"),
                (.flipVertical, "vert", "Upright after a vertical flip"),
                (.transpose, "ul-lr", "Upright after a flip across the upper left/lower right diagonal"),
                (.transverse, "ur-ll", "Upright after a flip across the upper right/lower left diagonal")),
            .playing, "Orientation", "Transformation that turns the frame upright"),
    ]

    private static let drawing: [Property] = [
        Property(
            "draw", \.draw, .boolean, .controllable, "Draw", "Draw objects into the frame"),
        Property(
            "draw-mode", \.drawMode,
            .choice(
                "SwiftOdtDrawMode",
                (.blend, "blend", "Into the pixels of the frame"),
                (.overlay, "overlay", "As GstVideoOverlayComposition; pixels are unchanged"),
                (.auto, "auto", "overlay if an element downstream announces that it blends overlays, else blend")),
            .ready, "Draw mode", "Where objects are drawn"),
        Property(
            "draw-boxes", \.annotator.drawBoxes, .boolean, .controllable, "Draw boxes",
            "Draw boxes; false: labels only"),
        Property(
            "draw-coasting", \.annotator.drawCoasting,
            .choice(
                "SwiftOdtDrawCoasting",
                (.never, "false", "Detected objects only"),
                (.always, "true", "Dashed, as long as the track is reported"),
                (.briefly, "auto", "Dashed, for 0.3 s after the first missed detection")),
            .playing, "Draw coasting", "Draw coasting tracks (extrapolated without a detection)"),
        Property(
            "draw-labels", \.annotator.drawLabels, .boolean, .controllable, "Draw labels", "Draw a label at each box"),
        Property(
            "draw-tracking-labels", \.annotator.drawTrackingLabels, .boolean, .controllable, "Draw tracking labels",
            "Show the tracking id in labels"),
        Property(
            "draw-confidence", \.annotator.drawConfidence, .boolean, .controllable, "Draw confidence",
            "Show confidence and score in labels"),
        Property(
            "draw-traces", \.annotator.drawTraces, .boolean, .controllable, "Draw traces",
            "Draw the path of each track"),
        Property(
            "draw-zones", \.annotator.drawZones, .boolean, .controllable, "Draw zones",
            "Draw zones and their counts"),
        Property(
            "draw-inference-regions", \.annotator.drawInferenceRegions, .boolean, .controllable,
            "Draw inference regions", "Draw the region of each recent inference"),
        Property(
            "trace-duration", \.annotator.traceDuration, .time(upTo: 60_000_000_000), .playing, "Trace duration",
            "Length of traces in nanoseconds"),
        Property(
            "color-mode", \.annotator.colorMode,
            .choice(
                "SwiftOdtColorMode",
                (.trackingID, "tracking-id", "One colour per track"),
                (.category, "category", "One colour per category"),
                (.fixed, "fixed", "box-color for all objects")),
            .playing, "Color mode", "How colours are assigned to objects"),
        Property(
            "box-color", \.annotator.boxColor, .color, .controllable, "Box color",
            "Colour of boxes with color-mode=fixed, as 0xAARRGGBB; default 0xff00e676"),
        Property(
            "label-color", \.annotator.labelColor, .color, .controllable, "Label color",
            "Colour of the label text, as 0xAARRGGBB; 0: black or white, whichever has more contrast"),
        Property(
            "box-style", \.annotator.boxStyle,
            .choice(
                "SwiftOdtBoxStyle",
                (.rectangle, "rectangle", "A plain rectangle"),
                (.rounded, "rounded", "A rectangle with rounded corners"),
                (.corners, "corners", "Corners only"),
                (.filled, "filled", "A rectangle with a translucent filling"),
                (.blur, "blur", "Redaction: the content is blurred irreversibly"),
                (.pixelate, "pixelate", "Redaction: the content is pixelated irreversibly")),
            .playing, "Box style", "How boxes are drawn"),
        Property(
            "privacy-labels", \.privacyLabels, .optionalText, .playing, "Privacy labels",
            "Comma-separated labels that box-style=blur and pixelate redact; unset: all detections"),
        Property(
            "privacy-labels-array", of: "privacy-labels", \.privacyLabels, .strings, .playing, "Privacy labels array",
            "privacy-labels as an array of strings"),
        Property(
            "privacy-strict", \.privacyStrict, .boolean, .playing, "Privacy strict",
            "Requested redaction that cannot be guaranteed is an error; false: a warning"),
        Property(
            "privacy-threshold", \.privacyThreshold, .real(0...1), .controllable, "Privacy threshold",
            "Minimum score of a detection that is redacted"),
        Property(
            "line-width", \.annotator.lineWidth, .real(0...256), .controllable, "Line width",
            "Line width of boxes in pixels; 0: from the frame size"),
        Property(
            "font", \.annotator.font, .text, .playing, "Font", "Font family of the labels"),
        Property(
            "font-size", \.annotator.fontSize, .real(0...1024), .controllable, "Font size",
            "Font size of labels in pixels, at most a sixth of the shorter side; 0: from the frame size"),
        Property(
            "label-format", \.annotator.labelFormat, .text, .playing, "Label format",
            "Label text; placeholders: {label} {category} {confidence} {score} {id}"),
        Property(
            "label-background", \.annotator.labelBackground, .boolean, .controllable, "Label background",
            "Draw a panel behind the label"),
    ]

    private static let reporting: [Property] = [
        Property(
            "updates", \.updates,
            .choice(
                "SwiftOdtUpdates",
                (.onResult, "on-result", "For each frame with a new detection result"),
                (.everyFrame, "every-frame", "For every frame"),
                (
                    .onChange, "on-change",
                    "When an object appears, disappears, or changes a label, its category or state"
                ),
                (.onObject, "on-object", "For each result with at least one object"),
                (.none, "none", "Never; track events are posted according to track-events")),
            .playing, "Updates", "When the element posts a message swiftodt"),
        Property(
            "track-events", \.trackEvents, .boolean, .playing, "Track events",
            "Post a message swiftodt-track when a track begins, changes its label or category, or ends"),
        Property(
            "message-interval", \.messageInterval, .time(), .playing, "Message interval",
            "Minimum running time between two messages swiftodt in nanoseconds"),
        Property(
            "message-format", \.messageFormat,
            .flags(
                "SwiftOdtMessageFormat",
                (.structure, "structure", "Objects as a list of structures"),
                (.json, "json", "Entire message as JSON text in the field json")),
            .playing, "Message format", "Representation of objects in messages"),
        Property(
            "attach-meta", \.attachMeta,
            .flags(
                "SwiftOdtMetaFlags",
                (.roi, "roi", "GstVideoRegionOfInterestMeta, one per object"),
                (.custom, "custom", "GstCustomMeta SwiftOdtMeta, which survives conversion, scaling and encoding"),
                (.analytics, "analytics", "GstAnalyticsRelationMeta, with GStreamer 1.24 or newer")),
            .playing, "Attach metadata", "Metadata attached to buffers"),
        Property(
            "source", \.source, .optionalText, .playing, "Source", "Name of the stream, in every message"),
        Property(
            "zones", \.zones, .optionalText, .ready, "Zones",
            "Zones, lines and ignored areas: a JSON file, or JSON text"),
        Property(
            "zones-array", of: "zones", \.zones, .structures, .ready, "Zones array",
            "zones as an array of structures with the fields of the JSON text"),
        Property(
            "record-detections", \.recordDetections, .optionalText, .ready, "Record detections",
            "File for the detections before tracking and filtering, for detector=recorded"),
        Property(
            "record-existing", \.recordExisting,
            .choice(
                "SwiftOdtRecordExisting",
                (.refuse, "refuse", "Error; the file is not changed"),
                (.resume, "resume", "Continue an unfinished recording of the same video and settings"),
                (.replace, "replace", "Replace the recording")),
            .ready, "Record existing",
            "What to do if the file record-detections already exists"),
        Property(
            structure: "stats", "Statistics", "Counters and processing times"),
    ]
}
