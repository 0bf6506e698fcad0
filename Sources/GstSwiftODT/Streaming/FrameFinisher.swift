import CODTGStreamer
import SwiftODT

/// A frame whose results are complete, but which has not been drawn on and has no metadata yet.
struct ProcessedFrame {
    let context: FrameContext
    let report: Report
    let drawing: FrameDrawing
}

/// Processes a frame whose inferences have finished: tracking, classification, drawing, metadata and messages.
final class FrameFinisher {
    private let element: ElementHandle
    private let statistics: Statistics
    private let signals: StreamSignals
    private let reporter: BusReporter
    let drawer: FrameDrawer
    let scene = Scene()
    private var classifier: ComponentLoader<TrackClassifier>
    /// The saliency network, which detects prominent objects in addition to the objects of the main detector.
    private var salient: ComponentLoader<DetectionSource>
    private var reidentifier: ComponentLoader<TrackReidentifier>
    private let recorder: DetectionRecorder?
    private var hasWarnedOfLeftOut = false

    private var trail = TimestampMap()
    private var epoch: UInt32 = 0
    /// The inference of the saliency network that is in flight, and the time of its frame. Set only by frames that do
    /// not wait for their results. Other frames wait until their saliency inference has finished.
    /// The result of an outdated run is not used, but no other run starts before it has ended.
    private var salientRun: (promise: DetectionPromise, time: Nanoseconds, isOutdated: Bool)?
    /// The mode for which the saliency network was loaded.
    private var salientMode: SceneOptions.Mode?
    /// The running time and the timestamp of the frame of the latest inference result.
    private var lastInference: (time: Nanoseconds, timestamp: UInt64)?
    private var lastReport: Report?
    private var lastSettings = Settings()

    init(
        element: ElementHandle, statistics: Statistics, signals: StreamSignals,
        makeSource: @escaping DetectionSource.Maker, recorder: DetectionRecorder?
    ) {
        self.element = element
        self.statistics = statistics
        self.signals = signals
        self.recorder = recorder
        reporter = BusReporter(element: element)
        drawer = FrameDrawer(element: element, statistics: statistics)
        classifier = ComponentLoader(
            "a classifier", element: element, isEnabled: \.scene.classify,
            isRequired: { settings, _ in settings.classifierConfiguration.isModelNeeded },
            fallback: "categories stay unknown"
        ) { settings, warn in
            try settings.classifierConfiguration.makeClassifier { error in
                warn(ElementProblem(error, doing: "categories are derived from the detector's labels only"))
            }
        }
        salient = ComponentLoader(
            "a saliency network", element: element,
            isEnabled: {
                let scene = $0.sceneComplementingDetector
                return scene.detectsSalient || scene.detectsSalientInVideo
            },
            isRequired: { settings, _ in
                settings.scene.unknownObjects == .salient || settings.device != Settings.standardDevice
                    || ModelChoice.of(.salient) != nil
            },
            fallback: "salient objects are not detected"
        ) { settings, warn in try makeSource(settings.saliencySettings, .latency, warn) }
        reidentifier = ComponentLoader(
            "a re-identification network", element: element, isEnabled: \.scene.reidentifies,
            // If `reidentify` is set while the stream runs and the default network is missing, the stream continues.
            isRequired: { settings, isStarting in isStarting || settings.reidentificationFile != nil },
            fallback: "returning objects get new ids"
        ) { settings, _ in
            TrackReidentifier(
                describer: try ReidentificationNetwork(
                    modelFile: settings.reidentificationFile, device: settings.device, threads: settings.threads))
        }
    }

    func prepare(_ settings: Settings) throws {
        scene.zones = try settings.zones.map(Zone.list(named:)) ?? []
        try classifier.load(settings)
        try salient.load(settings)
        salientMode = settings.scene.mode
        try reidentifier.load(settings)
    }

