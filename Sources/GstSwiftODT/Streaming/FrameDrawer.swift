import CODTGStreamer
import SwiftODT

struct FrameDrawing {
    let objects: [AnnotatedObject]
    let zones: [AnnotatedZone]
    let inferenceRegions: [AnnotatedRegion]
    let redacted: [Box]
    /// The number of the frame in the ``RedactionTracker``. `nil` if the frame is not redacted.
    let redactionNumber: Int?
    /// Whether the frame is the first one after a scene cut. The traces are then removed.
    let beginsScene: Bool
}

/// Determines the content that is drawn on each frame, and draws it. Frames may be drawn on with a delay of several
/// frames, because detections in later frames can add boxes to redact.
final class FrameDrawer {
    private let element: ElementHandle
    private let statistics: Statistics
    private var annotator = Annotator()
    private let buffers = DrawingBufferPool()
    private let redaction = RedactionTracker(options: Settings().redaction)
    private var hasRedacted = false
    private var labelValues = LabelValueSmoother()
    private var coasting = CoastingDisplayPolicy()
    private var inferenceRegions = RecentInferenceRegions()
    /// The drawn zones (`zones`), and the counts that their texts contain (`counts`).
    private var annotatedZones: (counts: [ZoneCount], zones: [AnnotatedZone]) = ([], [])
    private var hasWarnedOfDrawing = false
    /// Whether overlays are attached instead of being blended into the frames.
    var attachesOverlay = false

    init(element: ElementHandle, statistics: Statistics) { (self.element, self.statistics) = (element, statistics) }

    func copyAhead(of context: FrameContext) -> FrameCopy? {
        context.settings.draw && (!attachesOverlay || context.settings.redacts)
            ? buffers.copyAhead(of: context.buffer) : nil
    }

    // MARK: What is drawn

    func noteInference(on region: InferredRegion?, _ context: FrameContext) {
        guard context.settings.annotator.drawInferenceRegions else { return }
        let region = region ?? InferredRegion(nil, width: context.width, height: context.height)
        inferenceRegions.note(region, at: context.time)
    }

    func noteCut() { inferenceRegions = RecentInferenceRegions() }

    /// Tracks the objects to redact, independently of the reported tracks. Returns the number of the frame in the
    /// ``RedactionTracker``; `nil` if the frame is not redacted.
    func trackRedacted(_ context: FrameContext, answers: [(StartedDetection, [Detection])]) -> Int? {
        defer { hasRedacted = context.settings.redacts }
        guard context.settings.redacts else { return nil }
        // The preceding frames were not redacted and did not update the redaction tracker, so its tracks are outdated.
        if !hasRedacted { redaction.beginEpoch() }
        redaction.options = context.settings.redaction
        redaction.advance(to: context.time, width: context.width, height: context.height, luma: context.luma)
        for (answer, detections) in answers {
            redaction.observe(detections, seenAt: answer.time, region: answer.region)
        }
        return redaction.endFrame()
    }

    func drawing(
        of objects: [SceneObject], in scene: Scene, _ context: FrameContext, redactionNumber: Int?
    ) -> FrameDrawing {
        let (settings, options) = (context.settings, context.settings.annotator)
        var drawn = objects.filter { $0.track.state != .lost }.map(AnnotatedObject.init)
        labelValues.smooth(&drawn, threshold: settings.scene.tracker.scoreThreshold, at: context.time)
        coasting.filter(&drawn, as: options.drawCoasting, at: context.time)
        return FrameDrawing(
            objects: drawn, zones: settings.draw && options.drawZones ? zones(of: scene) : [],
            inferenceRegions: settings.draw && options.drawInferenceRegions
                ? inferenceRegions.drawn(at: context.time) : [],
            redacted: settings.redacts ? scene.places(of: options.privacyLabels) : [],
            redactionNumber: redactionNumber, beginsScene: scene.isCut)
    }

    private func zones(of scene: Scene) -> [AnnotatedZone] {
        let counts = scene.zoneCounts
        if annotatedZones.counts != counts || annotatedZones.zones.count != scene.zones.count {
            let zones = scene.zones.map { zone in AnnotatedZone(zone, count: counts.first { $0.name == zone.name }) }
            annotatedZones = (counts, zones)
        }
        return annotatedZones.zones
    }

    // MARK: Drawing

