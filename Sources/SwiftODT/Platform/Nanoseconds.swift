import Glibc

/// A point in time or a duration, in nanoseconds as in GStreamer.
///
/// Timestamps of streams and files can have any 64-bit value, and Swift's operators trap on overflow. Pass such
/// timestamps through ``clampedToRange`` or a ``SteadyClock`` first. The sum and the difference of two clamped times
/// never overflow. The methods below accept any value and saturate at the limits of `Int64`.
package typealias Nanoseconds = Int64

extension Nanoseconds {
    /// The largest magnitude of a valid time, about 146 years.
    package static let farthest = max / 2

    package var clampedToRange: Nanoseconds { Swift.min(Swift.max(self, -Self.farthest), Self.farthest) }

    package var isInRange: Bool { self == clampedToRange }

    /// Returns the duration from `earlier` to this time, saturated.
    package func since(_ earlier: Nanoseconds) -> Nanoseconds {
        let (difference, overflow) = subtractingReportingOverflow(earlier)
        return overflow ? (self < earlier ? .min : .max) : difference
    }

    package func adding(_ duration: Nanoseconds) -> Nanoseconds {
        let (sum, overflow) = addingReportingOverflow(duration)
        return overflow ? (duration < 0 ? .min : .max) : sum
    }

    package func times(_ count: Int) -> Nanoseconds {
        let (product, overflow) = multipliedReportingOverflow(by: Nanoseconds(count))
        return overflow ? ((self < 0) == (count < 0) ? .max : .min) : product
    }

    /// Converts seconds, rounded to nanoseconds and saturated. NaN becomes 0.
    package init(seconds: Double) {
        let nanoseconds = (seconds * 1e9).rounded()
        self = nanoseconds.isNaN ? 0 : Int64(exactly: nanoseconds) ?? (nanoseconds < 0 ? .min : .max)
    }
}

package enum MonotonicClock {
    package static var now: Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
    }
}

/// The system's time of day in nanoseconds since 1970. It can jump when the clock is set.
package enum WallClock {
    package static var now: Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Nanoseconds(time.tv_sec).times(1_000_000_000).adding(Nanoseconds(time.tv_nsec))
    }
}

/// A time in a stream, with a resolution of one nanosecond.
///
///     let time = MediaTime(seconds: 1.5)
///     print(time + .seconds(2), time.seconds)    // 3.5 s 1.5
///
/// Timestamps of GStreamer, of cameras (`CLOCK_MONOTONIC`) and of files need no conversion. Sums and differences
/// saturate.
public struct MediaTime: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// The time in nanoseconds.
    public let nanoseconds: Int64

    /// Creates a time from nanoseconds.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Creates a time from seconds, rounded to nanoseconds and saturated. NaN becomes 0.
    public init(seconds: Double) { nanoseconds = Nanoseconds(seconds: seconds) }

    /// The beginning of the stream.
    public static let zero = MediaTime(nanoseconds: 0)

    /// The time in seconds.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Returns whether `a` is earlier than `b`.
    public static func < (a: MediaTime, b: MediaTime) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Returns the time that is later by `duration`, saturated.
    public static func + (time: MediaTime, duration: Duration) -> MediaTime {
        MediaTime(nanoseconds: time.nanoseconds.adding(Nanoseconds(duration)))
    }

    /// Returns the time that is earlier by `duration`, saturated.
    public static func - (time: MediaTime, duration: Duration) -> MediaTime {
        MediaTime(nanoseconds: time.nanoseconds.since(Nanoseconds(duration)))
    }

    /// Returns the duration from `b` to `a`, saturated.
    public static func - (a: MediaTime, b: MediaTime) -> Duration { .nanoseconds(a.nanoseconds.since(b.nanoseconds)) }
}

extension MediaTime: CustomStringConvertible {
    /// The time in seconds, for example `1.5 s`.
    public var description: String { "\(seconds) s" }
}

extension Nanoseconds {
    /// Converts a `Duration`. The result saturates at the limits of `Int64`.
    package init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        self = overflow ? (seconds < 0 ? .min : .max) : scaled.adding(attoseconds / 1_000_000_000)
    }
}
