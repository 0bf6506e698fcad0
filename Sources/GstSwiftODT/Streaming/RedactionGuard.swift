import CODTGStreamer
import GstFrames
import SwiftODT

/// Makes redaction fail closed: if redaction is requested but cannot be guaranteed, the stream ends with an error
/// before an unredacted frame passes. With `privacy-strict=false`, a warning is posted instead.
///
/// ``check(_:_:)`` is called before each frame, because properties and the detector can change between frames. The
/// conditions are evaluated again only after such a change.
struct RedactionGuard {
    /// The properties on which the result of the check depends, in addition to the detector.
    private struct Request: Equatable {
        let labels: Set<String>
        let style: AnnotatorOptions.BoxStyle
        let isDrawn: Bool
        let isStrict: Bool
    }

    private let element: ElementHandle
    private var checked: Request?
    private var warned: Set<String> = []
    private var hasUpstreamMetadata = false
    /// Whether another `swiftodt` element upstream attaches metadata in this stream. It may begin while playing.
    private var followsOther = false
    /// The labels of detections so far, normalised (`String.normalisedLabel`). They are collected only if the source has
    /// no list of labels.
    private var seenLabels: Set<String> = []
    /// The latest warning of ``finishStream()``.
    private var latestWarning: String?
    /// Whether the scene has had a result. Before the first one, the full picture is redacted.
    private var hasResult = false
    private var latestTime: Nanoseconds?
    /// The time since the latest frame with an inference, without gaps in the stream.
    private var withoutInference: Nanoseconds = 0

    init(_ element: ElementHandle) { self.element = element }

    /// Called after the detector has been replaced.
    mutating func noteSource() { checked = nil }

    /// Whether the latest settings requested redaction.
    var isRequested: Bool { checked != nil }

    /// - Parameter source: the source of detections. `nil` while it is being loaded.
    /// - Throws: ``ODTError`` that names the remedy.
    mutating func check(_ settings: Settings, _ source: DetectionSource?) throws {
        guard settings.requestsRedaction else {
            checked = nil
            return
        }
        let request = Request(
            labels: settings.annotator.privacyLabels, style: settings.annotator.boxStyle, isDrawn: settings.draw,
            isStrict: settings.privacyStrict)
        guard checked != request else { return }
        if let fault = Self.fault(settings, source) { try fail(fault, settings) }
        checked = request
    }

    /// - Parameter fault: the problem and the remedy.
    /// - Throws: an error, unless `privacy-strict=false`. In that case, posts one warning instead.
    mutating func fail(_ fault: String, _ settings: Settings) throws {
        let problem = try settings.redactionProblem(fault)
        // The number of stored texts is limited, because a program may set another invalid value with every frame.
        guard warned.count < 100, warned.insert(fault).inserted else { return }
        element.warn(problem)
    }

    /// Checks the detections of a result. Called before the frame is drawn.
    ///
    /// - Throws: ``ODTError`` if a detection to redact has an invalid box, if there are more of them than tracks, or if a
    ///   name in `privacy-labels` is probably wrong. A name is probably wrong if no detection has had it and a detection
    ///   has a similar label. If no listed name for people was seen, another word for people is also similar, from
    ///   `privacy-threshold` on. Names are checked only if the source has no list of labels.
    mutating func check(_ detections: [Detection], _ settings: Settings, _ source: DetectionSource?) throws {
        guard let requested = checked?.labels, settings.requestsRedaction else { return }
        let options = settings.redaction
        func isRedacted(_ detection: Detection) -> Bool {
            detection.score >= options.threshold && options.mayNeedRedaction(detection.label)
        }
        if detections.contains(where: { !($0.box.width >= 0 && $0.box.height >= 0) && isRedacted($0) }) {
            try fail(Self.invalidBox, settings)
        }
        let limit = Self.maximumObjects
        if options.follows, detections.count > limit, detections.count(where: isRedacted) > limit {
            try fail(Self.tooMany, settings)
        }
        guard source?.labels == nil else { return }
        let found = Set(detections.compactMap { $0.label?.text.normalisedLabel }).subtracting([""])
        // The number of stored labels is limited, because an upstream element may send another label with every
        // detection.
        let capacity = max(0, Self.maximumSeenLabels - seenLabels.count)
        let added = found.subtracting(seenLabels).sorted().prefix(capacity)
        seenLabels.formUnion(found.intersection(requested))
        seenLabels.formUnion(added)
        for label in added where !requested.contains(label) {
            guard let wrong = unseenLabels.first(where: { Self.isSimilar($0, to: label) }) else { continue }
            try reportWrongName(wrong, found: label, settings)
        }
        let people = Self.peopleLabels.intersection(requested)
        guard let wrong = people.min(), seenLabels.isDisjoint(with: people) else { return }
        for detection in detections where detection.score >= options.threshold {
            guard let label = detection.label?.text.normalisedLabel, Self.otherPeopleLabels.contains(label),
                !requested.contains(label)
            else { continue }
            try reportWrongName(wrong, found: label, settings)
        }
    }

