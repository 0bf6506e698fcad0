import CGStreamer
import SwiftODT

/// One run of the element from start to stop: takes frames in, has them looked at, and gives them out finished, in order.
///
/// Belongs to the streaming thread; other threads speak to it through ``StreamSignals``.
final class Stream {
    private let element: ElementHandle
    private let statistics: Statistics
    private let signals: StreamSignals
    private let planner: SchedulePlanner
    private let finisher: FrameFinisher
    private var sources: DetectionSourceLoader
    private var scheduler: InferenceScheduler

    private var format: StreamFormat?
    private var segment = GstSegment()
    private var isLive: Bool
    private var hasQueriedUpstream = false
    private var orientationTag = OrientationTag()
    private var epochs = EpochRule()
    private var clock = SteadyClock()
    private var work = ProcessingTimeEstimate()
    private var hasWarnedOfMapping = false
    private var reportedPlan: SchedulePlan?

    private var redaction: RedactionGuard
    private var queue = FrameQueue()
    /// Frames whose results are complete, while later ones show what has to be redacted in them, and what lies between them.
    private var held = FrameQueue()
    /// How many of them may wait, as the latest has it.
    private var redactionDepth = 0
    /// How many frames have come, and whether that says no more where in the video the latest is.
    private var (frameCount, hasJumped) = (0, false)

    init(
        element: ElementHandle, settings: Settings, statistics: Statistics, signals: StreamSignals,
        planner: SchedulePlanner, makeSource: @escaping DetectionSource.Maker
    ) throws {
        self.element = element
        self.statistics = statistics
        self.signals = signals
        self.planner = planner
        var redaction = RedactionGuard(element)
        // No network is compiled in vain.
        try redaction.check(settings, nil)
        self.redaction = redaction
        let isLive = element.isUpstreamLive()
        self.isLive = isLive ?? false
        sources = try DetectionSourceLoader(settings, isLive: isLive, element: element, make: makeSource)
        let recorder = try DetectionRecorder(settings, element: element)
        scheduler = InferenceScheduler(element: element, statistics: statistics, signals: signals, recorder: recorder)
        finisher = FrameFinisher(
            element: element, statistics: statistics,
            salient: SalientDetectorLoader(element: element, signals: signals, make: makeSource), recorder: recorder)
        try finisher.prepare(settings)
        gst_segment_init(&segment, GST_FORMAT_UNDEFINED)
        noteSource()
        try self.redaction.check(settings, sources.source)
    }

    deinit { statistics.watch(nil) }

    // MARK: Frames in

    /// Takes over a frame.
    ///
    /// - Parameter settings: read once the properties stand as controllers want them for this frame.
    func submit(_ buffer: UnsafeMutablePointer<GstBuffer>, settings: () -> Settings) -> GstFlowReturn {
        guard let format, !signals.isInterrupted else {
            GstBufferReference.release(buffer)
            return format == nil ? GST_FLOW_NOT_NEGOTIATED : GST_FLOW_FLUSHING
        }
        guard let times = FrameTimes(buffer, segment: &segment) else {
            guard !settings().requestsRedaction else {
                element.log(
                    .debug, "a frame is outside of its segment: it is dropped, for nothing in it would be redacted")
                GstBufferReference.release(buffer)
                return GST_FLOW_OK
            }
            element.log(.debug, "a frame is outside of its segment and passes unseen")
            queue.append(.unseen(buffer))
            return GST_FLOW_OK
        }
        element.syncProperties(to: times.streamTime)
        do {
            let settings = settings()
            try prepareSource(settings)
            try redaction.check(settings, sources.source)
            queue.append(.frame(try makeQueuedFrame(at: buffer, in: format, times: times, settings: settings)))
            statistics.update { $0.frames += 1 }
            announceLatency(settings)
            return GST_FLOW_OK
        } catch is CancellationError {
            GstBufferReference.release(buffer)
            return GST_FLOW_FLUSHING
        } catch {
            GstBufferReference.release(buffer)
            element.fail(ElementProblem(error))
            return GST_FLOW_ERROR
        }
    }

