import CODTGStreamer
import GstFrames
import SwiftODT

/// One run of the element from start to stop. Accepts frames, schedules inference, and returns finished frames in
/// order.
///
/// A stream belongs to the streaming thread. Other threads communicate with it through ``StreamSignals``.
final class Stream {
    private let element: ElementHandle
    private let statistics: Statistics
    private let signals: StreamSignals
    private let planner: SchedulePlanner
    private let finisher: FrameFinisher
    private var sources: DetectionSourceLoader
    private var scheduler: InferenceScheduler

    private var incoming: IncomingStream
    private var work = ProcessingTimeEstimate()
    private var activity = ActivityEvent()
    private var hasWarnedOfMapping = false
    private var reportedPlan: SchedulePlan?

    private var redaction: RedactionGuard
    private enum Failure {
        /// A flush permits frames again.
        case untilFlush
        /// No later frame passes, because redaction was requested.
        case final
    }
    /// An error of this element. Later frames are dropped.
    private var failure: Failure?
    private var queue = FrameQueue()
    /// Frames with complete results that are held for redaction (see ``FrameQueue/Item/processed(_:)``), and the events
    /// between these frames.
    private var held = FrameQueue()
    /// The number of frames to hold for redaction, according to the plan for the latest frame.
    private var redactionDepth = 0
    /// The time of the latest frame that was held for redaction.
    private var latestHeldTime: Nanoseconds = 0
    /// The number of held frames in the latest answer to an allocation query (`answered`), and the number for which
    /// another query was requested.
    private var allocation = (answered: 0, requested: 0)
    /// Whether downstream has refused a frame or its caps.
    private var hasRefusedFrames = false

    init(
        element: ElementHandle, settings: Settings, statistics: Statistics, signals: StreamSignals,
        planner: SchedulePlanner, makeSource: @escaping DetectionSource.Maker
    ) throws {
        self.element = element
        self.statistics = statistics
        self.signals = signals
        self.planner = planner
        var redaction = RedactionGuard(element)
        // Redaction is checked first, so that no network is compiled if the request is invalid.
        try redaction.check(settings, nil)
        self.redaction = redaction
        let isLive = element.sinkPad.isUpstreamLive()
        incoming = IncomingStream(element: element, signals: signals, isLive: isLive ?? false)
        sources = try DetectionSourceLoader(settings, isLive: isLive, element: element, make: makeSource)
        let recorder = try DetectionRecorder(settings, element: element)
        scheduler = InferenceScheduler(element: element, statistics: statistics, signals: signals, recorder: recorder)
        finisher = FrameFinisher(
            element: element, statistics: statistics, signals: signals, makeSource: makeSource, recorder: recorder)
        try finisher.prepare(settings)
        noteSource()
        try self.redaction.check(settings.adopting(sources.source?.traits), sources.source)
    }

    deinit { statistics.watch(nil) }

    // MARK: Frames in

    /// Takes ownership of the frame.
    ///
    /// - Parameter settings: returns the settings. Called after controllers have set the properties for this frame.
    func submit(_ buffer: UnsafeMutablePointer<GstBuffer>, settings: () -> Settings) -> GstFlowReturn {
        var buffer = buffer
        func drop(_ flow: GstFlowReturn) -> GstFlowReturn {
            gst_buffer_unref(buffer)
            return flow
        }
        guard let format = incoming.format else { return drop(GST_FLOW_NOT_NEGOTIATED) }
        if signals.isInterrupted { return drop(GST_FLOW_FLUSHING) }
        if failure != nil { return drop(GST_FLOW_ERROR) }
        guard let times = incoming.times(of: buffer) else {
            let settings = settings()
            guard !settings.requestsRedaction else {
                element.log(.debug, "a frame outside its segment is dropped, because it would not be redacted")
                return drop(GST_FLOW_OK)
            }
            element.log(.debug, "a frame outside its segment passes unchanged")
            let plan = planner.plan(for: settings, isLive: incoming.isLive)
            queue.append(.unchanged(holdable(buffer, plan)))
            return GST_FLOW_OK
        }
        let isPreview = incoming.takePreview(times) && queue.isEmpty && held.isEmpty
        let before = isPreview ? (incoming, scheduler) : nil
        if incoming.isRepeated(times) {
            element.log(.debug, "the frame of \(times) has been processed already and is dropped")
            return drop(GST_FLOW_OK)
        }
        element.syncProperties(to: times.streamTime)
        var settings = settings()
        do {
            try prepareSource(settings)
            settings = settings.adopting(sources.source?.traits)
            if settings.requestsRedaction, !redaction.isRequested { BinaryTags.withdraw(from: element.sourcePad) }
            try redaction.check(settings, sources.source)
            try format.checkMemory(settings)
            if settings.requestsRedaction, let fault = redaction.fault(format, buffer, sources.source) {
                try redaction.fail(fault, settings)
            }
            let plan = planner.plan(for: settings, isLive: incoming.isLive)
            buffer = holdable(buffer, plan)
            let frame = try schedule(
                buffer, in: format, times: times, settings: settings, plan: plan, isPreview: isPreview)
            if let before, try needsEarlierFrames(frame) {
                (incoming, scheduler) = before
                rewind(frame)
                return GST_FLOW_OK
            }
            queue.append(.frame(frame))
            statistics.update { $0.frames += 1 }
            announceLatency(settings)
            return GST_FLOW_OK
        } catch is CancellationError {
            return drop(GST_FLOW_FLUSHING)
        } catch {
            fail(error, redacts: settings.requestsRedaction)
            return drop(GST_FLOW_ERROR)
        }
    }