    private mutating func reportWrongName(_ wrong: String, found label: String, _ settings: Settings) throws {
        try fail(
            "privacy-labels names '\(wrong)', which no detection has had, but a detection has the label '\(label)'; "
                + "add '\(label)' to privacy-labels, or correct '\(wrong)'",
            settings)
    }

    /// Returns whether a name in `privacy-labels` probably stands for the label of a detection. A name that is no class
    /// name of COCO is similar to labels within two edits. Other objects have names close to those of COCO (`boat`,
    /// `book`), so a class name of COCO is similar only to its plural, to other separators (`cell_phone`), and to itself
    /// with a number (`car_1`). A word for people is also similar to misspellings (`persn`), and `person` to itself with
    /// any suffix after a separator (`person-male`).
    private static func isSimilar(_ name: String, to label: String) -> Bool {
        let isUsual = usualLabels.contains(name)
        if !isUsual || peopleLabels.contains(name), nearestName(to: name, in: [label], within: 2) != nil { return true }
        guard isUsual else { return false }
        let (letters, labelLetters) = (name.filter(\.isLetter), label.filter { $0.isLetter || $0.isNumber })
        if [letters, letters + "s", letters + "es"].contains(labelLetters) { return true }
        guard label.hasPrefix(name) else { return false }
        let rest = label.dropFirst(name.count)
        return peopleLabels.contains(name) ? rest.first?.isLetter == false : !rest.contains(where: \.isLetter)
    }

    /// Labels that different detectors use for all people.
    private static let peopleLabels: Set = ["person", "people", "pedestrian", "pedestrians", "human", "humans"]
    /// Labels that detectors use for all or some people.
    private static let otherPeopleLabels = peopleLabels.union(["man", "woman", "child", "boy", "girl"])

    /// Called after inference on the frame was started, or was not due. Adaptive inference also runs at every motion, so
    /// it is checked only while an inference is pending.
    ///
    /// - Throws: ``ODTError`` if no inference has started for too long, because new objects stay visible.
    mutating func check(_ frame: FrameContext, isInferred: Bool, isPending: Bool) throws {
        var isAnswered = !frame.answers.isEmpty
        if case .answered = frame.precomputed { isAnswered = true }
        if frame.beginsEpoch { (hasResult, withoutInference) = (false, 0) }
        hasResult = hasResult || isAnswered
        let step = latestTime.map { max(0, frame.time.since($0)) } ?? 0
        latestTime = frame.time
        guard frame.settings.redacts, frame.intervalPolicy != .auto || isPending, hasResult, !isInferred, !isAnswered
        else {
            return withoutInference = 0
        }
        withoutInference += min(step, Self.longestStep)
        // If the frame rate is known, the fault is found before an object has been visible.
        var interval = withoutInference
        if case .every(let frames) = frame.intervalPolicy, let duration = frame.format.frameDuration {
            interval = max(interval, duration.times(frames))
        }
        guard interval > Self.longestTimeWithoutInference else { return }
        try fail(
            "redaction is requested, but "
                + (isPending
                    ? "an inference takes more than 5 s, so new objects stay visible; use a faster model or device"
                    : "inference runs less often than every 5 s, so new objects stay visible; set a smaller "
                        + "inference-interval"),
            frame.settings)
    }

    private static let longestTimeWithoutInference: Nanoseconds = 5_000_000_000
    /// The upper limit of the time between two frames. In a gap of the stream, no frame shows an object.
    private static let longestStep: Nanoseconds = 1_000_000_000

    /// Warns at the end of a stream if a label in `privacy-labels` may be misspelt or wrong. This is the case if no
    /// detection had the label and it is no class name of COCO, or if no detection had any label of the list. The same
    /// warning is posted once.
    mutating func finishStream() {
        guard let labels = checked?.labels.sorted(), !seenLabels.isEmpty,
            let label = unseenLabels.first(where: { !Self.usualLabels.contains($0) })
                ?? (seenLabels.isDisjoint(with: labels) ? labels.first : nil)
        else { return }
        let warning =
            "privacy-labels names '\(label)', but no detection had this label, so nothing was redacted for it; "
            + "detections had the labels \(seenLabels.sorted().prefix(8).joined(separator: ", "))"
        guard warning != latestWarning else { return }
        latestWarning = warning
        element.warn(.settings(warning))
    }

    /// The detector of an earlier stream may be absent from the next one.
    mutating func beginStream() { (hasUpstreamMetadata, followsOther) = (false, false) }

    /// Returns whether redaction is requested, but neither this frame nor an earlier one of the stream had metadata that
    /// can describe objects. In this case, there may be no detector upstream.
    mutating func awaitsUpstreamMetadata(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        guard isRequested, !hasUpstreamMetadata else { return false }
        hasUpstreamMetadata = UpstreamObject.describesObjects(buffer)
        return !hasUpstreamMetadata
    }

    private static let maximumSeenLabels = 1000

