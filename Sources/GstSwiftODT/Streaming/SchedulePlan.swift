import SwiftODT

/// Determines whether frames wait for their detections, and how many are held while inference runs on later ones.
struct SchedulePlan: Equatable {
    /// The limits for frames held for redaction, in time and memory.
    private static let redactionSpan: Nanoseconds = 1_000_000_000
    private static let redactionBytes = 256 << 20
    /// The frame duration if neither frames nor caps specify one.
    static let usualFrameDuration: Nanoseconds = 33_333_333

    /// Whether each frame waits for its own result; otherwise no frame waits.
    let waits: Bool
    /// The number of frames held for look-ahead, which adds latency.
    let depth: Int
    /// The number of frames with complete results that are held until later frames have completed their redaction.
    let redactionDepth: Int
    /// Whether a frame is finished exactly when `depth` later frames have arrived. The next inference depends on the
    /// results of earlier ones, so the number of finished inferences must not depend on the speed of the machine.
    let isSequential: Bool
    /// Whether a frame that will run inference regardless of the previous frame, as with a moving camera, is scheduled
    /// before the previous one is finished, so that two inferences are in flight.
    let overlapsKnownInferences: Bool
    /// The optimisation goal for the inference runtime.
    let hint: InferenceHint
    /// The latency that the element adds. The processing time is included for live streams only, because files are not
    /// paced.
    let latency: Nanoseconds

    /// - Parameters:
    ///   - capacity: the number of detections that the detector runs concurrently.
    ///   - frameBytes: the size of a frame in memory.
    ///   - work: the processing time of a frame that waits for its result, in addition to the frames held.
    init(
        settings: Settings, isLive: Bool, capacity: Int = 1, frameDuration: Nanoseconds? = nil, frameBytes: Int = 0,
        work: Nanoseconds = 0
    ) {
        waits = Self.waits(settings, isLive: isLive)
        let isAdaptive = settings.intervalPolicy == .auto
        // Throughput mode uses few threads per inference, which costs least in total and suits adaptive inference. In a
        // live stream the frame waits for each inference, so latency mode is used.
        let looksAhead = waits && settings.lookAhead != 1 && !(isAdaptive && isLive)
        hint = looksAhead ? .throughput : .latency
        isSequential = looksAhead && (settings.choosesRegions || isAdaptive)
        overlapsKnownInferences = looksAhead && isAdaptive
        let asked = settings.inFlightLimit(for: hint)
        let inFlight = asked == 0 ? capacity : min(asked, capacity)
        // In sequential mode a frame is held until the next inference has started, whatever the detector's capacity is.
        // In adaptive mode the need for the next inference depends on the previous one, which must be finished by then.
        let inferencesToWaitFor = isAdaptive ? 0 : isSequential ? 1 : inFlight > 1 ? inFlight : 0
        depth = min(inferencesToWaitFor * max(1, settings.inferenceInterval), Settings.maximumLookAhead)
        let step = max(1, frameDuration ?? Self.usualFrameDuration)
        redactionDepth =
            settings.redacts && waits && !isLive && settings.scene.mode == .stream
            ? min(
                Int(clamping: Self.redactionSpan.adding(step - 1) / step), Settings.maximumLookAhead,
                Self.redactionBytes / max(1, frameBytes))
            : 0
        latency = step.times(depth + redactionDepth).adding(waits && isLive ? work : 0)
    }

    /// The maximum number of frames held at once.
    var maximumHeldFrames: Int { max(depth, overlapsKnownInferences ? 1 : 0) + redactionDepth }

    /// Returns whether another plan schedules frames in the same way, apart from latency.
    func schedules(as other: SchedulePlan) -> Bool {
        (waits, depth, redactionDepth, isSequential, overlapsKnownInferences, hint)
            == (
                other.waits, other.depth, other.redactionDepth, other.isSequential, other.overlapsKnownInferences,
                other.hint
            )
    }

    private static func waits(_ settings: Settings, isLive: Bool) -> Bool {
        if settings.scene.mode == .singleImage { return true }
        return switch settings.strategy {
        case .auto: !isLive
        case .keepOnlyLatest: false
        case .everyFrame: true
        }
    }
}
