/// Decides for each frame of a stream whether to run inference on it.
///
/// Every frame must be passed in order, either to ``reasonToInfer(_:in:at:)`` or, if ``mayInfer(_:at:)`` returns
/// `false`, to ``pass()``. After each finished frame, pass the tracker's state to ``note(_:)``. The policy does not
/// read the system clock: the same sequence of frames and results gives the same decisions.
///
///     var policy = InferencePolicy()
///     for frame in frames {
///         let frameState = InferencePolicy.FrameState(time: frame.time, isDetectorIdle: detector.isDetectorIdle)
///         if let reason = policy.reasonToInfer(frameState, in: plane, at: .auto) { detect(frame, because: reason) }
///         policy.note(scene.snapshot())
///     }
package struct InferencePolicy: Sendable {
    /// The interval between inferences.
    package enum Interval: Hashable, Sendable {
        /// Every n-th frame.
        case every(Int)
        /// Adaptive, see ``AdaptiveIntervalPolicy``.
        case auto
    }

    /// Why inference runs on a frame. The raw values are used in the debug log and, prefixed with `inferences-`, in
    /// `stats`.
    package enum Reason: String, CaseIterable, Sendable {
        /// The caller requested it.
        case requested
        /// The frame is the n-th since the last inference.
        case interval
        /// There has been no inference yet, or none that this frame can be compared with.
        case start
        /// The whole image has changed: a cut, or camera motion.
        case sceneChange = "scene-change"
        /// A track is tentative.
        case tentative
        /// An object was not detected at its predicted position.
        case missed
        /// Motion that no track explains.
        case motion
        /// Unexplained motion where an earlier inference detected nothing.
        case recurringMotion = "recurring-motion"
        /// A box has reached its ``ExtrapolationLimit``.
        case drift
        /// The content of an extrapolated box no longer matches the object's appearance.
        case appearanceChange = "appearance-change"
        /// The refresh interval has elapsed.
        case refresh

        /// Whether objects or motion at a known position triggered the inference, so that it should not be spent on
        /// coverage.
        var isTriggeredByObjects: Bool {
            switch self {
            case .tentative, .missed, .motion, .recurringMotion, .drift, .appearanceChange: true
            case .requested, .interval, .start, .sceneChange, .refresh: false
            }
        }
    }

    /// A frame that is a candidate for inference.
    package struct FrameState: Sendable {
        /// Running time in nanoseconds.
        package var time: Nanoseconds
        /// Whether the detector can accept a frame now.
        package var isDetectorIdle: Bool
        /// Whether inference on this frame is mandatory if the detector is idle.
        package var isRequested: Bool

        package init(time: Nanoseconds, isDetectorIdle: Bool, isRequested: Bool = false) {
            (self.time, self.isDetectorIdle, self.isRequested) = (time, isDetectorIdle, isRequested)
        }
    }

    private var framesSinceInference = Int.max
    private var adaptive = AdaptiveIntervalPolicy()

    package init() {}

    /// Returns whether inference may run on a frame. If not, the frame need not be mapped.
    package func mayInfer(_ frameState: FrameState, at intervalPolicy: Interval) -> Bool {
        guard frameState.isDetectorIdle else { return false }
        return switch intervalPolicy {
        case .every(let interval): frameState.isRequested || framesSinceInference >= interval - 1
        case .auto: true
        }
    }

    /// Returns the reason to run inference on a frame, or `nil`. A reason counts as an inference.
    ///
    /// - Parameter plane: the frame's reduced grey copy. Without one, ``Interval/auto`` always returns a reason.
    package mutating func reasonToInfer(_ frameState: FrameState, in plane: LumaPlane?, at intervalPolicy: Interval)
        -> Reason?
    {
        var frameState = frameState
        frameState.time = frameState.time.clampedToRange
        adaptive.noteFrame(at: frameState.time)
        guard mayInfer(frameState, at: intervalPolicy), let reason = reason(frameState, in: plane, at: intervalPolicy)
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

    /// Whether inference on the next frame is certain, regardless of the result of the current one. The caller then
    /// need not wait for that result before it calls ``reasonToInfer(_:in:at:)`` again.
    package var isNextInferenceCertain: Bool { adaptive.isNextInferenceCertain }

    /// Records a frame without inference.
    package mutating func pass() { framesSinceInference = min(framesSinceInference, Int.max - 1) + 1 }

    /// Records a finished frame.
    ///
    /// - Parameter snapshot: the tracker's state. ``Interval/auto`` requires it after every frame.
    package mutating func note(_ snapshot: TrackerSnapshot?) { adaptive.note(snapshot) }

    /// Restarts the policy for a new epoch. Inference runs on the next frame.
    package mutating func reset() { self = InferencePolicy() }
}