    /// The labels in `privacy-labels` that no detection has had. Labels of up to three letters are omitted, because
    /// another label may be similar by chance, unless the stricter rule for COCO applies.
    private var unseenLabels: [String] {
        (checked?.labels ?? []).sorted().filter {
            ($0.count > 3 || Self.usualLabels.contains($0)) && !seenLabels.contains($0)
        }
    }

    private static let usualLabels = Set(COCOVocabulary.names.map { $0.lowercased() })

    private static func unknownGroup(_ group: String) -> String {
        "there is no label group \(group), which privacy-labels names; there are "
            + LabelGroups.standard.keys.sorted().map { "\(LabelGroups.mark)\($0)" }.joined(separator: ", ")
    }

    /// Returns the fault if a part of the frame would not be redacted.
    mutating func fault(
        _ format: StreamFormat, _ buffer: UnsafeMutablePointer<GstBuffer>, _ source: DetectionSource?
    ) -> String? {
        if format.hasSeparateViews { return Self.separateViews }
        if gst_buffer_get_meta(buffer, gst_video_crop_meta_api_get_type()) != nil { return Self.cropped }
        guard case .upstream = source else { return nil }
        // With some values of `attach-meta`, the metadata does not show which element attached it.
        followsOther = followsOther || UpstreamElements.containOther(before: element)
        return followsOther || CustomMeta.isAttached(to: buffer) ? Self.reportedOnly : nil
    }

    /// The tracks of the remaining objects would be missing in frames without inference.
    private static let maximumObjects = TrackerOptions().maxTracks

    private static let tooMany =
        "redaction is requested, but a frame has more than \(maximumObjects) objects to redact, so some stay visible in "
        + "frames without inference; set mode=single-image, which infers every frame"

    private static let invalidBox =
        "redaction is requested, but a detection has a box of negative width or height, so its object can stay visible; "
        + "correct the element that attaches the box"

    private static let cropped =
        "redaction is requested, but a frame has crop metadata, so another part of its memory is shown than the part that is "
        + "redacted; put videoconvert before swiftodt"

    private static let reportedOnly =
        "redaction is requested, but another swiftodt upstream attaches only the objects that it reports; redact with that "
        + "element"

    private static let separateViews =
        "redaction is requested, but the views of this stream are separate pictures (multiview-mode=separated or "
        + "frame-by-frame), and inference does not run on all of them; put glviewconvert before swiftodt, or split the views"

    static let unmapped =
        "redaction is requested, but a frame's memory cannot be mapped as described by its caps, so nothing can be detected in "
        + "it; put videoconvert before swiftodt, or an element that downloads the frames from device memory"

    private static func fault(_ settings: Settings, _ source: DetectionSource?) -> String? {
        let labels = settings.annotator.privacyLabels.sorted()
        let request =
            labels.isEmpty
            ? "box-style=\(settings.annotator.boxStyle)" : "privacy-labels=\(DetectionFilter.list(of: labels))"
        if settings.annotator.boxStyle.redaction == nil {
            return
                "\(request) redacts nothing with box-style=\(settings.annotator.boxStyle); set box-style=blur or pixelate, or "
                + "clear privacy-labels"
        }
        if !settings.draw { return "\(request) redacts nothing with draw=false; set draw=true" }
        if source?.isSubstitute == true {
            return
                "\(request) cannot be guaranteed: detector=auto has found no network and detects only moving objects; install "
                + "runtime and model (odt setup, or Pipelines/setup), or set detector=motion and clear privacy-labels"
        }
        if labels.isEmpty { return nil }
        switch settings.detector {
        case .motion, .salient:
            return
                "\(request) redacts nothing with detector=\(settings.detector), which has no labels; set detector=neural, or "
                + "clear privacy-labels to redact all detected objects"
        // Upstream elements have no list of possible labels. Recordings have one if they state it, and tensors if a label
        // file or a model is given. Label groups that exist have already been replaced by their labels.
        case .upstream, .recorded, .tensors:
            // The detector can define further groups.
            guard let source else { return nil }
            let fault = labels.first { $0.first == LabelGroups.mark }.map(Self.unknownGroup)
            if fault != nil || source.labels == nil { return fault }
        case .auto, .neural: break
        }
        guard let source else { return nil }
        guard let known = source.labels else {
            return
                "\(request) cannot be guaranteed: the detector has no class names; set label-file to a file with them"
        }
        let names = Set(known.map(\.normalisedLabel))
        return labels.first { !names.contains($0) }.map { unknown in
            "the detector has no label '\(unknown)', which privacy-labels names; "
                + (spellingSuggestion(for: unknown, in: known)
                    ?? "it has " + known.prefix(8).joined(separator: ", ")
                    + (known.count > 8 ? " and \(known.count - 8) more" : ""))
        }
    }
}

extension Settings {
    /// Returns the warning that redaction cannot be guaranteed. Throws ``ODTError`` instead, unless
    /// `privacy-strict=false`.
    func redactionProblem(_ fault: String) throws(ODTError) -> ElementProblem {
        guard privacyStrict else { return .settings(fault) }
        throw ODTError(.redactionNotGuaranteed, "\(fault) (privacy-strict=false makes this a warning)")
    }
}