    /// - Parameter buffer: the buffer of the frame. The caller owns it before and after the call. The function replaces
    ///   it by a writable copy if necessary.
    /// - Throws: an error if a frame that requires redaction is not writable, or if a frame in device memory would have
    ///   to be drawn on.
    func draw(_ drawing: FrameDrawing, on context: FrameContext, into buffer: inout UnsafeMutablePointer<GstBuffer>)
        throws
    {
        buffers.passFrame()
        if context.epochBreak != nil { annotator = Annotator() }
        if drawing.beginsScene { annotator.forgetTraces() }
        let settings = context.settings
        var options = settings.annotator
        options.classifies = settings.scene.classify
        guard settings.draw else { return }
        if let memory = context.format.deviceMemory, !attachesOverlay { throw Self.undrawable(memory) }
        let hidden = redactedBoxes(in: drawing, context)
        guard
            annotator.needsDrawing(
                drawing.objects, hiding: hidden, zones: drawing.zones, inferenceRegions: drawing.inferenceRegions,
                options: options, width: context.width, height: context.height, time: context.time)
        else { return }
        buffer = GstBufferReference.makeWritable(buffer)
        let (isInterlaced, mayInterlace) = (context.format.isInterlaced(buffer), context.format.mayInterlace)
        if attachesOverlay {
            annotator.attach(
                drawing.objects, zones: drawing.zones, inferenceRegions: drawing.inferenceRegions, options: options,
                to: buffer,
                canvas: Canvas(
                    overlayOn: context.format, orientation: context.orientation, interlaced: mayInterlace),
                time: context.time)
            // Redaction is written into the pixels even if everything else is an overlay. A downstream element could
            // omit an overlay.
            guard !hidden.isEmpty else { return logLabels() }
        }
        if DrawingBufferPool.isNeeded(for: buffer) {
            if let copy = context.copy {
                buffers.put(copy, into: buffer)
            } else {
                statistics.time(.copy) { buffers.copyBytes(of: buffer) }
            }
        }
        let isMapped: Void? = context.format.withFrame(
            of: buffer, writable: true, orientation: context.orientation, time: context.time
        ) {
            guard !attachesOverlay else { return annotator.redact(hidden, options: options, in: $0) }
            annotator.draw(
                drawing.objects, hiding: hidden, zones: drawing.zones, inferenceRegions: drawing.inferenceRegions,
                options: options, into: $0, interlaced: isInterlaced, mayInterlace: mayInterlace)
        }
        if isMapped == nil {
            guard hidden.isEmpty || !settings.privacyStrict else { throw Self.unwritable }
            return warnOfDrawing()
        }
        if !hidden.isEmpty { statistics.update { $0.redacted += UInt64(hidden.count) } }
        logLabels()
    }

    private func logLabels() {
        guard element.isLogging(.trace) else { return }
        for label in annotator.placedLabels { element.log(.trace, label.summary) }
    }

    /// Omits boxes inside other boxes and boxes outside the picture.
    private func redactedBoxes(in drawing: FrameDrawing, _ context: FrameContext) -> [Box] {
        guard let number = drawing.redactionNumber else { return [] }
        let all = (redaction.places(ofFrame: number) + drawing.redacted)
            .filter { !Redaction.room(of: $0, width: context.width, height: context.height).isEmpty }
            .sorted { $0.area > $1.area }
        var kept: [Box] = []
        for box in all where !kept.contains(where: { $0.contains(box, within: 0.5) }) { kept.append(box) }
        return kept
    }

    private static let unwritable = ODTError(
        .unsupported,
        "cannot redact a frame, because its memory cannot be written to; put videoconvert before swiftodt "
            + "(privacy-strict=false makes this a warning)")

    private static func undrawable(_ memory: String) -> ODTError {
        ODTError(
            .unsupported,
            "cannot draw into frames of type \(memory), and no element downstream blends overlays; set draw=false or "
                + "draw-mode=overlay, or put \(CapsRefusal.remedy(for: memory)) before swiftodt")
    }

    private func warnOfDrawing() {
        statistics.update { $0.unwritable += 1 }
        guard !hasWarnedOfDrawing else { return }
        hasWarnedOfDrawing = true
        element.warn(
            .resource(
                GST_RESOURCE_ERROR_WRITE,
                "a frame's memory cannot be written to, so nothing is drawn on it; put videoconvert before swiftodt, or set "
                    + "draw=false and draw from its messages or metadata"))
    }

    // MARK: Epochs

    /// Frames of the past epoch may still be drawn on after this call.
    func endEpoch() {
        redaction.beginEpoch()
        labelValues = LabelValueSmoother()
        coasting = CoastingDisplayPolicy()
        inferenceRegions = RecentInferenceRegions()
    }

    /// Called at a flush. No frame of the past epoch is drawn on afterwards.
    func reset() { annotator = Annotator() }

    /// Called when the held frames have been dropped.
    func forgetHeld() { redaction.removeAll() }
}

extension AnnotatedObject {
    init(_ object: SceneObject) {
        let track = object.track
        self.init(
            id: track.id, box: track.box, label: track.label?.text ?? "", category: object.category,
            classifierLabel: object.classifierLabel?.label.text,
            confidence: object.classifierLabel?.score ?? object.confidence, score: track.score,
            coasting: track.state == .coasting,
            prominent: object.isProminent)
    }
}