    /// - Parameter buffer: the buffer of the frame. The caller owns it before and after the call. The function replaces
    ///   it by a writable copy if necessary.
    /// - Throws: an error if the classifier or the saliency network fails, or if a frame that must be redacted is not
    ///   writable. `CancellationError` when flushing or stopping begins.
    func finish(
        _ context: FrameContext, answers: [(StartedDetection, [Detection])],
        buffer: inout UnsafeMutablePointer<GstBuffer>
    ) throws {
        let processed = try process(context, answers: answers, posts: false)
        try statistics.time(.draw) { try drawer.draw(processed.drawing, on: context, into: &buffer) }
        statistics.time(.report) {
            attach(processed.report, to: &buffer, settings: context.settings)
            post(processed.report, isResult: !answers.isEmpty, of: context)
        }
    }

    /// Does not draw and does not attach metadata.
    func process(
        _ context: FrameContext, answers: [(StartedDetection, [Detection])], posts: Bool
    ) throws -> ProcessedFrame {
        if let reason = context.epochBreak { endEpoch(reason, at: context.time) }
        if context.resetsTracks {
            element.log(.debug, "all tracks end because of reset-tracks")
            endTracks(.flush)
        }
        try adaptComponents(to: context.settings)
        recorder?.take(context.key, answers)
        let redactionNumber = statistics.time(.track) {
            follow(context, answers: answers)
            return drawer.trackRedacted(context, answers: answers)
        }
        try findProminent(in: context)
        try findSalient(in: context)
        let objects = try statistics.time(.classify) { try describe(context) }
        let rejections = scene.takeRejections()
        note(answers, rejections)

        let report = report(of: objects, rejections, in: context)
        log(report, answers)
        explain(report, rejections, context.settings)
        let drawing = drawer.drawing(of: objects, in: scene, context, redactionNumber: redactionNumber)
        if posts { statistics.time(.report) { post(report, isResult: !answers.isEmpty, of: context) } }
        return ProcessedFrame(context: context, report: report, drawing: drawing)
    }

    /// Draws on a processed frame and attaches its metadata. Called only when all boxes to redact in the frame are
    /// known. Detections in later frames can add such boxes.
    ///
    /// - Parameter buffer: the frame's buffer, as in ``finish(_:answers:buffer:)``.
    func complete(_ frame: ProcessedFrame, buffer: inout UnsafeMutablePointer<GstBuffer>) throws {
        try statistics.time(.draw) { try drawer.draw(frame.drawing, on: frame.context, into: &buffer) }
        statistics.time(.report) { attach(frame.report, to: &buffer, settings: frame.context.settings) }
    }

    /// Returns whether the detections in a frame show a new object, or whether a detected object is missing from them.
    /// Does not apply the detections.
    func isChanged(by detections: [Detection], of inference: StartedDetection) -> Bool {
        scene.isChanged(by: detections, isFullFrame: inference.region == nil)
    }

    /// The activity for the event `swiftodt-activity`, according to the tracks of the latest frame. The caller adds
    /// motion that no track explains.
    var activity: ActivityEvent.Activity {
        let hasObjects = scene.trackCount > 0
        return .init(hasObjects: hasObjects, wantsInference: scene.isUndecided, seesMotion: hasObjects)
    }

    // MARK: Stages

    private func adaptComponents(to settings: Settings) throws {
        try classifier.adapt(to: settings)
        if settings.scene.classify {
            if scene.classifier == nil { scene.classifier = classifier.component }
            scene.classifier?.options.threshold = settings.classificationThreshold
        }
        // The saliency networks of pictures and of videos differ.
        if settings.scene.mode != salientMode {
            salient.unload()
            (salientMode, salientRun) = (settings.scene.mode, nil)
        }
        try salient.adapt(to: settings)
        try reidentifier.adapt(to: settings)
        if scene.reidentifier == nil { scene.reidentifier = reidentifier.component }
    }

