import SwiftODT

/// Whether frames wait for their detection, and how many may wait while later ones are already being looked at.
struct SchedulePlan: Equatable {
    /// More would only hold back buffers that the decoder's pool may miss.
    static let maximumWaiting = 32
    /// What frames that wait for redaction may take up of time, and of memory.
    private static let redactionSpan: Nanoseconds = 1_000_000_000
    private static let redactionBytes = 256 << 20
    /// Where neither frames nor caps say how long one lasts.
    static let usualFrameDuration: Nanoseconds = 33_333_333

    /// Each frame waits for its own result; otherwise no frame waits for anything.
    let waits: Bool
    /// How many frames may wait in the element: what look-ahead costs in latency.
    let depth: Int
    /// How many frames whose results are complete wait for later ones, which show what has to be redacted in them.
    let redactionDepth: Int
    /// Whether a frame is finished when `depth` later ones have come, and no sooner: where the next look is, hangs on what became of
    /// the looks before, and how many of them have ended by then must not hang on the machine's speed.
    let isSequential: Bool
    /// Whether a frame that is looked at whatever the one before has shown, as a camera's that turns, is chosen before that one is
    /// finished, so that two looks are under way.
    let overlapsKnownInferences: Bool
    /// What the runtime should strive for.
    let hint: InferenceHint
    /// What the element adds to the stream's. Its work counts for live streams alone, whose frames come when they come.
    let latency: Nanoseconds

    /// - Parameters:
    ///   - capacity: how many detections the detector takes at once.
    ///   - frameBytes: how much memory a frame takes.
    ///   - work: what a frame that waits for its result takes beyond waiting for later ones.
    init(
        settings: Settings, isLive: Bool, capacity: Int = 1, frameDuration: Nanoseconds? = nil, frameBytes: Int = 0,
        work: Nanoseconds = 0
    ) {
        waits = Self.waits(settings, isLive: isLive)
        let isPaced = settings.intervalPolicy == .auto
        // Looks of few threads cost least, which is what looking when it pays is for; live, its frame waits for each.
        let looksAhead = waits && settings.lookAhead != 1 && !(isPaced && isLive)
        hint = looksAhead ? .throughput : .latency
        isSequential = looksAhead && (settings.choosesRegions || isPaced)
        overlapsKnownInferences = looksAhead && isPaced
        let asked = settings.inFlightLimit(for: hint)
        let inFlight = asked == 0 ? capacity : min(asked, capacity)
        // In step a frame waits until the next look has begun, however many the detector takes at once. Whether it is looked at at all
        // hangs on what became of the one before, which therefore has to be finished by then.
        let inferencesToWaitFor = isPaced ? 0 : isSequential ? 1 : inFlight > 1 ? inFlight : 0
        depth = min(inferencesToWaitFor * max(1, settings.inferenceInterval), Self.maximumWaiting)
        let step = max(1, frameDuration ?? Self.usualFrameDuration)
        redactionDepth =
            settings.redacts && waits && !isLive && settings.scene.mode == .stream
            ? min(
                Int(clamping: Self.redactionSpan.adding(step - 1) / step), Self.maximumWaiting,
                Self.redactionBytes / max(1, frameBytes))
            : 0
        latency = step.times(depth + redactionDepth).adding(waits && isLive ? work : 0)
    }

    /// How many frames may wait for later ones at once.
    var maximumHeldFrames: Int { max(depth, overlapsKnownInferences ? 1 : 0) + redactionDepth }

    /// Whether another plan lets frames wait alike; latency may differ.
    func schedules(as other: SchedulePlan) -> Bool {
        (waits, depth, redactionDepth, isSequential, overlapsKnownInferences, hint)
            == (other.waits, other.depth, other.redactionDepth, other.isSequential, other.overlapsKnownInferences, other.hint)
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
