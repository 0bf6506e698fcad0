import CGStreamer
import SwiftODT

/// What is drawn on one frame.
struct FrameDrawing {
    let objects: [AnnotatedObject]
    let zones: [AnnotatedZone]
    let inferenceRegions: [AnnotatedRegion]
    /// The boxes of tracks to redact.
    let redacted: [Box]
    /// The frame's number in the ``RedactionTracker``; `nil` if it is not redacted.
    let redactionNumber: Int?
    /// Whether a new epoch begins, which resets all drawing state, or a new scene, which resets the traces.
    let beginsEpoch: Bool
    let beginsScene: Bool
}

/// Determines what is drawn on each frame, and draws it. Drawing may be some frames behind, because later frames
/// complete the redaction of earlier ones.
final class FrameDrawer {
    private let element: ElementHandle
    private let statistics: Statistics
    private let annotator = Annotator()
    private let buffers = DrawingBufferPool()
    private let redaction = RedactionTracker(options: Settings().redaction)
    /// Whether the previous frame was redacted.
    private var hasRedacted = false
    private var labelValues = LabelValueSmoother()
    private var coasting = CoastingDisplayPolicy()
    private var inferenceRegions = RecentInferenceRegions()
    /// The zones as drawn, with the counts in their texts.
    private var annotatedZones: (counts: [ZoneCount], zones: [AnnotatedZone]) = ([], [])
    private var hasWarnedOfDrawing = false

    init(element: ElementHandle, statistics: Statistics) { (self.element, self.statistics) = (element, statistics) }

    /// Starts copying a new frame if it is likely to need a copy; see ``DrawingBufferPool/copyAhead(of:)``.
    func copyAhead(of context: FrameContext) -> FrameCopy? {
        context.settings.draw ? buffers.copyAhead(of: context.buffer) : nil
    }

    // MARK: What is drawn

    func noteInference(on region: InferredRegion?, _ context: FrameContext) {
        guard context.settings.annotator.drawInferenceRegions else { return }
        let region = region ?? InferredRegion(nil, width: context.width, height: context.height)
        inferenceRegions.note(region, at: context.time)
    }

    /// Discards the inference regions of the scene before a cut.
    func noteCut() { inferenceRegions.removeAll() }

    /// Tracks the objects to redact, independently of the reported tracks.
    ///
    /// - Returns: the frame's number in the ``RedactionTracker``; `nil` if it is not redacted.
    func trackRedacted(_ queued: QueuedFrame, answers: [(StartedDetection, [Detection])]) -> Int? {
        defer { hasRedacted = queued.settings.redacts }
        guard queued.settings.redacts else { return nil }
        // Frames that were not redacted were not tracked.
        if !hasRedacted { redaction.beginEpoch() }
        redaction.options = queued.settings.redaction
        redaction.advance(
            to: queued.time, width: queued.context.width, height: queued.context.height, luma: queued.luma)
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
            redactionNumber: redactionNumber, beginsEpoch: context.epochBreak != nil, beginsScene: scene.isCut)
    }

    /// Returns the zones as drawn. Their texts are formatted again if the counts have changed.
    private func zones(of scene: Scene) -> [AnnotatedZone] {
        let counts = scene.zoneCounts
        if annotatedZones.counts != counts || annotatedZones.zones.count != scene.zones.count {
            let zones = scene.zones.map { zone in AnnotatedZone(zone, count: counts.first { $0.name == zone.name }) }
            annotatedZones = (counts, zones)
        }
        return annotatedZones.zones
    }

    // MARK: Drawing

    /// Draws on a frame.
    ///
    /// - Parameter buffer: the frame's buffer, owned by the caller in any case. A writable copy replaces it if
    ///   necessary.
    /// - Throws: an error if a frame that requires redaction is not writable.
    func draw(_ drawing: FrameDrawing, on queued: QueuedFrame, into buffer: inout UnsafeMutablePointer<GstBuffer>)
        throws
    {
        buffers.passFrame()
        if drawing.beginsEpoch { annotator.reset() }
        if drawing.beginsScene { annotator.forgetTraces() }
        let (settings, context) = (queued.settings, queued.context)
        var options = settings.annotator
        options.classifies = settings.scene.classify
        guard settings.draw else { return }
        let hidden = redactedBoxes(in: drawing, context)
        guard
            annotator.needsDrawing(
                drawing.objects, hiding: hidden, zones: drawing.zones, inferenceRegions: drawing.inferenceRegions,
                options: options, width: context.width, height: context.height, time: queued.time)
        else { return }
        buffer = GstBufferReference.makeWritable(buffer)
        if DrawingBufferPool.isNeeded(for: buffer) {
            if let copy = queued.copy {
                buffers.put(copy, into: buffer)
            } else {
                statistics.time(.copy) { buffers.copyBytes(of: buffer) }
            }
        }
        let isInterlaced = context.format.isInterlaced(buffer)
        let isMapped: Void? = context.format.withFrame(
            of: buffer, writable: true, orientation: context.orientation, time: queued.time
        ) {
            annotator.draw(
                drawing.objects, hiding: hidden, zones: drawing.zones, inferenceRegions: drawing.inferenceRegions,
                options: options, into: $0, interlaced: isInterlaced)
        }
        if isMapped == nil {
            guard hidden.isEmpty || !settings.privacyStrict else { throw Self.unwritable }
            return warnOfDrawing()
        }
        if !hidden.isEmpty { statistics.update { $0.redacted += UInt64(hidden.count) } }
        guard element.isLogging(.trace) else { return }
        for label in annotator.placedLabels { element.log(.trace, label.summary) }
    }

    /// Returns the boxes to redact in a frame, without duplicates, boxes inside others, and boxes outside the picture.
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

    /// Discards what is known of the objects of the past epoch. Frames of that epoch may still be drawn.
    func endEpoch() {
        hasWarnedOfDrawing = false
        redaction.beginEpoch()
        labelValues.reset()
        coasting.reset()
        inferenceRegions.removeAll()
    }

    /// Discards the drawing state at a flush, after which no frame of the past epoch is drawn.
    func reset() { annotator.reset() }

    /// Discards the redaction of frames that will not be drawn.
    func forgetHeld() { redaction.removeAll() }
}

extension AnnotatedObject {
    init(_ object: SceneObject) {
        let track = object.track
        self.init(
            id: track.id, box: track.box, label: track.label?.text ?? "", category: object.category,
            confidence: object.confidence, score: track.score, coasting: track.state == .coasting,
            prominent: object.isProminent)
    }
}
