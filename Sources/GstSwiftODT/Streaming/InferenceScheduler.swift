import CODTGStreamer
import SwiftODT

/// Decides on which frames and regions inference runs, and starts it. Holds the inference in flight if no frame waits
/// for it.
///
/// A scheduler belongs to the streaming thread.
struct InferenceScheduler {
    private let element: ElementHandle
    private let statistics: Statistics
    private let signals: StreamSignals
    private let recorder: DetectionRecorder?
    private(set) var policy = InferencePolicy()
    /// `nil` if `zoom` is off.
    private var regionSelector: RegionSelector?
    /// The inference in flight that has not been assigned to a frame yet. If frames wait for their results, each
    /// inference is assigned to its frame at once.
    private var inFlight: StartedDetection?
    /// Whether an inference has started whose result no frame has taken.
    var isPending: Bool { inFlight != nil }
    private let turn = InferenceTurn()
    /// Whether the stream has claimed a turn for inference (`share-inference`) and is still waiting for it.
    private var hasClaim = false
    /// The time of the latest frame (`latestFrame`), and the time between the latest two frames (`frameInterval`).
    private var (latestFrame, frameInterval) = (Nanoseconds?.none, SchedulePlan.usualFrameDuration)

    init(element: ElementHandle, statistics: Statistics, signals: StreamSignals, recorder: DetectionRecorder?) {
        (self.element, self.statistics, self.signals, self.recorder) = (element, statistics, signals, recorder)
    }

    // MARK: Results

    /// Returns and removes the started inference if it has finished, or if a frame will wait for it (`isAwaited`).
    mutating func takeAnswer(isAwaited: Bool) -> StartedDetection? {
        guard let begun = inFlight, isAwaited || begun.promise.isDone else { return nil }
        inFlight = nil
        return begun
    }

    /// Called after a frame has been finished. Updates the policies if the next inference depends on the tracks.
    mutating func note(_ context: FrameContext, _ snapshot: () -> TrackerSnapshot?) {
        let (choosesRegions, isAdaptive) = (context.settings.choosesRegions, context.intervalPolicy == .auto)
        guard choosesRegions || isAdaptive else { return }
        let snapshot = snapshot()
        if choosesRegions { regionSelector?.note(snapshot) }
        if isAdaptive { policy.note(snapshot) }
    }

    /// Discards the state of all objects. Inference then runs on the next frame and covers the full frame.
    mutating func forgetScene() {
        policy.reset()
        regionSelector = nil
    }

    mutating func forgetEpoch() {
        inFlight?.promise.cancel()
        inFlight = nil
        forgetScene()
    }

    // MARK: Inference

    /// Returns whether inference may run on a frame. If so, the caller maps the frame and calls ``infer(at:of:by:)``.
    func mayInfer(at context: FrameContext, by source: DetectionSource?) -> Bool {
        policy.mayInfer(frameState(context, source), at: context.intervalPolicy)
    }

    /// Starts inference on a frame if the policy selects it. Returns whether inference was started.
    mutating func infer(at frame: Frame, of context: FrameContext, by source: DetectionSource?) throws -> Bool {
        // Streams with redaction do not wait for the inferences of other streams.
        let shares =
            context.settings.sharesInference && !context.settings.requestsRedaction && source?.runsNetwork == true
        noteInterval(context)
        let (turn, signals, statistics, interval) = (turn, signals, statistics, frameInterval)
        var isClaimed = false
        let reason = try policy.reasonToInfer(
            frameState(context, source), in: frame.luma, at: context.intervalPolicy
        ) { utility in
            guard shares else { return true }
            let wait = try turn.take(utility, waits: context.plan.waits, interval: interval, signals)
            guard let wait else {
                isClaimed = true
                return false
            }
            statistics.update { $0.turns.add(wait) }
            return true
        }
        // An earlier claim is withdrawn if the policy does not select this frame, or if the stream no longer shares
        // inference.
        if hasClaim, !isClaimed, reason == nil || !shares { turn.withdraw() }
        hasClaim = isClaimed
        guard let reason, let source else {
            noteSkipped(context, source)
            return false
        }
        if reason == .requested { signals.noteRequestedDetection() }
        do {
            let started = try begin(frame, of: context, because: reason, by: source, shares: shares)
            if shares { started.promise.whenDone { InferenceTurn.end() } }
            inFlight = started
        } catch {
            if shares { InferenceTurn.cancel() }
            throw error
        }
        statistics.update { $0.inferences[reason, default: 0] += 1 }
        element.log(.log, "detection started at the frame of \(context.times): \(reason.rawValue)")
        return true
    }