    /// Returns the buffer to hold for a frame. Usually, this is the same buffer. If more frames may be held than the
    /// latest answer to an allocation query states, for example because redaction was switched on, upstream's pool may
    /// have too few buffers. Frames are then copied until upstream has sent another query. They are also copied if the
    /// pool has too few buffers regardless of queries, for example the pool of an application with `appsrc`. Takes
    /// ownership of the buffer.
    private func holdable(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ plan: SchedulePlan
    ) -> UnsafeMutablePointer<GstBuffer> {
        let count = plan.maximumHeldFrames
        guard count > 0, let capacity = GstBufferReference.poolCapacity(of: buffer),
            count > allocation.answered || count >= capacity
        else { return buffer }
        if count > allocation.requested {
            allocation.requested = count
            element.log(.info, "up to \(count) frames are held from now on; another allocation query is requested")
            element.requestAllocation()
        }
        return GstBufferReference.withoutPool(buffer)
    }

    /// - Parameter isPreview: whether the frame always waits for its inference.
    private func schedule(
        _ buffer: UnsafeMutablePointer<GstBuffer>, in format: StreamFormat, times: FrameTimes, settings: Settings,
        plan: SchedulePlan, isPreview: Bool
    ) throws -> FrameContext {
        let begin = MonotonicClock.now
        let source = sources.source
        log(plan, settings)
        var plan = plan
        if settings.strategy == .auto, incoming.isLate(times) { plan.waits = true }
        var context = incoming.context(
            of: buffer, in: format, times: times, settings: settings, plan: plan,
            intervalPolicy: source?.intervalPolicy(settings) ?? settings.intervalPolicy)
        if context.epochBreak != nil { forgetEpoch() }
        context.precomputed = try source?.precomputedResult(context) { element.warn($0) } ?? .unknown
        // Before any upstream metadata has arrived, a frame counts as a frame without a result. Redaction covers the
        // full picture until there is a result.
        if case .upstream = source, redaction.awaitsUpstreamMetadata(buffer) { context.precomputed = .notInferred }
        if context.resetsTracks { scheduler.forgetScene() }

        if let answer = scheduler.takeAnswer(isAwaited: plan.waits) { context.answers.append(answer) }
        let isInferred = try inferIfDue(&context, by: source)
        if isInferred, let answer = scheduler.takeAnswer(isAwaited: plan.waits || isPreview) {
            context.answers.append(answer)
        }
        try redaction.check(context, isInferred: isInferred, isPending: scheduler.isPending)
        context.work = MonotonicClock.now - begin
        return context
    }

    // MARK: Previews

    /// Returns whether the frames before a preview are needed. They are needed if the preview shows motion or a new
    /// object, or if a detected object is missing from it.
    private func needsEarlierFrames(_ preview: FrameContext) throws -> Bool {
        guard preview.settings.intervalPolicy == .auto, preview.epochBreak == nil, !preview.resetsTracks else {
            return false
        }
        if scheduler.policy.seesMotion || scheduler.policy.seesUnexplainedMotion { return true }
        return try preview.answers.contains { finisher.isChanged(by: try signals.wait(for: $0.promise), of: $0) }
    }

    /// Drops a preview, and requests the frames before it from the gate. The gate passes the preview again after them.
    private func rewind(_ context: FrameContext) {
        element.log(.debug, "the key frame of \(context.times) shows a change; the frames before it are requested")
        for answer in context.answers where answer.time == context.time { answer.promise.cancel() }
        var latest = finisher.activity
        (latest.wantsInference, latest.seesMotion, latest.rewinds) = (true, true, true)
        activity.note(latest, at: context.times, through: element)
        gst_buffer_unref(context.buffer)
    }

