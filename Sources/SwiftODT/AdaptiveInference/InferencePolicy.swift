/// Decides for each frame of a stream whether to run inference on it.
///
/// Pass every frame in order, either to ``reasonToInfer(_:in:at:isAdmitted:)`` or, if ``mayInfer(_:at:)`` returns
/// `false`, to ``pass()``. After each finished frame, pass the tracker's state to ``note(_:)``. The policy does not
/// read the system clock: the same sequence of frames and results gives the same decisions.
///
///     var policy = InferencePolicy()
///     for frame in frames {
///         let frameState = InferencePolicy.FrameState(time: frame.time, isDetectorIdle: detector.isDetectorIdle)
///         let reason = policy.reasonToInfer(frameState, in: plane, at: .auto) { _ in true }
///         if let reason { detect(frame, because: reason) }
///         policy.note(scene.snapshot())
///     }
package struct InferencePolicy: Sendable {
    package enum Interval: Hashable, Sendable {
        case every(Int)
        /// The interval is adaptive, see ``AdaptiveIntervalPolicy``.
        case auto
    }

    /// The reason why inference runs on a frame. The raw values appear in the debug log and in the property `stats`,
    /// for example as `inferences.motion`.
    package enum Reason: String, CaseIterable, Sendable {
        case requested
        /// The fixed interval since the last inference has elapsed. See ``Interval/every(_:)``.
        case interval
        /// There has been no inference yet, or there is no earlier frame to compare this frame with.
        case start
        /// The whole picture has changed because of a cut or camera motion.
        case sceneChange = "scene-change"
        case tentative
        /// A tracked object was not detected at its predicted position.
        case missed
        case motion
        /// There is unexplained motion where an earlier inference detected nothing.
        case recurringMotion = "recurring-motion"
        /// A box has reached its ``ExtrapolationLimit``.
        case drift
        /// The content of an extrapolated box no longer matches the object's appearance.
        case appearanceChange = "appearance-change"
        /// The refresh interval has elapsed.
        case refresh

        /// Whether objects or motion at a known position triggered the inference. The inference should then cover this
        /// position instead of an area whose latest inference was a long time ago.
        var isTriggeredByObjects: Bool {
            switch self {
            case .tentative, .missed, .motion, .recurringMotion, .drift, .appearanceChange: true
            case .requested, .interval, .start, .sceneChange, .refresh: false
            }
        }
    }

    package struct FrameState: Sendable {
        /// In nanoseconds of running time.
        package var time: Nanoseconds
        package var isDetectorIdle: Bool
        /// Whether the caller requests an inference of the frame. The request is ignored if the detector is busy.
        package var isRequested: Bool
        /// Whether objects are redacted. A new object then must not stay undetected for long.
        package var isRedacted: Bool

        package init(
            time: Nanoseconds, isDetectorIdle: Bool, isRequested: Bool = false, isRedacted: Bool = false
        ) {
            (self.time, self.isDetectorIdle) = (time, isDetectorIdle)
            (self.isRequested, self.isRedacted) = (isRequested, isRedacted)
        }
    }

    private var framesSinceInference = Int.max
    private var adaptive = AdaptiveIntervalPolicy()

    package init() {}

    /// Returns whether inference may run on a frame. If not, the caller need not map the frame.
    package func mayInfer(_ frameState: FrameState, at intervalPolicy: Interval) -> Bool {
        guard frameState.isDetectorIdle else { return false }
        return switch intervalPolicy {
        case .every(let interval): frameState.isRequested || framesSinceInference >= interval - 1
        case .auto: true
        }
    }

    /// Returns the reason to run inference on a frame, or `nil`. The caller must run the inference if there is a
    /// reason.
    ///
    /// - Parameters:
    ///   - plane: the reduced grey copy of the frame. With `nil`, ``Interval/auto`` always returns a reason.
    ///   - isAdmitted: returns whether the caller can run an inference of this utility now. If it returns `false`, the
    ///     result of this function is `nil`, and the same reason can apply to a later frame.
    package mutating func reasonToInfer(
        _ frameState: FrameState, in plane: LumaPlane?, at intervalPolicy: Interval,
        isAdmitted: (_ utility: Double) throws -> Bool
    ) rethrows -> Reason? {
        var frameState = frameState
        frameState.time = frameState.time.clampedToRange
        adaptive.noteFrame(at: frameState.time)
        adaptive.isRedacted = frameState.isRedacted
        guard mayInfer(frameState, at: intervalPolicy), let reason = reason(frameState, in: plane, at: intervalPolicy),
            try isAdmitted(adaptive.utility(because: reason, at: frameState.time))
        else {
            pass()
            return nil
        }
        framesSinceInference = 0
        if intervalPolicy == .auto {
            adaptive.noteInference(at: frameState.time, in: plane)
        } else {
            adaptive = AdaptiveIntervalPolicy()
        }
        return reason
    }

    private mutating func reason(_ frameState: FrameState, in plane: LumaPlane?, at intervalPolicy: Interval) -> Reason?
    {
        if frameState.isRequested { return .requested }
        return intervalPolicy == .auto ? adaptive.reason(at: frameState.time, in: plane) : .interval
    }

    /// Whether inference will run on the next frame, regardless of the result of the current frame. If so, the caller
    /// need not wait for the current result before it calls ``reasonToInfer(_:in:at:isAdmitted:)`` again.
    package var isNextInferenceCertain: Bool { adaptive.isNextInferenceCertain }

    /// Whether the latest frame has motion that no track explains. `false` unless the interval is ``Interval/auto``.
    package var seesUnexplainedMotion: Bool { adaptive.seesUnexplainedMotion }

    /// Whether the latest frame differs from the frame of the latest inference. `false` unless the interval is
    /// ``Interval/auto``.
    package var seesMotion: Bool { adaptive.seesMotion }

    package mutating func pass() { framesSinceInference = min(framesSinceInference, Int.max - 1) + 1 }

    /// Records the tracker's state after a finished frame. ``Interval/auto`` requires it after every frame.
    package mutating func note(_ snapshot: TrackerSnapshot?) { adaptive.note(snapshot) }

    /// Discards all state, for example after a seek. Inference runs on the next frame.
    package mutating func reset() { self = InferencePolicy() }
}