    private func follow(_ context: FrameContext, answers: [(StartedDetection, [Detection])]) {
        let settings = context.settings
        trail.note(context.times.timestamp, at: context.time)
        scene.options = settings.sceneComplementingDetector
        scene.advance(
            to: context.time, width: context.width, height: context.height, orientation: context.orientation,
            luma: context.luma)
        if scene.isCut {
            element.log(.debug, "scene cut at \(context.times): all tracks end")
            drawer.noteCut()
            salientRun?.isOutdated = true
        }
        let floor = settings.scene.scoreFloor
        for (answer, detections) in answers {
            // For redaction, the detector also returns detections below the tracker's score floor. They must not reach
            // the tracker of reported objects.
            let detections = settings.redacts ? detections.filter { $0.score >= floor } : detections
            scene.observe(detections, seenAt: answer.time, region: answer.region)
            lastInference = (answer.time, answer.timestamp)
            drawer.noteInference(on: answer.region, context)
        }
    }

    /// Detects the prominent objects of a picture in which the main detector finds nothing. Waits until the saliency
    /// network is loaded.
    private func findProminent(in context: FrameContext) throws {
        guard scene.wantsProminent else { return }
        let detections = try awaitSalient(in: context)
        let threshold = salient.component.map { context.settings.threshold(of: $0.traits) } ?? 0
        scene.observeProminent(detections ?? [], threshold: threshold)
    }

    /// Starts the saliency network on a frame of a video if a run is due. Frames that wait for the result of their own
    /// inference also wait for the saliency network. For other frames, the result is used when it is available.
    private func findSalient(in context: FrameContext) throws {
        if let run = salientRun, run.promise.isDone {
            salientRun = nil
            // A flush may have cancelled an outdated run.
            if !run.isOutdated { scene.observeSalient(try signals.wait(for: run.promise), seenAt: run.time) }
        }
        guard salientRun == nil, scene.beginsSalientRun() else { return }
        if context.plan.waits {
            scene.observeSalient(try awaitSalient(in: context) ?? [], seenAt: context.time)
        } else if let source = salient.component {
            let promise = try context.withFrame { frame in
                try signals.interruptible(by: source.cancel) {
                    try source.start(frame, of: context.buffer, options: salientOptions(context.settings))
                }
            }
            salientRun = promise.map { ($0, context.time, false) }
        }
    }

    /// In a video, the saliency network never processes tiles.
    private func salientOptions(_ settings: Settings) -> DetectionOptions {
        var options = settings.detection
        if settings.scene.mode == .stream { options.view = .fullFrame }
        return options
    }

    /// Returns `nil` if the frame cannot be mapped.
    private func awaitSalient(in context: FrameContext) throws -> [Detection]? {
        try context.withFrame { frame in
            try statistics.time(.wait) { () throws -> [Detection] in
                try salient.finishLoading(context.settings, signals)
                guard let source = salient.component else { return [] }
                var options = salientOptions(context.settings)
                options.isAwaited = true
                let promise = try signals.interruptible(by: source.cancel) {
                    try source.start(frame, of: context.buffer, options: options)
                }
                return try signals.wait(for: promise)
            }
        }
    }

    private func describe(_ context: FrameContext) throws -> [SceneObject] {
        guard context.settings.scene.classify || context.settings.scene.reidentifies else {
            return try scene.objects(in: nil)
        }
        return try context.withFrame { try scene.objects(in: $0, waiting: context.plan.waits) }
            ?? scene.objects(in: nil)
    }

    private func attach(_ report: Report, to buffer: inout UnsafeMutablePointer<GstBuffer>, settings: Settings) {
        guard !settings.attachMeta.isEmpty else { return }
        buffer = GstBufferReference.makeWritable(buffer)
        MetadataWriter.attach(
            report, to: buffer, settings.attachMeta, isFromUpstream: settings.detector == .upstream)
    }

    private func post(_ report: Report, isResult: Bool, of context: FrameContext) {
        let settings = context.settings
        let coalesced = reporter.post(
            report, events: takeEvents(of: report, settings), isResult: isResult, settings: settings, at: context.time)
        if coalesced > 0 { statistics.update { $0.coalesced += UInt64(coalesced) } }
        lastReport = report
        lastSettings = settings
    }

