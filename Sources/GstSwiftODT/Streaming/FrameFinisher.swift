import CGStreamer
import SwiftODT

/// Processes a frame whose detections are complete: tracking, classification, drawing, metadata and messages.
final class FrameFinisher {
    private let element: ElementHandle
    private let statistics: Statistics
    private let reporter: BusReporter
    private let annotator = Annotator()
    private let drawingBuffers = DrawingBufferPool()
    private var labelValues = LabelValueSmoother()
    private var coasting = CoastingDisplayPolicy()
    private var inferenceRegions = RecentInferenceRegions()
    private let scene = Scene()
    private let redaction = RedactionTracker(options: Settings().redaction)
    /// Whether the previous frame was redacted.
    private var hasRedacted = false
    private var classifiers: ClassifierLoader
    private var salient: SalientDetectorLoader
    private let recorder: DetectionRecorder?
    private var hasWarnedOfDrawing = false
    private var hasWarnedOfLeftOut = false
    /// The zones as drawn, with the counts in their texts.
    private var annotatedZones: (counts: [ZoneCount], zones: [AnnotatedZone]) = ([], [])

    private var trail = TimestampMap()
    private var epoch: UInt32 = 0
    private var lastAnswer: StartedDetection?
    private var lastReport: Report?
    private var lastSettings = Settings()

    /// - Parameters:
    ///   - salient: detects the prominent object in a picture in which the detector finds nothing.
    ///   - recorder: records the detections.
    init(element: ElementHandle, statistics: Statistics, salient: SalientDetectorLoader, recorder: DetectionRecorder?) {
        self.element = element
        self.salient = salient
        self.statistics = statistics
        self.recorder = recorder
        reporter = BusReporter(element: element)
        classifiers = ClassifierLoader(element: element)
    }

    /// Reads the zones and loads the classifier and the saliency network, if enabled, before the first frame.
    func prepare(_ settings: Settings) throws {
        scene.zones = try settings.zones.map(Zone.list(named:)) ?? []
        try classifiers.make(settings)
        try salient.make(settings)
    }

    /// Runs all stages on a frame.
    ///
    /// - Parameters:
    ///   - answers: the finished detections assigned to this frame.
    ///   - buffer: the frame's buffer, owned by the caller in any case. A writable copy replaces it if necessary.
    /// - Throws: an error if the classifier or the saliency network fails, or if a frame that requires redaction is not
    ///   writable; `CancellationError` when flushing or stopping begins.
    func finish(
        _ queued: QueuedFrame, answers: [(StartedDetection, [Detection])],
        buffer: inout UnsafeMutablePointer<GstBuffer>
    ) throws {
        let processed = try process(queued, answers: answers, posts: false)
        try statistics.time(.draw) { try draw(processed, into: &buffer) }
        statistics.time(.report) {
            attach(processed.report, to: &buffer, settings: queued.settings)
            post(processed.report, isResult: !answers.isEmpty, of: queued)
        }
    }

    /// Runs all stages up to the results.
    ///
    /// - Parameter posts: whether the results are posted.
    func process(
        _ queued: QueuedFrame, answers: [(StartedDetection, [Detection])], posts: Bool
    ) throws -> ProcessedFrame {
        let (settings, format) = (queued.settings, queued.format)
        if let reason = queued.epochBreak { endEpoch(reason) }
        if queued.resetsTracks {
            element.log(.debug, "all tracks end because of reset-tracks")
            endTracks(.flush)
        }
        try classifiers.adapt(to: settings, in: scene)
        try salient.adapt(to: settings)
        recorder?.take(queued.key, answers)
        let redactionNumber = statistics.time(.track) {
            follow(queued, answers: answers, format: format)
            return followRedacted(queued, answers: answers, format: format)
        }
        try findProminent(in: queued, format: format)
        let objects = try statistics.time(.classify) { try describe(queued, format: format) }
        let rejections = scene.takeRejections()
        note(answers, rejections)

        let report = report(of: objects, rejections, in: queued, format: format)
        log(report, answers)
        explain(report, rejections, queued.settings)
        let processed = processed(queued, objects, report, redactionNumber)
        if posts { statistics.time(.report) { post(report, isResult: !answers.isEmpty, of: queued) } }
        return processed
    }

    /// Draws on a processed frame and attaches its metadata, after later frames have completed its redaction.
    ///
    /// - Parameter buffer: the frame's buffer, as in ``finish(_:answers:buffer:)``.
    /// - Throws: an error if a frame that requires redaction is not writable.
    func complete(_ frame: ProcessedFrame, buffer: inout UnsafeMutablePointer<GstBuffer>) throws {
        try statistics.time(.draw) { try draw(frame, into: &buffer) }
        statistics.time(.report) { attach(frame.report, to: &buffer, settings: frame.queued.settings) }
    }

