import SwiftODT
import Synchronization

/// Makes the plan for frames, out of the settings and of what was found out about detector and stream; and remembers which latency the
/// pipeline was told, so that it is told again when that changes. For any thread: pipelines ask for latency when they like.
final class SchedulePlanner: Sendable {
    private struct Facts {
        var capacity = 1
        var frameDuration: Nanoseconds?
        var frameBytes = 0
        var work: Nanoseconds = 0
        /// What the pipeline was told last, and of which kind of stream.
        var reportedLatency: (latency: Nanoseconds, isLive: Bool)?

        func plan(for settings: Settings, isLive: Bool) -> SchedulePlan {
            SchedulePlan(
                settings: settings, isLive: isLive, capacity: capacity, frameDuration: frameDuration,
                frameBytes: frameBytes,
                work: work)
        }
    }

    private let facts = Mutex(Facts())

    /// Another run of the element: nothing is known yet.
    func reset() { facts.withLock { $0 = Facts() } }

    /// How many detections the detector takes at once.
    func set(capacity: Int) { facts.withLock { $0.capacity = capacity } }

    /// As the caps say: how long a frame lasts, `nil` where they do not say, and how much memory it takes.
    func set(frameDuration: Nanoseconds?, frameBytes: Int) {
        facts.withLock { ($0.frameDuration, $0.frameBytes) = (frameDuration, frameBytes) }
    }

    /// What a frame that waits for its result takes beyond waiting for later ones.
    func set(work: Nanoseconds) { facts.withLock { $0.work = work } }

    /// How frames are scheduled under these settings.
    func plan(for settings: Settings, isLive: Bool) -> SchedulePlan {
        facts.withLock { $0.plan(for: settings, isLive: isLive) }
    }

    /// What the element adds to the latency, for somebody who asks.
    func reportLatency(_ settings: Settings, isLive: Bool) -> Nanoseconds {
        facts.withLock { facts in
            let latency = facts.plan(for: settings, isLive: isLive).latency
            facts.reportedLatency = (latency, isLive)
            return latency
        }
    }

    /// Whether it is another one than was told, which counts as told then: the pipeline is going to ask.
    func hasLatencyChanged(_ settings: Settings) -> Bool {
        facts.withLock { facts in
            guard let reported = facts.reportedLatency else { return false }
            let latency = facts.plan(for: settings, isLive: reported.isLive).latency
            facts.reportedLatency = (latency, reported.isLive)
            return latency != reported.latency
        }
    }
}