    /// Maps a frame if necessary, copies the data that later stages need, and starts inference if one is due. Returns
    /// whether inference was started.
    private func inferIfDue(_ frame: inout FrameContext, by source: DetectionSource?) throws -> Bool {
        let context = frame
        guard scheduler.mayInfer(at: context, by: source) || context.settings.needsLuma else {
            scheduler.pass(context, source)
            return false
        }
        let isInferred = try statistics.time(.start) {
            try context.withFrameOrSubstitute { picture, hasPixels in
                var picture = picture
                if context.settings.needsLuma, hasPixels { (frame.luma, frame.copy) = reduce(picture, of: context) }
                picture.luma = frame.luma
                return try scheduler.infer(at: picture, of: context, by: source)
            }
        }
        if let isInferred { return isInferred }
        scheduler.miss(context)
        if context.settings.requestsRedaction { try redaction.fail(RedactionGuard.unmapped, context.settings) }
        let problem =
            "a frame's memory cannot be mapped as described by its caps, so nothing is detected in it; put videoconvert "
            + "before swiftodt, or an element that downloads the frames from device memory"
        // Each independent picture has a result or causes an error.
        if context.settings.scene.mode == .singleImage { throw ODTError(.unsupported, problem) }
        if !hasWarnedOfMapping {
            hasWarnedOfMapping = true
            element.warn(.resource(GST_RESOURCE_ERROR_READ, problem))
        }
        return false
    }

