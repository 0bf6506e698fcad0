import CGStreamer
import SwiftODT

/// Decides which frames run inference and on which region, starts it, and holds an inference in flight that no frame
/// waits for.
///
/// A scheduler belongs to the streaming thread.
struct InferenceScheduler {
    /// An incoming frame with the detection source that may process it.
    struct IncomingFrame {
        let buffer: UnsafeMutablePointer<GstBuffer>
        let context: FrameContext
        /// Running time, made monotonic by ``SteadyClock``.
        let time: Nanoseconds
        let plan: SchedulePlan
        /// `nil` while the detector is being loaded.
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
    /// Chooses regions; `nil` if zooming is off.
    private var regionSelector: RegionSelector?
    /// The inference in flight, with `strategy=keep-only-latest`.
    private var inFlight: StartedDetection?

    init(element: ElementHandle, statistics: Statistics, signals: StreamSignals, recorder: DetectionRecorder?) {
        (self.element, self.statistics, self.signals, self.recorder) = (element, statistics, signals, recorder)
    }

    // MARK: Results

    /// Returns the inference in flight if it is finished or will be waited for.
    mutating func takeAnswer(isAwaited: Bool) -> StartedDetection? {
        guard let begun = inFlight, isAwaited || begun.promise.isDone else { return nil }
        inFlight = nil
        return begun
    }

    /// Updates the policies with the tracks after a frame is finished, if the next inference depends on them.
    mutating func note(_ frame: QueuedFrame, _ snapshot: () -> TrackerSnapshot?) {
        let (choosesRegions, isAdaptive) = (frame.settings.choosesRegions, frame.intervalPolicy == .auto)
        guard choosesRegions || isAdaptive else { return }
        let snapshot = snapshot()
        if choosesRegions { regionSelector?.note(snapshot) }
        if isAdaptive { policy.note(snapshot) }
    }

    /// Forgets all objects: the next frame runs full-frame inference.
    mutating func forgetScene() {
        policy.reset()
        regionSelector = nil
    }

    /// Begins a new epoch: also cancels the inference in flight.
    mutating func forgetEpoch() {
        inFlight?.promise.cancel()
        inFlight = nil
        forgetScene()
    }

    // MARK: Inference

    /// Returns whether inference may run on a frame, which must then be mapped.
    func mayInfer(at incoming: IncomingFrame) -> Bool {
        policy.mayInfer(frameState(incoming), at: incoming.intervalPolicy)
    }

    /// Starts inference on a frame if the policy selects it.
    ///
    /// - Returns: whether inference was started.
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
        element.log(.log, "detection started at the frame of \(incoming.context.times): \(reason.rawValue)")
        return true
    }

    /// Skips a frame that needs no inference.
    mutating func pass(_ incoming: IncomingFrame) {
        policy.pass()
        noteSkipped(incoming)
    }

    /// Skips a frame that cannot be mapped.
    mutating func miss(_ incoming: IncomingFrame) {
        policy.pass()
        statistics.update {
            $0.skipped += 1
            $0.unreadable += 1
        }
        element.log(.log, "the frame of \(incoming.context.times) cannot be mapped and passes without detection")
    }

    private func frameState(_ incoming: IncomingFrame) -> InferencePolicy.FrameState {
        let isDetectorIdle =
            inFlight == nil && incoming.source != nil && !incoming.isGap && !incoming.precomputed.isNotInferred
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

    /// Returns the precomputed result of the frame, including one from a resumed recording.
    private func precomputed(of incoming: IncomingFrame, _ source: DetectionSource) throws -> PrecomputedResult {
        guard let recorder else { return incoming.precomputed }
        try recorder.begin(incoming.context, isSubstitute: source.isSubstitute)
        if case .open = incoming.precomputed { return try recorder.precomputedResult(incoming.context) }
        return incoming.precomputed
    }

    /// Returns the region of a frame for inference; `nil` for the full frame.
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
        // Moved out of the property to avoid a copy.
        var choice = regionSelector.take() ?? RegionSelector()
        let (region, reason) = choice.next(at: frame.time, because: cause, in: picture, luma: frame.luma)
        regionSelector = choice
        statistics.count(reason)
        element.log(.log, "inference region \(region.map { "\($0)" } ?? "full frame"): \(reason.rawValue)")
        return region
    }

    // MARK: Skipped frames

    private func noteSkipped(_ incoming: IncomingFrame) {
        statistics.update { $0.skipped += 1 }
        element.log(.log, "no detection at the frame of \(incoming.context.times): \(reasonToSkip(incoming))")
    }

    /// The reason for the log.
    private func reasonToSkip(_ incoming: IncomingFrame) -> String {
        if incoming.precomputed.isNotInferred { return "the recording has no result for it" }
        if inFlight != nil { return "a detection is in flight" }
        if incoming.source == nil { return "the detector is still being loaded" }
        return incoming.isGap ? "it is marked as a gap" : "none is due"
    }
}
