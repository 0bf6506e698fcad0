import CGStreamer
import SwiftODT

/// One run of the element from start to stop: takes frames in, has them looked at, and gives them out finished, in order.
///
/// Belongs to the streaming thread; other threads speak to it through ``StreamSignals``.
final class Stream {
    private let element: ElementHandle
    private let statistics: Statistics
    private let signals: StreamSignals
    private let finisher: FrameFinisher
    private let makeSource: DetectionSource.Maker

    private var source: DetectionSource
    private var recipe: SourceRecipe
    private var format: StreamFormat?
    private var isLive: Bool
    private var hasAskedUpstream = false
    private var orientationTag = OrientationTag()
    private var clock = SteadyClock()
    private var hasWarnedOfMapping = false

    private var queue: [QueuedFrame] = []
    /// keep-only-latest: the detection that is under way.
    private var underWay: StartedDetection?
    private var framesSinceDetection = Int.max
    private var framesInEpoch = 0

    /// What of the settings a detector is made of and may change while it runs.
    private struct SourceRecipe: Equatable {
        let hint: InferenceHint
        let lookAhead: Int
    }

    init(
        element: ElementHandle, settings: Settings, statistics: Statistics, signals: StreamSignals,
        makeSource: @escaping DetectionSource.Maker
    ) throws {
        self.makeSource = makeSource
        self.element = element
        self.statistics = statistics
        self.signals = signals
        isLive = element.isUpstreamLive() ?? false
        let hint = signals.plan(for: settings, isLive: isLive).hint
        recipe = SourceRecipe(hint: hint, lookAhead: settings.lookAhead)
        source = try element.listening { try makeSource(settings, hint) { element.warn($0) } }
        statistics.watch(source)
        finisher = FrameFinisher(element: element, statistics: statistics)
        try finisher.prepareClassifier(settings)
        signals.set(capacity: source.capacity, frameDuration: nil)
    }

    deinit {
        statistics.watch(nil)
        dropQueue()
    }

    // MARK: Frames in

    func setFormat(_ format: StreamFormat) {
        if self.format != nil { beginEpoch() }
        self.format = format
        signals.set(capacity: source.capacity, frameDuration: format.frameDuration)
    }

    /// Takes over a frame.
    func submit(
        _ buffer: UnsafeMutablePointer<GstBuffer>, segment: UnsafePointer<GstSegment>, settings: Settings
    ) -> GstFlowReturn {
        guard let format, !signals.isInterrupted else {
            GstBufferReference.release(buffer)
            return format == nil ? GST_FLOW_NOT_NEGOTIATED : GST_FLOW_FLUSHING
        }
        if framesInEpoch > 0, GstBufferReference.hasFlag(buffer, GST_BUFFER_FLAG_DISCONT) { beginEpoch() }
        if signals.takeReset() { finisher.resetTracks() }
        do {
            try adapt(to: settings)
            queue.append(try look(at: buffer, in: format, segment: segment, settings: settings))
            framesInEpoch += 1
            statistics.update { $0.frames += 1 }
            return GST_FLOW_OK
        } catch is CancellationError {
            GstBufferReference.release(buffer)
            return GST_FLOW_FLUSHING
        } catch {
            GstBufferReference.release(buffer)
            element.fail(Complaint(error))
            return GST_FLOW_ERROR
        }
    }

