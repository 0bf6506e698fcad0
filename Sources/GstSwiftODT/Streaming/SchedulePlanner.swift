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