    private func report(of objects: [SceneObject], _ rejections: Rejections, in context: FrameContext) -> Report {
        let (settings, width, height) = (context.settings, context.width, context.height)
        return Report(
            epoch: epoch, times: context.times, width: width, height: height, orientation: context.orientation,
            mode: settings.scene.mode, detectionTimestamp: lastInference?.timestamp ?? .max,
            detectionLatency: lastInference.map { UInt64(clamping: context.time - $0.time) } ?? .max,
            utcTime: context.utcTime,
            objectList: ObjectList(objects.map { ReportedObject($0, pictureWidth: width, pictureHeight: height) }),
            zones: scene.zoneCounts,
            bestRejected: settings.scene.mode == .singleImage && objects.isEmpty ? rejections.best : nil,
            model: settings.traits.model, source: settings.source)
    }

    private func takeEvents(of report: Report, _ settings: Settings) -> [EventReport] {
        let (tracks, zones) = (scene.takeEvents(), scene.takeZoneEvents())
        let reportedTracks = settings.trackEvents ? tracks : []
        return reportedTracks.map {
            EventReport($0, report: report, bestTimestamp: trail.timestamp(at: $0.event.best.time))
        } + zones.map { EventReport($0, report: report) }
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

    /// Ends all tracks, begins a new epoch (see ``EpochRule``) and discards the drawing state.
    func beginEpoch(_ reason: EpochRule.Break) {
        endEpoch(reason, at: nil)
        drawer.reset()
    }

    /// Begins a new epoch. The drawing state is kept, because frames of the past epoch may still be drawn on.
    ///
    /// - Parameter time: the running time of the first frame of the epoch; `nil` after a flush.
    private func endEpoch(_ reason: EpochRule.Break, at time: Nanoseconds?) {
        if [.flush, .seek, .stream].contains(reason) { recorder?.noteDiscontinuity() }
        endTracks(.flush)
        trail = TimestampMap()
        drawer.endEpoch()
        let isReportDiscarded = reporter.beginEpoch(at: time)
        lastInference = nil
        lastReport = nil
        epoch += 1
        element.log(.info, "epoch \(epoch) begins: \(reason.rawValue)")
        statistics.update { [epoch] in
            $0.epoch = epoch
            $0.coalesced += isReportDiscarded ? 1 : 0
        }
    }

    /// - Parameter isComplete: whether all frames were processed.
    func finishStream(isComplete: Bool) {
        element.log(.debug, "end of stream")
        reporter.postWaiting()
        endTracks(.endOfStream)
        warnOfLeftOut()
        if let lastReport {
            reporter.postEnd(lastReport.withoutObjects(zones: scene.zoneCounts), settings: lastSettings)
        }
        if isComplete { recorder?.finishStream() }
    }

    /// Warns once that objects were omitted because of `max-objects`.
    ///
    /// - Parameter frames: the minimum number of affected frames for the warning. A live stream may never end, so its
    ///   warning is posted while it runs.
    func warnOfLeftOut(after frames: Int = 1) {
        let leftOut = scene.leftOut
        guard !hasWarnedOfLeftOut, leftOut.frames >= frames else { return }
        hasWarnedOfLeftOut = true
        element.warn(.leftOut(leftOut, limit: lastSettings.scene.maxObjects, hasZones: !scene.zones.isEmpty))
    }

    private func endTracks(_ reason: TrackEvent.Reason) {
        salientRun?.isOutdated = true
        scene.reset(reason: reason)
        statistics.update { $0.activeTracks = 0 }
        guard let lastReport else { return }
        let dropped = reporter.post(takeEvents(of: lastReport, lastSettings), as: lastSettings.messageFormat)
        if dropped > 0 { statistics.update { $0.coalesced += UInt64(dropped) } }
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
