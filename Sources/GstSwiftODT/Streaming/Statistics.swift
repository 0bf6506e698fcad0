import CODTGStreamer
import SwiftODT
import Synchronization

/// The counters and stage durations of the property `stats`. The streaming thread writes them. Any thread may read
/// them.
final class Statistics: Sendable {
    /// The stages of a frame on the streaming thread, in the order of their execution.
    enum Stage: String, CaseIterable {
        /// Creating the grey copy of the frame, and starting inference.
        case start
        case wait
        case track
        case classify
        case draw
        /// Copying a frame before drawing, because another element references its memory. This time is included in
        /// ``draw``, or in ``start`` if the copy was made in advance together with the grey copy.
        case copy
        case report
    }

    struct Counters {
        var frames: UInt64 = 0
        var detections: UInt64 = 0
        /// The number of started inferences by the reason to run them.
        var inferences: [InferencePolicy.Reason: UInt64] = [:]
        /// The number of inferences by the reason for the choice of their region. Counted only if regions are chosen.
        var regions: [RegionSelector.Reason: UInt64] = [:]
        var skipped: UInt64 = 0
        /// The number of frames that could not be mapped for reading (`unreadable`), and the number of frames that
        /// could not be mapped for drawing (`unwritable`).
        var unreadable: UInt64 = 0
        var unwritable: UInt64 = 0
        var redacted: UInt64 = 0
        /// The number of messages that were not posted: reports that a newer report replaced, and events that were
        /// dropped because too many messages were unread.
        var coalesced: UInt64 = 0
        var rejections = Rejections()
        var turns = InferenceTurn.Waits()
        /// The number of objects that were omitted because of `max-objects` (`leftOutObjects`), and the number of
        /// frames with such objects (`leftOutFrames`).
        var leftOutObjects = 0
        var leftOutFrames = 0
        var activeTracks: UInt32 = 0
        var epoch: UInt32 = 0
        /// The durations from the start of an inference to the use of its result.
        var detectionLatency = Durations()
        /// The times on the monotonic clock at which the results of the first and of the latest inference were used.
        var firstDetection: Nanoseconds?
        var lastDetection: Nanoseconds?
        var stages = [Durations](repeating: Durations(), count: Stage.allCases.count)

        /// The number of finished inferences per second.
        var detectionRate: Double {
            guard let firstDetection, let lastDetection, lastDetection > firstDetection else { return 0 }
            return Double(detections - 1) / (Double(lastDetection - firstDetection) / 1e9)
        }
    }

    private let counters = Mutex(Counters())
    private let source = Mutex(DetectionSource?.none)

    func update(_ body: (inout Counters) -> Void) {
        counters.withLock { body(&$0) }
    }

    func reset() { update { $0 = Counters() } }

    /// Sets the source whose timings are reported.
    func watch(_ source: DetectionSource?) {
        let previous = self.source.withLock { previous in
            defer { previous = source }
            return previous
        }
        // The previous source is released outside of the lock, because the deinitialiser of a detector may take time.
        _ = previous
    }

    func time<Result>(_ stage: Stage, _ work: () throws -> Result) rethrows -> Result {
        let start = MonotonicClock.now
        defer {
            let duration = MonotonicClock.now - start
            update { $0.stages[Stage.allCases.firstIndex(of: stage)!].add(duration) }
        }
        return try work()
    }

    /// - Parameter name: the name of the stream (property `source`).
    func structure(source name: String?) -> UnsafeMutablePointer<GstStructure> {
        let detector = source.withLock { $0 }?.timings
        let now = counters.withLock { $0 }
        let rejected = Rejections.Reason.allCases.map { ($0, UInt64(clamping: now.rejections[$0])) }
        var fields: [(name: String, value: FieldValue)] = [
            ("frames", .uint64(now.frames)),
            ("detections", .uint64(now.detections)),
            ("skipped", .uint64(now.skipped)),
            ("unreadable", .uint64(now.unreadable)),
            ("unwritable", .uint64(now.unwritable)),
            ("redacted", .uint64(now.redacted)),
            ("coalesced-messages", .uint64(now.coalesced)),
            ("active-tracks", .uint(now.activeTracks)),
            ("epoch", .uint(now.epoch)),
            ("detection-rate", .real(now.detectionRate)),
            ("inferences", .counts(now.inferences)),
            ("regions", .counts(now.regions)),
            ("rejected", .counts(Dictionary(uniqueKeysWithValues: rejected))),
            (
                "turns",
                .structure([
                    ("count", .uint64(now.turns.count)), ("wait", .time(UInt64(clamping: now.turns.total))),
                    ("max-wait", .time(UInt64(clamping: now.turns.max))),
                ])
            ),
            ("left-out-objects", .uint64(UInt64(clamping: now.leftOutObjects))),
            ("left-out-frames", .uint64(UInt64(clamping: now.leftOutFrames))),
        ]
        if let best = now.rejections.best { fields += best.fields }
        if let name { fields.append(("source", .text(name))) }
        var times = [("detection-latency", Self.field(now.detectionLatency))]
        for (stage, durations) in zip(Stage.allCases, now.stages) {
            times.append((stage.rawValue, Self.field(durations)))
        }
        if let detector {
            for (name, stage) in [
                ("preprocess", detector.preprocess), ("inference", detector.inference), ("decode", detector.decode),
            ] {
                let (mean, last) = (UInt64(clamping: stage.mean), UInt64(clamping: stage.last))
                times.append((name, .structure([("mean", .time(mean)), ("last", .time(last))])))
            }
        }
        fields.append(("times", .structure(times)))
        return StructureWriter.structure("swiftodt-stats", fields)
    }

    private static func field(_ durations: Durations) -> FieldValue {
        let (median, high) = durations.percentiles
        return .structure([
            ("p50", .time(UInt64(clamping: median))), ("p95", .time(UInt64(clamping: high))),
            ("max", .time(UInt64(clamping: durations.max))),
        ])
    }
}

/// The latest 512 durations of a stage. ``add(_:)`` takes constant time. ``percentiles`` sorts a copy.
struct Durations {
    private static let capacity = 512
    private(set) var latest: [Nanoseconds] = []
    private var next = 0
    private(set) var max: Nanoseconds = 0

    mutating func add(_ duration: Nanoseconds) {
        max = Swift.max(max, duration)
        if latest.count < Self.capacity {
            latest.append(duration)
        } else {
            latest[next] = duration
            next = (next + 1) % Self.capacity
        }
    }

    var percentiles: (median: Nanoseconds, high: Nanoseconds) {
        guard !latest.isEmpty else { return (0, 0) }
        let sorted = latest.sorted()
        return (sorted[sorted.count / 2], sorted[min(sorted.count - 1, sorted.count * 95 / 100)])
    }
}