    private func makeQueuedFrame(
        at buffer: UnsafeMutablePointer<GstBuffer>, in format: StreamFormat, times: FrameTimes, settings: Settings
    ) throws -> QueuedFrame {
        let begin = MonotonicClock.now
        let orientation = settings.orientation ?? orientationTag.orientation(at: element)
        let step = times.validDuration ?? format.frameDuration ?? SchedulePlan.usualFrameDuration
        let epochBreak = epochs.check(
            at: EpochRule.FrameInfo(
                time: times.validTime, duration: step, width: format.width, height: format.height, orientation: orientation),
            maxAge: settings.scene.tracker.maxAge)
        if epochBreak != nil { forgetEpoch() }
        let time = clock.time(of: times.validTime, step: step)
        let plan = planner.plan(for: settings, isLive: isLive)
        log(plan, settings)

        if frameCount < Int.max { frameCount += 1 }
        let context = FrameContext(
            times: times, number: frameCount, hasJumped: hasJumped, format: format, orientation: orientation,
            settings: settings)
        let precomputed = try sources.source?.precomputedResult(context) { element.warn($0) } ?? .open
        let incoming = InferenceScheduler.IncomingFrame(
            buffer: buffer, context: context, time: time, plan: plan, source: sources.source, precomputed: precomputed)
        let resetsTracks = signals.takeReset()
        if resetsTracks { scheduler.forgetScene() }
        var answers = scheduler.takeAnswer(isAwaited: plan.waits).map { [$0] } ?? []
        var isInferred = false
        var (luma, copy): (LumaPlane?, FrameCopy?) = (nil, nil)
        if scheduler.mayInfer(at: incoming) || settings.scene.follows {
            let isMapped: Void? = try statistics.time(.start) {
                try format.withFrame(of: buffer, orientation: orientation, time: time) { frame in
                    var frame = frame
                    if settings.scene.follows {
                        (luma, copy) = reduce(frame, of: buffer, plan, settings)
                    }
                    frame.luma = luma
                    isInferred = try scheduler.infer(at: frame, of: incoming)
                }
            }
            if isMapped == nil {
                scheduler.miss(incoming)
                if settings.requestsRedaction { try redaction.fail(RedactionGuard.unmapped, settings) }
                warnOfMapping()
            }
        } else {
            scheduler.pass(incoming)
        }
        if isInferred, let answer = scheduler.takeAnswer(isAwaited: plan.waits) { answers.append(answer) }
        return QueuedFrame(
            buffer: buffer, format: format, times: times, key: context.key, time: time,
            utcTime: UTCTime.of(buffer, isLive: isLive), orientation: orientation,
            epochBreak: epochBreak, resetsTracks: resetsTracks, settings: settings, intervalPolicy: incoming.intervalPolicy, luma: luma,
            copy: copy, waits: plan.waits, answers: answers, work: MonotonicClock.now - begin)
    }

    /// The small grey copy of a frame and, where one is going to be drawn on, the large one: they are made in one pass. While a frame waits
    /// for later ones the decoder often lets go of it, so that it needs no copy, and each that waits would hold another.
    private func reduce(
        _ frame: Frame, of buffer: UnsafeMutablePointer<GstBuffer>, _ plan: SchedulePlan, _ settings: Settings
    ) -> (LumaPlane, FrameCopy?) {
        guard plan.depth == 0, plan.redactionDepth == 0, let copy = finisher.copyAhead(of: buffer, settings) else {
            return (LumaPlane.reduce(frame), nil)
        }
        return statistics.time(.copy) {
            defer { copy.finish() }
            return (LumaPlane.reduce(frame, aboutToRead: copy.reach), copy)
        }
    }

    private func log(_ plan: SchedulePlan, _ settings: Settings) {
        guard reportedPlan.map({ !$0.schedules(as: plan) }) ?? true else { return }
        reportedPlan = plan
        element.log(
            .info,
            (plan.waits
                ? "frames wait for their results" : "no frame waits, the newest is looked at when the detector is free")
                + ", because strategy=\(settings.strategy), mode=\(settings.scene.mode) and upstream "
                + (isLive ? "is live" : "is not live")
                + "; \(plan.maximumHeldFrames) frames may wait for later ones, the detector strives "
                + "for \(plan.hint), latency is \(plan.latency) ns")
    }

    private func warnOfMapping() {
        guard !hasWarnedOfMapping else { return }
        hasWarnedOfMapping = true
        element.warn(
            .resource(
                GST_RESOURCE_ERROR_READ,
                "a frame's memory cannot be mapped as its caps say; such frames pass unseen. Put videoconvert before "
                    + "swiftodt, or a converter that downloads the frames where they live in a device's memory"))
    }