    /// Creates the grey copy of a frame. If the frame will probably be drawn on, also creates a full copy in the same
    /// pass. If frames are held, they are not copied in advance, because each of them would need its own copy. Often
    /// the decoder releases its reference before a held frame is drawn on, and no copy is needed.
    private func reduce(_ frame: Frame, of context: FrameContext) -> (LumaPlane, FrameCopy?) {
        guard context.plan.depth == 0, context.plan.redactionDepth == 0,
            let copy = finisher.drawer.copyAhead(of: context)
        else { return (LumaPlane.reduce(frame), nil) }
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
                ? "frames wait for their results" : "frames do not wait, and an idle detector takes the newest")
                + ", because strategy=\(settings.strategy), mode=\(settings.scene.mode) and upstream "
                + (incoming.isLive ? "is live" : "is not live")
                + "; up to \(plan.maximumHeldFrames) frames are held for later ones, the inference hint is "
                + "\(plan.hint), the latency \(plan.latency) ns")
    }

    // MARK: The detector

    /// Queries upstream elements and updates the detector. If frames wait for their results, this function waits for
    /// the first detector.
    private func prepareSource(_ settings: Settings) throws {
        incoming.queryUpstream()
        if try sources.adapt(to: settings, isLive: incoming.isLive) { noteSource() }
        guard sources.source == nil, SchedulePlan(settings: settings, isLive: incoming.isLive).waits else { return }
        try sources.awaitFirst(signals)
        if try sources.adapt(to: settings, isLive: incoming.isLive) { noteSource() }
    }

    /// Queries upstream elements and may load a detector, because the number depends on the detector.
    func framesHeld(_ settings: Settings) -> Int {
        // An error in this call occurs again at the first frame and is reported then.
        try? prepareSource(settings)
        let count = planner.plan(for: settings, isLive: false).maximumHeldFrames
        allocation = (count, count)
        return count
    }

    private func noteSource() {
        redaction.noteSource()
        statistics.watch(sources.source)
        planner.update { $0.capacity = sources.source?.capacity ?? 1 }
    }

    private func announceLatency(_ settings: Settings) {
        guard planner.hasLatencyChanged(settings) else { return }
        element.log(.info, "the latency changes to \(planner.plan(for: settings, isLive: incoming.isLive).latency) ns")
        element.announceLatency()
    }

    // MARK: Frames out

    /// A live stream warns when this number of frames had omitted objects. It corresponds to 10 s at 30 frames per
    /// second.
    private static let leftOutFramesUntilWarning = 300

    func setOverlay(_ attaches: Bool) { finisher.drawer.attachesOverlay = attaches }

    /// Posts pending warnings. Called when the element stops, whether or not the stream has ended.
    func stop() {
        finisher.warnOfLeftOut()
        redaction.finishStream()
    }

    /// `flow` is returned to the upstream element.
    struct Stop: Error {
        let flow: GstFlowReturn
    }

    /// Returns the next finished frame, or the next event in order. Returns `nil` if the next frame is held or if
    /// nothing is queued.
    ///
    /// - Parameter draining: whether all frames are to be finished because no more frames arrive.
    func produce(draining: Bool) throws(Stop) -> UnsafeMutableRawPointer? {
        while true {
            if let first = held.first, isRevealed(first, draining: draining) { return try emit(held.removeFirst()) }
            guard let first = queue.first else { return nil }
            if case .frame(let frame) = first, !draining, !isDue(frame) { return nil }
            let item = queue.removeFirst()
            guard case .frame(let frame) = item else {
                guard !held.isEmpty else { return try emit(item) }
                held.append(item)
                continue
            }
            redactionDepth = planner.plan(for: frame.settings, isLive: incoming.isLive).redactionDepth
            guard redactionDepth > 0 || !held.isEmpty else { return try finish(frame) }
            try hold(frame)
        }
    }

    /// Returns whether all boxes to redact in a frame are known, so that the frame need not be held any longer.
    private func isRevealed(_ item: FrameQueue.Item, draining: Bool) -> Bool {
        guard case .processed(let frame) = item else { return true }
        if held.frameCount > redactionDepth || draining && queue.isEmpty { return true }
        // Frames are not counted, because the frame rate in the caps can be wrong or an average.
        return latestHeldTime.since(frame.context.time) >= SchedulePlan.redactionSpan
    }

    private func emit(_ item: FrameQueue.Item) throws(Stop) -> UnsafeMutableRawPointer {
        switch item {
        case .event(let event): return UnsafeMutableRawPointer(event)
        case .unchanged(let buffer): return UnsafeMutableRawPointer(buffer)
        case .frame(let frame): return try finish(frame)
        case .processed(let frame):
            return try releasingOnFailure(frame.context.buffer) { try finisher.complete(frame, buffer: &$0) }
        }
    }

    private func isDue(_ frame: FrameContext) -> Bool {
        let plan = planner.plan(for: frame.settings, isLive: incoming.isLive)
        let later = max(plan.depth, frame.answers.contains(where: \.overlapsNext) ? 1 : 0)
        return queue.frameCount > later || (!plan.isSequential && frame.answers.allSatisfy(\.promise.isDone))
    }

    private func finish(_ frame: FrameContext) throws(Stop) -> UnsafeMutableRawPointer {
        let begin = MonotonicClock.now
        return try releasingOnFailure(frame.buffer) { buffer in
            try finisher.finish(frame, answers: takeAnswers(of: frame), buffer: &buffer)
            note(frame, since: begin)
        }
    }

    private func hold(_ frame: FrameContext) throws(Stop) {
        let begin = MonotonicClock.now
        _ = try releasingOnFailure(frame.buffer) { _ in
            held.append(.processed(try finisher.process(frame, answers: takeAnswers(of: frame), posts: true)))
            latestHeldTime = frame.time
            note(frame, since: begin)
        }
    }

    /// Calls `body`, which can replace the buffer. If `body` fails, the buffer is released.
    private func releasingOnFailure(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ body: (inout UnsafeMutablePointer<GstBuffer>) throws -> Void
    ) throws(Stop) -> UnsafeMutableRawPointer {
        var buffer = buffer
        do {
            try body(&buffer)
            return UnsafeMutableRawPointer(buffer)
        } catch {
            throw stop(because: error, releasing: buffer)
        }
    }

    private func takeAnswers(of frame: FrameContext) throws -> [(StartedDetection, [Detection])] {
        let answers = try statistics.time(.wait) { try frame.answers.map { ($0, try signals.wait(for: $0.promise)) } }
        for (_, detections) in answers { try redaction.check(detections, frame.settings, sources.source) }
        if case .answered(let detections, _) = frame.precomputed {
            try redaction.check(detections, frame.settings, sources.source)
        }
        return answers
    }

    private func note(_ frame: FrameContext, since begin: Nanoseconds) {
        if incoming.isLive { finisher.warnOfLeftOut(after: Self.leftOutFramesUntilWarning) }
        // If a queued frame begins an epoch, inference on later frames must not depend on the tracks of the past epoch.
        if !queue.beginsEpoch { scheduler.note(frame, finisher.scene.snapshot) }
        var latest = finisher.activity
        latest.wantsInference = latest.wantsInference || scheduler.policy.seesUnexplainedMotion
        if frame.intervalPolicy == .auto { latest.seesMotion = scheduler.policy.seesMotion }
        activity.note(latest, at: frame.times, through: element)
        if frame.plan.waits {
            work.add(frame.work + MonotonicClock.now - begin)
            planner.update { $0.work = work.estimate }
        }
    }

    private func stop(because error: any Error, releasing buffer: UnsafeMutablePointer<GstBuffer>) -> Stop {
        gst_buffer_unref(buffer)
        if error is CancellationError { return Stop(flow: GST_FLOW_FLUSHING) }
        fail(error, redacts: redaction.isRequested)
        return Stop(flow: GST_FLOW_ERROR)
    }

    /// Posts the error and drops all queued frames. Later frames are dropped, too, because some elements upstream
    /// continue after an error.
    private func fail(_ error: any Error, redacts: Bool) {
        failure = redacts ? .final : .untilFlush
        dropFrames()
        element.fail(ElementProblem(error))
    }

    private func dropFrames() {
        held.flush()
        queue.flush()
        finisher.drawer.forgetHeld()
    }

    // MARK: Events

    /// Whether the next item that ``produce(draining:)`` returns will be a frame. If not, it will be an event, or
    /// nothing is queued.
    var isFrameNext: Bool {
        switch held.first ?? queue.first {
        case .frame, .processed, .unchanged: true
        case .event, nil: false
        }
    }

    /// Whether the latest caps are queued behind frames with earlier caps.
    var hasQueuedCaps: Bool { queue.hasCaps || held.hasCaps }

    /// Drops the queued frames after downstream has refused a frame, or the caps of the frames. After refused caps, the
    /// base class refuses later frames until it has negotiated.
    ///
    /// - Parameter isEnd: whether downstream has refused the frame because its stream has ended. It may accept queued
    ///   frames of the next segment, so they are not dropped.
    func dropRefused(isEnd: Bool) {
        hasRefusedFrames = true
        if isEnd { return }
        let count = queue.frameCount + held.frameCount
        if !held.removeFramesBeforeCaps() { queue.removeFramesBeforeCaps() }
        element.log(
            .debug,
            "a frame or its caps were refused: \(count - queue.frameCount - held.frameCount) queued frames are dropped")
    }

    /// Handles a serialised event that is not part of a flush.
    ///
    /// - Returns: `true` if frames are queued. In that case, the stream takes ownership of the event, and
    ///   ``produce(draining:)`` returns it in order.
    func notice(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        incoming.notice(event)
        switch event.pointee.type {
        case GST_EVENT_STREAM_START: redaction.beginStream()
        case GST_EVENT_CAPS:
            let format = incoming.format
            planner.update {
                ($0.frameDuration, $0.frameBytes) = (format?.frameDuration, Int(clamping: format?.info.size ?? 0))
            }
        case GST_EVENT_EOS:
            // Downstream has refused the frames that are still queued. Without this, the event would wait for them.
            let isComplete = queue.isEmpty && held.isEmpty && !hasRefusedFrames && failure == nil
            dropFrames()
            // A flush or the stop may have interrupted the wait for the last frames.
            if signals.isInterrupted { break }
            finisher.finishStream(isComplete: isComplete)
            // Before the end of the stream is forwarded, because many applications then stop reading messages.
            redaction.finishStream()
            do {
                try sources.source?.finishStream { element.warn($0) }
            } catch {
                element.fail(ElementProblem(error, doing: "the stream ends"))
            }
        case GST_EVENT_CUSTOM_DOWNSTREAM where gst_video_event_parse_still_frame(event, nil) != 0 && incoming.isStill:
            activity.repeatLatest(through: element)
        default: break
        }
        guard !queue.isEmpty || !held.isEmpty else { return false }
        queue.append(.event(event))
        return true
    }

    /// Discards all queued frames at a flush.
    func flush() {
        element.log(.debug, "flush: \(queue.frameCount + held.frameCount) queued frames are dropped")
        dropFrames()
        hasRefusedFrames = false
        if failure == .untilFlush { failure = nil }
        // The next frame sends an event, because a flush also clears the state of elements upstream.
        activity = ActivityEvent()
        guard let reason = incoming.flush() else { return }
        forgetEpoch()
        finisher.beginEpoch(reason)
    }

    /// Discards the detector's state and cancels the inference in flight at the end of an epoch. Queued frames of that
    /// epoch still receive their results, so the detector is reset only if no frame is queued. A detector that keeps
    /// state from frame to frame never has queued frames.
    private func forgetEpoch() {
        if queue.frameCount == 0 { sources.source?.reset() }
        scheduler.forgetEpoch()
    }
}