    /// Discards the redaction of processed frames that will not be completed.
    func forgetHeld() { redaction.removeAll() }

    /// Starts copying a new frame if it is likely to need a copy; see ``DrawingBufferPool/copyAhead(of:)``.
    func copyAhead(of buffer: UnsafeMutablePointer<GstBuffer>, _ settings: Settings) -> FrameCopy? {
        settings.draw ? drawingBuffers.copyAhead(of: buffer) : nil
    }

    /// Returns the state of all tracks after the latest frame.
    func snapshot() -> TrackerSnapshot? { scene.snapshot() }

    // MARK: Stages

    private func follow(_ queued: QueuedFrame, answers: [(StartedDetection, [Detection])], format: StreamFormat) {
        trail.note(queued.times.timestamp, at: queued.time)
        scene.options = queued.settings.sceneBesideDetector
        scene.advance(
            to: queued.time, width: format.width, height: format.height, orientation: queued.orientation,
            luma: queued.luma)
        if scene.isCut {
            element.log(.debug, "scene cut at \(queued.times): all tracks end")
            inferenceRegions.removeAll()
        }
        let floor = queued.settings.scene.scoreFloor
        for (answer, detections) in answers {
            // Redaction may have requested detections with lower scores.
            let detections = queued.settings.redacts ? detections.filter { $0.score >= floor } : detections
            scene.observe(detections, seenAt: answer.time, region: answer.region)
            lastAnswer = answer
            if queued.settings.annotator.drawInferenceRegions {
                inferenceRegions.note(
                    answer.region ?? InferredRegion(nil, width: format.width, height: format.height), at: queued.time)
            }
        }
    }

    /// Tracks the objects to redact, independently of the reported tracks.
    ///
    /// - Returns: the frame's number in the ``RedactionTracker``; `nil` if it is not redacted.
    private func followRedacted(
        _ queued: QueuedFrame, answers: [(StartedDetection, [Detection])], format: StreamFormat
    ) -> Int? {
        defer { hasRedacted = queued.settings.redacts }
        guard queued.settings.redacts else { return nil }
        // Frames that were not redacted were not tracked.
        if !hasRedacted { redaction.beginEpoch() }
        redaction.options = queued.settings.redaction
        redaction.advance(to: queued.time, width: format.width, height: format.height, luma: queued.luma)
        for (answer, detections) in answers {
            redaction.observe(detections, seenAt: answer.time, region: answer.region)
        }
        return redaction.endFrame()
    }

    /// Detects prominent objects in a picture in which the detector finds nothing.
    private func findProminent(in queued: QueuedFrame, format: StreamFormat) throws {
        guard scene.wantsProminent else { return }
        var detections: [Detection] = []
        try format.withFrame(of: queued.buffer, orientation: queued.orientation, time: queued.time) { frame in
            detections = try statistics.time(.wait) {
                try salient.detections(in: frame, of: queued.buffer, settings: queued.settings)
            }
        }
        scene.observeProminent(detections)
    }

    private func describe(_ queued: QueuedFrame, format: StreamFormat) throws -> [SceneObject] {
        guard queued.settings.scene.classify else { return try scene.objects(in: nil) }
        var objects: [SceneObject]?
        try format.withFrame(of: queued.buffer, orientation: queued.orientation, time: queued.time) { frame in
            objects = try scene.objects(in: frame, waiting: queued.waits)
        }
        return try objects ?? scene.objects(in: nil)
    }

    private func processed(
        _ queued: QueuedFrame, _ objects: [SceneObject], _ report: Report, _ redactionNumber: Int?
    ) -> ProcessedFrame {
        let options = queued.settings.annotator
        var drawn = objects.filter { $0.track.state != .lost }.map(AnnotatedObject.init)
        labelValues.smooth(&drawn, threshold: queued.settings.scene.tracker.scoreThreshold, at: queued.time)
        coasting.filter(&drawn, as: options.drawCoasting, at: queued.time)
        let draws = queued.settings.draw
        if draws, options.drawZones { annotateZones() }
        return ProcessedFrame(
            queued: queued, report: report, objects: drawn,
            zones: draws && options.drawZones ? annotatedZones.zones : [],
            inferenceRegions: draws && options.drawInferenceRegions ? inferenceRegions.drawn(at: queued.time) : [],
            redacted: queued.settings.redacts ? scene.places(of: options.privacyLabels) : [],
            redactionNumber: redactionNumber, beginsEpoch: queued.epochBreak != nil, beginsScene: scene.isCut)
    }