    // MARK: The detector

    /// Follows what changes while the stream runs: who is upstream, and what the detector should strive for. Frames that wait for
    /// their results wait for the first detector, too.
    private func prepareSource(_ settings: Settings) throws {
        queryUpstream()
        if try sources.adapt(to: settings, isLive: isLive) { noteSource() }
        guard sources.source == nil, SchedulePlan(settings: settings, isLive: isLive).waits else { return }
        try sources.awaitFirst(signals)
        if try sources.adapt(to: settings, isLive: isLive) { noteSource() }
    }

    /// How many frames may wait in the element: known once there is a detector.
    func framesHeld(_ settings: Settings) -> Int {
        // What fails here fails again, and is told of, at the first frame.
        try? prepareSource(settings)
        return planner.plan(for: settings, isLive: false).maximumHeldFrames
    }

    private func queryUpstream() {
        guard !hasQueriedUpstream else { return }
        hasQueriedUpstream = true
        isLive = element.isUpstreamLive() ?? isLive
        element.log(.info, isLive ? "upstream is live" : "upstream is not live, or cannot tell")
    }

    private func noteSource() {
        redaction.noteSource()
        statistics.watch(sources.source)
        planner.set(capacity: sources.source?.capacity ?? 1)
    }

    private func announceLatency(_ settings: Settings) {
        guard planner.hasLatencyChanged(settings) else { return }
        element.log(.info, "latency is another now: \(planner.plan(for: settings, isLive: isLive).latency) ns")
        element.announceLatency()
    }

    // MARK: Frames out

    /// Ten seconds of most cameras.
    private static let leftOutFramesUntilWarning = 300

    /// The element stops, whether or not the stream has ended.
    func stop() { finisher.warnOfLeftOut() }

    /// Why no more frames come.
    struct Stop: Error {
        let flow: GstFlowReturn
    }

    /// The next finished frame, or the event that follows the one before; `nil` while the first in line may still wait.
    func produce(draining: Bool) -> Result<UnsafeMutablePointer<GstMiniObject>?, Stop> {
        while true {
            if let first = held.first, isRevealed(first, draining: draining) { return emit(held.removeFirst()) }
            guard let first = queue.first else { return .success(nil) }
            if case .frame(let frame) = first, !draining, !isDue(frame) { return .success(nil) }
            let item = queue.removeFirst()
            guard case .frame(let frame) = item else {
                guard !held.isEmpty else { return emit(item) }
                held.append(item)
                continue
            }
            redactionDepth = planner.plan(for: frame.settings, isLive: isLive).redactionDepth
            guard redactionDepth > 0 || !held.isEmpty else { return finish(frame) }
            if let stop = hold(frame) { return .failure(stop) }
        }
    }

    /// Whether nothing that comes later changes what is redacted in it.
    private func isRevealed(_ item: FrameQueue.Item, draining: Bool) -> Bool {
        guard case .processed = item else { return true }
        return held.frameCount > redactionDepth || draining && queue.isEmpty
    }

    private func emit(_ item: FrameQueue.Item) -> Result<UnsafeMutablePointer<GstMiniObject>?, Stop> {
        switch item {
        case .event(let event): return .success(miniObject(event))
        case .unseen(let buffer): return .success(miniObject(buffer))
        case .frame(let frame): return finish(frame)
        case .processed(let frame):
            var buffer = frame.queued.buffer
            do {
                try finisher.complete(frame, buffer: &buffer)
                return .success(miniObject(buffer))
            } catch {
                return .failure(stop(because: error, releasing: buffer))
            }
        }
    }

    private func isDue(_ frame: QueuedFrame) -> Bool {
        let plan = planner.plan(for: frame.settings, isLive: isLive)
        let later = max(plan.depth, frame.waitsForNext ? 1 : 0)
        return queue.frameCount > later || (!plan.isSequential && frame.answers.allSatisfy(\.promise.isDone))
    }

    private func finish(_ frame: QueuedFrame) -> Result<UnsafeMutablePointer<GstMiniObject>?, Stop> {
        let begin = MonotonicClock.now
        var buffer = frame.buffer
        do {
            try finisher.finish(frame, answers: takeAnswers(of: frame), buffer: &buffer)
            note(frame, since: begin)
            return .success(miniObject(buffer))
        } catch {
            return .failure(stop(because: error, releasing: buffer))
        }
    }

