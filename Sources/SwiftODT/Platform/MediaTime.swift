/// A time in a stream, or the difference of two, with the resolution of a nanosecond.
///
///     let time = MediaTime(seconds: 1.5)
///     print(time + .seconds(2), time.seconds)    // 3.5 s 1.5
///
/// Times of GStreamer, of cameras (`CLOCK_MONOTONIC`) and of files can be passed as they are. Sums saturate instead of overflowing.
public struct MediaTime: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// The time in nanoseconds.
    public let nanoseconds: Int64

    /// Creates a time from nanoseconds.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Creates a time from seconds, rounded to nanoseconds and saturated. A value that is not a number becomes 0.
    public init(seconds: Double) { nanoseconds = Nanoseconds(seconds: seconds) }

    /// The beginning of the stream.
    public static let zero = MediaTime(nanoseconds: 0)

    /// The time in seconds.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Returns whether the first time is earlier.
    public static func < (a: MediaTime, b: MediaTime) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Returns a later time.
    public static func + (time: MediaTime, duration: Duration) -> MediaTime {
        MediaTime(nanoseconds: time.nanoseconds.adding(Nanoseconds(duration)))
    }

    /// Returns the duration from the second time to the first.
    public static func - (a: MediaTime, b: MediaTime) -> Duration { .nanoseconds(a.nanoseconds.since(b.nanoseconds)) }
}

extension MediaTime: CustomStringConvertible {
    /// The time in seconds, for example `1.5 s`.
    public var description: String { "\(seconds) s" }
}

extension Nanoseconds {
    /// Converts a duration, saturated.
    package init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        self = overflow ? (seconds < 0 ? .min : .max) : scaled.adding(attoseconds / 1_000_000_000)
    }
}