    private func draw(_ frame: ProcessedFrame, into buffer: inout UnsafeMutablePointer<GstBuffer>) throws {
        drawingBuffers.passFrame()
        if frame.beginsEpoch { annotator.reset() }
        if frame.beginsScene { annotator.forgetTraces() }
        let (queued, format) = (frame.queued, frame.queued.format)
        var options = queued.settings.annotator
        options.classifies = queued.settings.scene.classify
        guard queued.settings.draw else { return }
        let hidden = redactedBoxes(in: frame)
        guard
            annotator.needsDrawing(
                frame.objects, hiding: hidden, zones: frame.zones, inferenceRegions: frame.inferenceRegions,
                options: options,
                width: format.width, height: format.height, time: queued.time)
        else { return }
        buffer = GstBufferReference.makeWritable(buffer)
        if DrawingBufferPool.isNeeded(for: buffer) {
            if let copy = queued.copy {
                drawingBuffers.put(copy, into: buffer)
            } else {
                statistics.time(.copy) { drawingBuffers.copyBytes(of: buffer) }
            }
        }
        let isInterlaced = format.isInterlaced(buffer)
        let isMapped: Void? = format.withFrame(
            of: buffer, writable: true, orientation: queued.orientation, time: queued.time
        ) {
            annotator.draw(
                frame.objects, hiding: hidden, zones: frame.zones, inferenceRegions: frame.inferenceRegions,
                options: options, into: $0,
                interlaced: isInterlaced)
        }
        if isMapped == nil {
            guard hidden.isEmpty || !queued.settings.privacyStrict else { throw Self.unwritable }
            return warnOfDrawing()
        }
        if !hidden.isEmpty { statistics.update { $0.redacted += UInt64(hidden.count) } }
        guard element.isLogging(.trace) else { return }
        for label in annotator.placedLabels { element.log(.trace, label.summary) }
    }

    /// Returns the boxes to redact in a frame, without duplicates, boxes inside others, and boxes outside the picture.
    private func redactedBoxes(in frame: ProcessedFrame) -> [Box] {
        guard let number = frame.redactionNumber else { return [] }
        let format = frame.queued.format
        let all = (redaction.places(ofFrame: number) + frame.redacted)
            .filter { !Redaction.room(of: $0, width: format.width, height: format.height).isEmpty }
            .sorted { $0.area > $1.area }
        var kept: [Box] = []
        for box in all where !kept.contains(where: { $0.contains(box, within: 0.5) }) { kept.append(box) }
        return kept
    }

