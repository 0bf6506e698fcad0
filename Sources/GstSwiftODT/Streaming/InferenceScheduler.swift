import CGStreamer
import SwiftODT

/// Has frames looked at: decides of each whether it is and at which part, has the look begun, and keeps one that nobody waits for until
/// it is done.
///
/// Belongs to the streaming thread.
struct InferenceScheduler {
    /// A frame that has come, and who may look at it.
    struct IncomingFrame {
        let buffer: UnsafeMutablePointer<GstBuffer>
        let context: FrameContext
        /// Steady running time.
        let time: Nanoseconds
        let plan: SchedulePlan
        /// `nil` while the detector is still being made.
        let source: DetectionSource?
        let precomputed: PrecomputedResult

        var settings: Settings { context.settings }
        var intervalPolicy: InferencePolicy.Interval { source?.intervalPolicy(settings) ?? settings.intervalPolicy }
        var isGap: Bool { GstBufferReference.hasFlag(buffer, GST_BUFFER_FLAG_GAP) }
    }

    private let element: ElementHandle
    private let statistics: Statistics
    private let signals: StreamSignals
    private let recorder: DetectionRecorder?
    private var policy = InferencePolicy()
    /// Where parts are chosen.
    private var regionSelector: RegionSelector?
    /// keep-only-latest: the look that has begun and is not answered yet.
    private var inFlight: StartedDetection?

    init(element: ElementHandle, statistics: Statistics, signals: StreamSignals, recorder: DetectionRecorder?) {
        (self.element, self.statistics, self.signals, self.recorder) = (element, statistics, signals, recorder)
    }

    // MARK: What became of looks

    /// The look that is under way, where it is done or is waited for.
    mutating func takeAnswer(isAwaited: Bool) -> StartedDetection? {
        guard let begun = inFlight, isAwaited || begun.promise.isDone else { return nil }
        inFlight = nil
        return begun
    }

    /// A frame is finished: takes in what is known of its objects, as far as the next look hangs on that.
    mutating func note(_ frame: QueuedFrame, _ snapshot: () -> TrackerSnapshot?) {
        let (choosesRegions, isPaced) = (frame.settings.choosesRegions, frame.intervalPolicy == .auto)
        guard choosesRegions || isPaced else { return }
        let snapshot = snapshot()
        if choosesRegions { regionSelector?.note(snapshot) }
        if isPaced { policy.note(snapshot) }
    }

    /// Whatever is known of objects ends: the next frame is looked at, and all of it.
    mutating func forgetScene() {
        policy.reset()
        regionSelector = nil
    }

    /// Another time begins, too.
    mutating func forgetEpoch() {
        inFlight?.promise.cancel()
        inFlight = nil
        forgetScene()
    }

    // MARK: Looking

    /// Whether a frame may turn out to be looked at, so that it has to be mapped.
    func mayInfer(at incoming: IncomingFrame) -> Bool { policy.mayInfer(frameState(incoming), at: incoming.intervalPolicy) }

    /// Looks at a frame, or lets it pass.
    ///
    /// - Returns: whether it is looked at.
    mutating func infer(at frame: Frame, of incoming: IncomingFrame) throws -> Bool {
        guard let reason = policy.reasonToInfer(frameState(incoming), in: frame.luma, at: incoming.intervalPolicy),
            let source = incoming.source
        else {
            noteSkipped(incoming)
            return false
        }
        if reason == .requested { signals.noteRequestedDetection() }
        inFlight = try begin(frame, of: incoming, because: reason, by: source)
        statistics.count(reason)
        element.log(.log, "a detection has begun at the frame of \(incoming.context.times): \(reason.rawValue)")
        return true
    }

    /// A frame goes by that need not be looked at.
    mutating func pass(_ incoming: IncomingFrame) {
        policy.pass()
        noteSkipped(incoming)
    }

