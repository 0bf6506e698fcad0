import SwiftODT
import Synchronization

/// Creates plans from the settings and the known properties of detector and stream, and remembers the latency that was
/// reported to the pipeline, to announce changes. Thread-safe, because pipelines query latency from any thread.
final class SchedulePlanner: Sendable {
    private struct Facts {
        var capacity = 1
        var frameDuration: Nanoseconds?
        var frameBytes = 0
        var work: Nanoseconds = 0
        /// The latency last reported to the pipeline, and whether the stream was live.
        var reportedLatency: (latency: Nanoseconds, isLive: Bool)?

        func plan(for settings: Settings, isLive: Bool) -> SchedulePlan {
            SchedulePlan(
                settings: settings, isLive: isLive, capacity: capacity, frameDuration: frameDuration,
                frameBytes: frameBytes,
                work: work)
        }
    }

    private let facts = Mutex(Facts())

    /// Discards all properties at the start of a run.
    func reset() { facts.withLock { $0 = Facts() } }

    /// Sets the number of detections that the detector runs concurrently.
    func set(capacity: Int) { facts.withLock { $0.capacity = capacity } }

    /// Sets the frame duration and frame size of the caps; the duration is `nil` if it is variable.
    func set(frameDuration: Nanoseconds?, frameBytes: Int) {
        facts.withLock { ($0.frameDuration, $0.frameBytes) = (frameDuration, frameBytes) }
    }

    /// Sets the processing time of a frame that waits for its result, in addition to the frames held.
    func set(work: Nanoseconds) { facts.withLock { $0.work = work } }

    /// Returns the plan for the given settings.
    func plan(for settings: Settings, isLive: Bool) -> SchedulePlan {
        facts.withLock { $0.plan(for: settings, isLive: isLive) }
    }

    /// Returns the latency that the element adds, and remembers it as reported.
    func reportLatency(_ settings: Settings, isLive: Bool) -> Nanoseconds {
        facts.withLock { facts in
            let latency = facts.plan(for: settings, isLive: isLive).latency
            facts.reportedLatency = (latency, isLive)
            return latency
        }
    }

    /// Returns whether the latency differs from the one reported, and remembers the new one as reported, because a
    /// latency message makes the pipeline query it.
    func hasLatencyChanged(_ settings: Settings) -> Bool {
        facts.withLock { facts in
            guard let reported = facts.reportedLatency else { return false }
            let latency = facts.plan(for: settings, isLive: reported.isLive).latency
            facts.reportedLatency = (latency, reported.isLive)
            return latency != reported.latency
        }
    }
}

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

/// An upper estimate of how long a frame occupies the streaming thread that waits for its result. It changes in steps,
/// so that the pipeline does not recalculate its latency for each frame.
struct ProcessingTimeEstimate {
    /// The estimate: at least a quarter above the 95th percentile, in steps of 5 ms; 0 before the first frames.
    private(set) var estimate: Nanoseconds = 0

    private var block: [Nanoseconds] = []
    /// The number of frames per estimate. The first estimate uses fewer.
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
        // The estimate decreases only if it is much too high.
        if high > estimate || ample * 3 / 2 < estimate { estimate = ample }
    }
}