    private mutating func noteInterval(_ context: FrameContext) {
        if let latestFrame { frameInterval = max(0, context.time.since(latestFrame)) }
        latestFrame = context.time
    }

    mutating func pass(_ context: FrameContext, _ source: DetectionSource?) {
        noteInterval(context)
        policy.pass()
        noteSkipped(context, source)
    }

    mutating func miss(_ context: FrameContext) {
        noteInterval(context)
        policy.pass()
        statistics.update {
            $0.skipped += 1
            $0.unreadable += 1
        }
        element.log(.log, "the frame of \(context.times) cannot be mapped and passes without detection")
    }

    private func frameState(_ context: FrameContext, _ source: DetectionSource?) -> InferencePolicy.FrameState {
        // In a stream, inference does not run on a frame with the flag GAP. With redaction it does, because the frame is
        // shown.
        let settings = context.settings
        let isSkippedGap = context.isGap && !settings.requestsRedaction && settings.scene.mode == .stream
        let isDetectorIdle = inFlight == nil && source != nil && !isSkippedGap && !context.precomputed.isNotInferred
        return InferencePolicy.FrameState(
            time: context.time, isDetectorIdle: isDetectorIdle, isRequested: isDetectorIdle && signals.wantsDetection,
            isRedacted: settings.redacts)
    }

    private mutating func begin(
        _ frame: Frame, of context: FrameContext, because reason: InferencePolicy.Reason, by source: DetectionSource,
        shares: Bool
    ) throws -> StartedDetection {
        let precomputed = try precomputed(of: context, frame, source)
        var options = context.settings.detection
        let overlapsNext = context.plan.overlapsKnownInferences && policy.isNextInferenceCertain
        options.isAwaited = context.plan.waits && context.plan.depth == 0 && !overlapsNext && !shares
        var region = chooseRegion(of: frame, because: reason, for: source, context.settings)
        if let region { options.view = .region(region) }
        let startedAt = MonotonicClock.now
        let promise: DetectionPromise
        if case .answered(let detections, let seen) = precomputed {
            (promise, region) = (DetectionPromise(detections), seen)
        } else {
            promise = try signals.interruptible(by: source.cancel) {
                try source.start(frame, of: context.buffer, options: options)
            }
        }
        return StartedDetection(
            promise: promise,
            region: region.map {
                InferredRegion(
                    $0, width: frame.width, height: frame.height, pixelAspectRatio: frame.pixelAspectRatio)
            },
            overlapsNext: overlapsNext, time: context.time, timestamp: context.times.timestamp,
            key: context.key, startedAt: startedAt, source: source)
    }

    /// Returns the precomputed result of a frame. If a recording is resumed, its existing part also contains results.
    private func precomputed(
        of context: FrameContext, _ frame: Frame, _ source: DetectionSource
    ) throws -> PrecomputedResult {
        guard let recorder else { return context.precomputed }
        try recorder.begin(context, frame, by: source)
        if case .unknown = context.precomputed { return try recorder.precomputedResult(context) }
        return context.precomputed
    }

    /// Returns `nil` for the full frame.
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
        // The selector is moved out of the property, because modifying a copy would copy its arrays.
        var choice = regionSelector.take() ?? RegionSelector()
        let (region, reason) = choice.next(
            at: frame.time, because: cause, isCameraMoving: policy.isNextInferenceCertain, in: picture, luma: frame.luma
        )
        regionSelector = choice
        statistics.update { $0.regions[reason, default: 0] += 1 }
        element.log(.log, "inference region \(region.map { "\($0)" } ?? "full frame"): \(reason.rawValue)")
        return region
    }

    // MARK: Skipped frames

    private func noteSkipped(_ context: FrameContext, _ source: DetectionSource?) {
        statistics.update { $0.skipped += 1 }
        element.log(.log, "no detection at the frame of \(context.times): \(reasonToSkip(context, source))")
    }

    private func reasonToSkip(_ context: FrameContext, _ source: DetectionSource?) -> String {
        if context.precomputed.isNotInferred {
            return "neither the recording nor an element upstream has a result for it"
        }
        if inFlight != nil { return "a detection is in flight" }
        if source == nil { return "the detector is still being loaded" }
        return context.isGap ? "it is marked as a gap" : "none is due"
    }
}