    /// A frame goes by that nobody can look at.
    mutating func miss(_ incoming: IncomingFrame) {
        policy.pass()
        statistics.update {
            $0.skipped += 1
            $0.notInferred += 1
        }
        element.log(.log, "the frame of \(incoming.context.times) passes unseen")
    }

    private func frameState(_ incoming: IncomingFrame) -> InferencePolicy.FrameState {
        let isDetectorIdle = inFlight == nil && incoming.source != nil && !incoming.isGap && !incoming.precomputed.isNotInferred
        return InferencePolicy.FrameState(
            time: incoming.time, isDetectorIdle: isDetectorIdle, isRequested: isDetectorIdle && signals.wantsDetection)
    }

    private mutating func begin(
        _ frame: Frame, of incoming: IncomingFrame, because reason: InferencePolicy.Reason, by source: DetectionSource
    ) throws -> StartedDetection {
        let precomputed = try precomputed(of: incoming, source)
        var options = incoming.settings.detection
        let overlapsNext = incoming.plan.overlapsKnownInferences && policy.isNextInferenceCertain
        options.isAwaited = incoming.plan.waits && incoming.plan.depth == 0 && !overlapsNext
        var region = chooseRegion(of: frame, because: reason, for: source, incoming.settings)
        if let region { options.view = .region(region) }
        let startedAt = MonotonicClock.now
        let promise: DetectionPromise
        if case .answered(let detections, let seen) = precomputed {
            (promise, region) = (DetectionPromise(detections), seen)
        } else {
            promise = try signals.interruptible(by: source.cancel) {
                try source.start(frame, of: incoming.buffer, options: options)
            }
        }
        return StartedDetection(
            promise: promise,
            region: region.map {
                InferredRegion(
                    $0, width: frame.width, height: frame.height, pixelAspectRatio: frame.pixelAspectRatio)
            },
            overlapsNext: overlapsNext, time: incoming.time, timestamp: incoming.context.times.timestamp,
            key: incoming.context.key, startedAt: startedAt, source: source)
    }

    /// What has been recorded of a frame before counts, too.
    private func precomputed(of incoming: IncomingFrame, _ source: DetectionSource) throws -> PrecomputedResult {
        guard let recorder else { return incoming.precomputed }
        try recorder.begin(incoming.context, isSubstitute: source.isSubstitute)
        if case .open = incoming.precomputed { return try recorder.precomputedResult(incoming.context) }
        return incoming.precomputed
    }

    /// The part of a frame that is looked at; `nil` for all of it.
    private mutating func chooseRegion(
        of frame: Frame, because cause: InferencePolicy.Reason, for source: DetectionSource, _ settings: Settings
    ) -> Box? {
        guard settings.choosesRegions, let input = source.inputSize else {
            regionSelector = nil
            return nil
        }
        let picture = RegionSelector.Geometry(
            width: frame.width, height: frame.height, pixelAspectRatio: frame.pixelAspectRatio,
            turned: frame.orientation.swapsAxes, input: input)
        // Taken, not copied.
        var choice = regionSelector.take() ?? RegionSelector()
        let (region, reason) = choice.next(at: frame.time, because: cause, in: picture, luma: frame.luma)
        regionSelector = choice
        statistics.count(reason)
        element.log(.log, "the look is at \(region.map { "\($0)" } ?? "the whole picture"): \(reason.rawValue)")
        return region
    }

    // MARK: Not looking

    private func noteSkipped(_ incoming: IncomingFrame) {
        statistics.update { $0.skipped += 1 }
        element.log(.log, "the frame of \(incoming.context.times) is not looked at: \(reasonToSkip(incoming))")
    }

    /// For a log.
    private func reasonToSkip(_ incoming: IncomingFrame) -> String {
        if incoming.precomputed.isNotInferred { return "the recording has nothing of it" }
        if inFlight != nil { return "a detection is under way" }
        if incoming.source == nil { return "the detector is still being made" }
        return incoming.isGap ? "it is marked as a gap" : "it is not its turn"
    }
}
