import SwiftODT
import Synchronization

/// Creates schedule plans, and stores the reported latency to detect changes. The planner is thread-safe, because
/// pipelines query the latency from any thread.
final class SchedulePlanner: Sendable {
    struct Facts {
        var capacity = 1
        /// `nil` if the duration is variable.
        var frameDuration: Nanoseconds?
        var frameBytes = 0
        /// The processing time of a frame that waits for its result, without the time for which the queue holds the
        /// frame.
        var work: Nanoseconds = 0
        /// The latency last reported to the pipeline, and whether the stream was live.
        fileprivate var reportedLatency: (latency: Nanoseconds, isLive: Bool)?

        fileprivate func plan(for settings: Settings, isLive: Bool) -> SchedulePlan {
            SchedulePlan(
                settings: settings, isLive: isLive, capacity: capacity, frameDuration: frameDuration,
                frameBytes: frameBytes, work: work)
        }
    }

    private let facts = Mutex(Facts())

    func reset() { facts.withLock { $0 = Facts() } }

    func update(_ change: (inout Facts) -> Void) { facts.withLock { change(&$0) } }

    func plan(for settings: Settings, isLive: Bool) -> SchedulePlan {
        facts.withLock { $0.plan(for: settings, isLive: isLive) }
    }

    /// Returns the latency that the element adds, and remembers it as the reported latency.
    func reportLatency(_ settings: Settings, isLive: Bool) -> Nanoseconds {
        facts.withLock { facts in
            let latency = facts.plan(for: settings, isLive: isLive).latency
            facts.reportedLatency = (latency, isLive)
            return latency
        }
    }

    /// Returns whether the latency differs from the reported latency. If it differs, the caller posts a latency
    /// message, which makes the pipeline query the latency again. The new latency therefore counts as reported from now
    /// on.
    func hasLatencyChanged(_ settings: Settings) -> Bool {
        facts.withLock { facts in
            guard let reported = facts.reportedLatency else { return false }
            let latency = facts.plan(for: settings, isLive: reported.isLive).latency
            facts.reportedLatency = (latency, reported.isLive)
            return latency != reported.latency
        }
    }
}

/// Determines whether frames wait for their inferences, and how many frames are held while inference runs on later
/// frames.
struct SchedulePlan: Equatable {
    /// The limits for the frames that are held for redaction: their total duration (`redactionSpan`) and their total
    /// size in bytes (`redactionBytes`).
    static let redactionSpan: Nanoseconds = 1_000_000_000
    private static let redactionBytes = 256 << 20
    /// The frame duration that is assumed if neither frames nor caps specify one: 30 frames per second.
    static let usualFrameDuration: Nanoseconds = 33_333_333

    /// Whether each frame waits for the result of its own inference. If `false`, no frame waits, except late frames of a
    /// live stream with `strategy=auto` (``CatchUp``). The copies of the plan for these frames have `true`.
    var waits: Bool
    /// The number of frames that are held for look-ahead. Each of them adds latency.
    let depth: Int
    /// The maximum number of additional frames that are held for redaction. Their results are complete, but detections in
    /// later frames can add boxes to redact.
    let redactionDepth: Int
    /// Whether a frame is finished exactly when `depth` later frames have arrived, even if its result is available
    /// earlier. This is needed if the next inference depends on earlier results, because the number of available
    /// results must not depend on the speed of the machine.
    let isSequential: Bool
    /// Whether adaptive inference may have two inferences in flight. If inference will run on a frame regardless of the
    /// previous result, for example with a moving camera, the frame is scheduled before the previous frame is finished.
    let overlapsKnownInferences: Bool
    let hint: InferenceHint
    /// The latency that the element adds. It includes the processing time only for live streams, because frames of
    /// files arrive as fast as the element accepts them.
    private(set) var latency: Nanoseconds

    /// - Parameter work: the processing time of a frame that waits for its result, without the time for which frames
    ///   are held.
    init(
        settings: Settings, isLive: Bool, capacity: Int = 1, frameDuration: Nanoseconds? = nil, frameBytes: Int = 0,
        work: Nanoseconds = 0
    ) {
        waits = Self.waits(settings, isLive: isLive)
        let isAdaptive = settings.intervalPolicy == .auto
        // With the throughput hint, the runtime uses few threads per inference, which needs the least processor time in
        // total. With adaptive inference in a live stream, no later frames are scheduled while a frame waits for its
        // inference, so the latency hint is used.
        let looksAhead = waits && settings.lookAhead != 1 && !(isAdaptive && isLive)
        hint = looksAhead ? .throughput : .latency
        isSequential = looksAhead && (settings.choosesRegions || isAdaptive)
        overlapsKnownInferences = looksAhead && isAdaptive
        let asked = settings.inFlightLimit(for: hint)
        let inFlight = asked == 0 ? capacity : min(asked, capacity)
        // With adaptive inference, the result of one inference decides whether the next one is needed. Two inferences
        // can therefore not overlap, except as described for ``overlapsKnownInferences``, and it would be useless to
        // hold frames. Without adaptive inference, if ``isSequential`` is `true`, a frame is held until the next
        // inference has started. It does not matter how many inferences the detector can run concurrently.
        let inferencesToWaitFor = isAdaptive ? 0 : isSequential ? 1 : inFlight > 1 ? inFlight : 0
        let interval = if case .every(let frames) = settings.intervalPolicy { frames } else { 1 }
        depth = min(inferencesToWaitFor * interval, Settings.maximumLookAhead)
        let step = max(1, frameDuration ?? Self.usualFrameDuration)
        redactionDepth =
            settings.redacts && waits && !isLive && settings.scene.mode == .stream
            ? min(Settings.maximumLookAhead, Self.redactionBytes / max(1, frameBytes)) : 0
        let usualDepth = min(redactionDepth, Int(clamping: Self.redactionSpan.adding(step - 1) / step))
        latency = step.times(depth + usualDepth).adding(waits && isLive ? work : 0)
    }

    var maximumHeldFrames: Int { max(depth, overlapsKnownInferences ? 1 : 0) + redactionDepth }

    /// Compares everything except the latency.
    func schedules(as other: SchedulePlan) -> Bool {
        var other = other
        other.latency = latency
        return self == other
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

/// An upper estimate of how long a frame occupies the streaming thread if the frame waits for its result. The estimate
/// changes rarely, so that the pipeline does not recalculate its latency for each frame.
struct ProcessingTimeEstimate {
    /// The estimate in multiples of 5 ms. A new estimate is at least 1.25 times the 95th percentile of the measured
    /// times. 0 before the first estimate.
    private(set) var estimate: Nanoseconds = 0

    private var block: [Nanoseconds] = []
    /// The number of frames that are measured for the next estimate. The first estimate uses fewer frames.
    private var enough = 8
    private static let blockSize = 64
    private static let step: Nanoseconds = 5_000_000

    mutating func add(_ duration: Nanoseconds) {
        block.append(duration)
        guard block.count >= enough else { return }
        block.sort()
        let high = block[block.count * 19 / 20]
        block.removeAll(keepingCapacity: true)
        enough = Self.blockSize
        let ample = ((high + high / 4) / Self.step + 1) * Self.step
        // The estimate is lowered only if it is much too high.
        if high > estimate || ample * 3 / 2 < estimate { estimate = ample }
    }
}
