/// Decides for each frame of a stream whether it is looked at.
///
/// Every frame in order is either put to ``reasonToInfer(_:in:at:)`` or, where ``mayInfer(_:at:)`` says that this needs no asking, passed by
/// with ``pass()``; what is known of objects once a frame is finished is handed in with ``note(_:)``. Nothing here asks for the time of
/// day: the same frames and the same answers, handed in after the same frames, give the same looks.
///
///     var attention = InferencePolicy()
///     for frame in frames {
///         let frameState = InferencePolicy.FrameState(time: frame.time, isDetectorIdle: detector.isDetectorIdle)
///         if let reason = attention.reasonToInfer(frameState, in: plane, at: .auto) { detect(frame, because: reason) }
///         attention.note(scene.snapshot())
///     }
public struct InferencePolicy: Sendable {
    /// How often is looked.
    public enum Interval: Hashable, Sendable {
        /// At each n-th frame.
        case every(Int)
        /// When it pays, see ``AdaptiveIntervalPolicy``.
        case auto
    }

    /// Why a frame is looked at; the raw values stand in the debug log and, with `inferences-` before them, in `stats`.
    public enum Reason: String, CaseIterable, Sendable {
        /// Somebody asked for it in any case.
        case requested
        /// It is the n-th since the last one.
        case interval
        /// Nothing has been seen yet, or nothing that this picture can be compared with.
        case start
        /// The picture is another one all over: a cut, or a camera that moves.
        case sceneChange = "scene-change"
        /// An object has been seen, but not often enough to be told of.
        case tentative
        /// An object was not where it was expected, or not seen there.
        case missed
        /// Something moves that no known object explains.
        case motion
        /// The same, where it has been looked at in vain before.
        case recurringMotion = "recurring-motion"
        /// Boxes have been carried as far as it has gone well with them so far.
        case drift
        /// A box that was carried shows something else than it did.
        case appearanceChange = "appearance-change"
        /// It has not been looked for long.
        case refresh

        /// Whether somebody or something asks for an answer: no occasion to look around.
        var isTriggeredByObjects: Bool {
            switch self {
            case .tentative, .missed, .motion, .recurringMotion, .drift, .appearanceChange: true
            case .requested, .interval, .start, .sceneChange, .refresh: false
            }
        }
    }

    /// A frame that may be looked at.
    public struct FrameState: Sendable {
        /// Running time.
        public var time: Nanoseconds
        /// Whether there is somebody who can look now.
        public var isDetectorIdle: Bool
        /// Whether it is to be looked at in any case.
        public var isRequested: Bool

        public init(time: Nanoseconds, isDetectorIdle: Bool, isRequested: Bool = false) {
            (self.time, self.isDetectorIdle, self.isRequested) = (time, isDetectorIdle, isRequested)
        }
    }

    private var framesSinceInference = Int.max
    private var adaptive = AdaptiveIntervalPolicy()

    public init() {}

    /// Whether a frame may turn out to be looked at: spares those that surely are not from being mapped for it.
    public func mayInfer(_ frameState: FrameState, at intervalPolicy: Interval) -> Bool {
        guard frameState.isDetectorIdle else { return false }
        return switch intervalPolicy {
        case .every(let interval): frameState.isRequested || framesSinceInference >= interval - 1
        case .auto: true
        }
    }

    /// Whether a frame is looked at, and why; counts as looked at then.
    ///
    /// - Parameter plane: its small grey copy; where ``Interval/auto`` has none, it is looked at.
    public mutating func reasonToInfer(_ frameState: FrameState, in plane: LumaPlane?, at intervalPolicy: Interval) -> Reason? {
        var frameState = frameState
        frameState.time = frameState.time.clampedToRange
        adaptive.noteFrame(at: frameState.time)
        guard mayInfer(frameState, at: intervalPolicy), let reason = reason(frameState, in: plane, at: intervalPolicy) else {
            pass()
            return nil
        }
        framesSinceInference = 0
        if intervalPolicy == .auto { adaptive.noteInference(at: frameState.time, in: plane) } else { adaptive = AdaptiveIntervalPolicy() }
        return reason
    }

    private mutating func reason(_ frameState: FrameState, in plane: LumaPlane?, at intervalPolicy: Interval) -> Reason? {
        if frameState.isRequested { return .requested }
        return intervalPolicy == .auto ? adaptive.reason(at: frameState.time, in: plane) : .interval
    }

    /// Whether the next frame is going to be looked at whatever this look shows, as far as can be told: its answer need not be waited for
    /// before ``reasonToInfer(_:in:at:)`` is asked again.
    public var isNextInferenceCertain: Bool { adaptive.isNextInferenceCertain }

    /// A frame goes by that is not looked at.
    public mutating func pass() { framesSinceInference = min(framesSinceInference, Int.max - 1) + 1 }

    /// A frame is finished.
    ///
    /// - Parameter snapshot: what is known of its objects; ``Interval/auto`` wants it after every frame.
    public mutating func note(_ snapshot: TrackerSnapshot?) { adaptive.note(snapshot) }

    /// Another time begins: the next frame is looked at.
    public mutating func reset() { self = InferencePolicy() }
}