    /// Completes a frame's results; it waits to be redacted.
    private func hold(_ frame: QueuedFrame) -> Stop? {
        let begin = MonotonicClock.now
        do {
            held.append(.processed(try finisher.process(frame, answers: takeAnswers(of: frame), posts: true)))
            note(frame, since: begin)
            return nil
        } catch {
            return stop(because: error, releasing: frame.buffer)
        }
    }

    private func takeAnswers(of frame: QueuedFrame) throws -> [(StartedDetection, [Detection])] {
        try statistics.time(.wait) { try frame.answers.map { ($0, try signals.wait(for: $0.promise)) } }
    }

    private func note(_ frame: QueuedFrame, since begin: Nanoseconds) {
        if isLive { finisher.warnOfLeftOut(after: Self.leftOutFramesUntilWarning) }
        // What became of an epoch that is over tells nothing of the next one.
        if !queue.beginsEpoch { scheduler.note(frame, finisher.snapshot) }
        if frame.waits {
            work.add(frame.work + MonotonicClock.now - begin)
            planner.set(work: work.estimate)
        }
    }

    private func stop(because error: any Error, releasing buffer: UnsafeMutablePointer<GstBuffer>) -> Stop {
        GstBufferReference.release(buffer)
        if error is CancellationError { return Stop(flow: GST_FLOW_FLUSHING) }
        element.fail(ElementProblem(error))
        return Stop(flow: GST_FLOW_ERROR)
    }

    private func miniObject(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<GstMiniObject> {
        pointer.assumingMemoryBound(to: GstMiniObject.self)
    }

    // MARK: Events

    /// A serialized event has come; flushes have calls of their own.
    ///
    /// - Returns: whether it is taken over and given out with the frames, because some that came before it still wait.
    func notice(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_STREAM_START:
            element.log(.debug, "a stream begins")
            orientationTag = OrientationTag()
        case GST_EVENT_CAPS: noticeCaps(event)
        case GST_EVENT_SEGMENT:
            gst_event_copy_segment(event, &segment)
            element.log(
                .debug,
                "a segment from \(segment.start) to \(segment.stop) at rate \(segment.rate), running time \(segment.base) on"
            )
            if signals.takeSeek(gst_event_get_seqnum(event)) {
                epochs.noteSeek()
                hasJumped = true
            }
        case GST_EVENT_TAG:
            var tags: UnsafeMutablePointer<GstTagList>?
            gst_event_parse_tag(event, &tags)
            if let tags { orientationTag.notice(tags) }
        case GST_EVENT_EOS:
            finisher.finishStream()
            sources.source?.finishStream { element.warn($0) }
        default: break
        }
        guard !queue.isEmpty || !held.isEmpty else { return false }
        queue.append(.event(event))
        return true
    }

    /// Frames to come have another format; those that wait keep theirs.
    private func noticeCaps(_ event: UnsafeMutablePointer<GstEvent>) {
        var caps: UnsafeMutablePointer<GstCaps>?
        var info = GstVideoInfo()
        gst_event_parse_caps(event, &caps)
        format = gst_video_info_from_caps(&info, caps) != 0 ? StreamFormat(info) : nil
        element.log(.debug, "caps: \(GstText.of(caps))")
        planner.set(frameDuration: format?.frameDuration, frameBytes: Int(clamping: format?.info.size ?? 0))
        orientationTag.noticeCaps()
    }

    /// All that was under way is void: a seek, or an application that wants to be rid of it.
    func flush() {
        gst_segment_init(&segment, GST_FORMAT_UNDEFINED)
        hasJumped = frameCount > 0
        element.log(.debug, "a flush: \(queue.frameCount + held.frameCount) frames that waited are dropped")
        held.flush()
        queue.flush()
        finisher.forgetHeld()
        guard let reason = epochs.flush() else { return }
        forgetEpoch()
        finisher.beginEpoch(reason)
    }

    /// What was learnt and is under way belongs to an epoch that is over; its frames that wait still get their results, from
    /// detectors that learn nothing, as others let none wait.
    private func forgetEpoch() {
        if queue.frameCount == 0 { sources.source?.reset() }
        clock.reset()
        scheduler.forgetEpoch()
    }
}