    private func look(
        at buffer: UnsafeMutablePointer<GstBuffer>, in format: StreamFormat, segment: UnsafePointer<GstSegment>,
        settings: Settings
    ) throws -> QueuedFrame {
        let times = FrameTimes(buffer, segment: segment)
        let time = clock.time(of: times, frameDuration: format.frameDuration)
        let orientation = settings.orientation ?? orientationTag.orientation
        let plan = signals.plan(for: settings, isLive: isLive)

        var answers: [StartedDetection] = []
        if let done = underWay, done.ticket.isDone || plan.waits {
            answers.append(done)
            underWay = nil
        }
        let isFree = underWay == nil && !GstBufferReference.hasFlag(buffer, GST_BUFFER_FLAG_GAP)
        let isDue =
            isFree && (signals.takeDetection() || framesSinceDetection >= settings.inferenceInterval - 1)
        var luma: LumaPlane?
        if isDue || settings.scene.follows {
            let isMapped: Void? = try statistics.time(.start) {
                try format.withFrame(of: buffer, orientation: orientation, time: time) { frame in
                    if settings.scene.follows { luma = LumaPlane.reduce(frame) }
                    guard isDue else { return }
                    var options = settings.detection
                    options.isAwaited = plan.waits && plan.depth == 0
                    let startedAt = WallClock.now
                    let ticket = try signals.interruptible(by: source.cancel) {
                        try source.start(frame, of: buffer, options: options)
                    }
                    underWay = StartedDetection(
                        ticket: ticket, time: time, timestamp: times.timestamp, startedAt: startedAt, source: source)
                }
            }
            if isMapped == nil { warnOfMapping() }
        }
        if let started = underWay, isDue, plan.waits || started.ticket.isDone {
            answers.append(started)
            underWay = nil
        }
        framesSinceDetection = isDue ? 0 : min(framesSinceDetection, Int.max - 1) + 1
        if !isDue { statistics.update { $0.skipped += 1 } }
        return QueuedFrame(
            buffer: buffer, times: times, time: time, orientation: orientation, settings: settings, luma: luma,
            waits: plan.waits, answers: answers)
    }

    /// Follows what changes while the stream runs: who is upstream, and what the detector should strive for.
    private func adapt(to settings: Settings) throws {
        if !hasAskedUpstream {
            hasAskedUpstream = true
            isLive = element.isUpstreamLive() ?? isLive
        }
        let wanted = SourceRecipe(
            hint: signals.plan(for: settings, isLive: isLive).hint, lookAhead: settings.lookAhead)
        guard wanted != recipe else { return }
        recipe = wanted
        guard case .detector(let detector) = source, !(detector is MotionDetector) else { return }
        source = try element.listening { try makeSource(settings, wanted.hint) { element.warn($0) } }
        statistics.watch(source)
        signals.set(capacity: source.capacity, frameDuration: format?.frameDuration)
        element.announceLatency()
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

    // MARK: Frames out

    /// Why no more frames come.
    struct Stop: Error {
        let flow: GstFlowReturn
    }

    /// The next finished frame; `nil` while the first in line may still wait.
    func produce(draining: Bool) -> Result<UnsafeMutablePointer<GstBuffer>?, Stop> {
        guard let first = queue.first else { return .success(nil) }
        let depth = signals.plan(for: first.settings, isLive: isLive).depth
        let isReady = first.answers.allSatisfy(\.ticket.isDone)
        guard draining || isReady || queue.count > depth, let format else { return .success(nil) }
        queue.removeFirst()
        do {
            let answers = try statistics.time(.wait) {
                try first.answers.map { ($0, try signals.wait(for: $0.ticket)) }
            }
            return .success(try finisher.finish(first, answers: answers, format: format))
        } catch is CancellationError {
            GstBufferReference.release(first.buffer)
            return .failure(Stop(flow: GST_FLOW_FLUSHING))
        } catch {
            GstBufferReference.release(first.buffer)
            element.fail(Complaint(error))
            return .failure(Stop(flow: GST_FLOW_ERROR))
        }
    }

    // MARK: Events

    /// All that was under way is void: a seek, or an application that wants to be rid of it.
    func flush() {
        dropQueue()
        if framesInEpoch > 0 { beginEpoch() }
    }

    /// Nothing is queued any more.
    func finish() { finisher.finishStream() }

    func noticeSegment() {
        if framesInEpoch > 0 { beginEpoch() }
    }

    func noticeStreamStart() { orientationTag = OrientationTag() }

    func notice(tags: UnsafePointer<GstTagList>) { orientationTag.notice(tags) }

    private func beginEpoch() {
        underWay?.ticket.cancel()
        underWay = nil
        source.reset()
        clock.reset()
        framesSinceDetection = Int.max
        framesInEpoch = 0
        finisher.beginEpoch()
    }

    private func dropQueue() {
        for frame in queue {
            for answer in frame.answers { answer.ticket.cancel() }
            GstBufferReference.release(frame.buffer)
        }
        queue.removeAll()
    }
}