    /// Formats the counts of the zones again if they have changed.
    private func annotateZones() {
        let counts = scene.zoneCounts
        guard annotatedZones.counts != counts || annotatedZones.zones.count != scene.zones.count else { return }
        let zones = scene.zones.map { zone in AnnotatedZone(zone, count: counts.first { $0.name == zone.name }) }
        annotatedZones = (counts, zones)
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

    private func attach(_ report: Report, to buffer: inout UnsafeMutablePointer<GstBuffer>, settings: Settings) {
        let replacesRegions = settings.detector == .upstream
        guard !settings.attachMeta.isEmpty || replacesRegions else { return }
        buffer = GstBufferReference.makeWritable(buffer)
        if replacesRegions {
            RegionReader.removeRegions(from: buffer)
            CustomMeta.remove(from: buffer)
        }
        MetadataWriter.attach(report, to: buffer, settings.attachMeta)
    }

    private func post(_ report: Report, isResult: Bool, of queued: QueuedFrame) {
        let settings = queued.settings
        let coalesced = reporter.post(
            report, events: takeEvents(of: report, settings), isResult: isResult, settings: settings, at: queued.time)
        if coalesced > 0 { statistics.update { $0.coalesced += UInt64(coalesced) } }
        lastReport = report
        lastSettings = settings
    }

    private func report(
        of objects: [SceneObject], _ rejections: Rejections, in queued: QueuedFrame, format: StreamFormat
    ) -> Report {
        Report(
            epoch: epoch, times: queued.times, width: format.width, height: format.height,
            orientation: queued.orientation, mode: queued.settings.scene.mode,
            detectionTimestamp: lastAnswer?.timestamp ?? .max,
            detectionLatency: lastAnswer.map { UInt64(clamping: queued.time - $0.time) } ?? .max,
            utcTime: queued.utcTime,
            objects: objects.map { ReportedObject($0, pictureWidth: format.width, pictureHeight: format.height) },
            zones: scene.zoneCounts,
            bestRejected: queued.settings.scene.mode == .singleImage && objects.isEmpty ? rejections.best : nil,
            source: queued.settings.source)
    }

    /// Returns the track and zone events since the previous call.
    private func takeEvents(of report: Report, _ settings: Settings) -> [any EventReport] {
        let (tracks, zones) = (scene.takeEvents(), scene.takeZoneEvents())
        let reportedTracks = settings.trackEvents ? tracks : []
        return reportedTracks.map {
            TrackReport(event: $0, report: report, bestTimestamp: trail.timestamp(at: $0.event.best.time))
        } + zones.map { ZoneReport(event: $0, report: report) }
    }

    private func log(_ report: Report, _ answers: [(StartedDetection, [Detection])]) {
        guard element.isLogging(.log) else { return }
        for (answer, detections) in answers {
            element.log(
                .log,
                "the detection started at \(answer.time) ns finished after \(MonotonicClock.now - answer.startedAt) ns: "
                    + "\(detections.count) detections")
            for detection in detections { element.log(.trace, "detection: \(detection)") }
        }
        element.log(.log, "the frame at \(report.times) has \(report.objects.count) objects")
        for object in report.objects { element.log(.trace, object.summary) }
    }

    /// Logs why a single image has no objects.
    private func explain(_ report: Report, _ rejections: Rejections, _ settings: Settings) {
        guard settings.scene.mode == .singleImage, report.objects.isEmpty else { return }
        element.log(
            .info,
            "the picture at \(report.times): "
                + rejections.explanation(threshold: settings.scene.tracker.scoreThreshold))
    }

    private func note(_ answers: [(StartedDetection, [Detection])], _ rejections: Rejections) {
        let now = MonotonicClock.now
        let trackCount = UInt32(clamping: scene.trackCount)
        let (leftOutObjects, leftOutFrames) = (scene.leftOut.objects, scene.leftOut.frames)
        statistics.update { counters in
            counters.activeTracks = trackCount
            counters.leftOutObjects = leftOutObjects
            counters.leftOutFrames = leftOutFrames
            if !rejections.isEmpty { counters.rejections.add(rejections) }
            for (answer, _) in answers {
                counters.detections += 1
                counters.detectionLatency.add(now - answer.startedAt)
                counters.firstDetection = counters.firstDetection ?? now
                counters.lastDetection = now
            }
        }
    }

    // MARK: Epochs and end of stream

    /// Begins a new epoch, including the drawing state.
    func beginEpoch(_ reason: EpochRule.Break) {
        endEpoch(reason)
        annotator.reset()
    }

    /// Begins a new epoch except for the drawing state, because drawing may be some frames behind.
    private func endEpoch(_ reason: EpochRule.Break) {
        endTracks(.flush)
        trail.reset()
        hasWarnedOfDrawing = false
        redaction.beginEpoch()
        labelValues.reset()
        coasting.reset()
        inferenceRegions.removeAll()
        reporter.reset()
        lastAnswer = nil
        lastReport = nil
        epoch += 1
        element.log(.info, "epoch \(epoch) begins: \(reason.rawValue)")
        statistics.update { [epoch] in $0.epoch = epoch }
    }

    /// Posts pending reports, ends all tracks and finishes the recording at the end of the stream.
    func finishStream() {
        element.log(.debug, "end of stream")
        reporter.finish()
        endTracks(.endOfStream)
        warnOfLeftOut()
        if let lastReport {
            reporter.postEnd(lastReport.withoutObjects(zones: scene.zoneCounts), settings: lastSettings)
        }
        recorder?.finishStream()
    }

    /// Warns once about objects that were omitted because of `max-objects`.
    ///
    /// - Parameter frames: the number of affected frames from which the warning is posted. A live stream may never end,
    ///   so its warning is posted while it runs.
    func warnOfLeftOut(after frames: Int = 1) {
        let leftOut = scene.leftOut
        guard !hasWarnedOfLeftOut, leftOut.frames >= frames else { return }
        hasWarnedOfLeftOut = true
        element.warn(.leftOut(leftOut, limit: lastSettings.scene.maxObjects, hasZones: !scene.zones.isEmpty))
    }

    private func endTracks(_ reason: TrackEvent.Reason) {
        scene.reset(reason: reason)
        statistics.update { $0.activeTracks = 0 }
        guard let lastReport else { return }
        reporter.post(takeEvents(of: lastReport, lastSettings), as: lastSettings.messageFormat)
    }
}

extension ElementProblem {
    fileprivate static func leftOut(_ leftOut: LeftOutObjects, limit: Int, hasZones: Bool) -> ElementProblem {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        let wanted = min(leftOut.mostInAFrame, SceneOptions.mostObjects)
        return .settings(
            "\(count(leftOut.objects, "object")) in \(count(leftOut.frames, "frame")) "
                + "\(leftOut.objects == 1 ? "was" : "were") not reported because of max-objects=\(limit); "
                + "set max-objects=\(wanted) or more"
                + (hasZones ? ". Zones count all objects, reported or not" : ""))
    }
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
