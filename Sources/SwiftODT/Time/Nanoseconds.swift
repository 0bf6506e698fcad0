/// A time or a duration in nanoseconds, as GStreamer counts them.
///
/// Times come from outside, where any 64 bits may stand for one, and Swift's arithmetic ends the process when it overflows. So a time
/// from outside goes through ``clampedToRange`` or a ``SteadyClock`` before it is reckoned with: the difference of two such times, and the
/// sum of two, never overflow. Where one of the two is anything, the operations that stop at the ends of the range are here.
public typealias Nanoseconds = Int64

extension Nanoseconds {
    /// Times farther from zero, some 146 years, are no times but mistakes.
    public static let farthest = max / 2

    /// The nearest time that can be reckoned with.
    public var clampedToRange: Nanoseconds { Swift.min(Swift.max(self, -Self.farthest), Self.farthest) }

    /// Whether it can be reckoned with as it is.
    public var isInRange: Bool { self == clampedToRange }

    /// From an earlier time to this one, as far as can be counted.
    public func since(_ earlier: Nanoseconds) -> Nanoseconds {
        let (difference, overflow) = subtractingReportingOverflow(earlier)
        return overflow ? (self < earlier ? .min : .max) : difference
    }

    /// The time so much later, or the last there is.
    public func adding(_ duration: Nanoseconds) -> Nanoseconds {
        let (sum, overflow) = addingReportingOverflow(duration)
        return overflow ? (duration < 0 ? .min : .max) : sum
    }

    /// A duration so many times, or the longest there is.
    public func times(_ count: Int) -> Nanoseconds {
        let (product, overflow) = multipliedReportingOverflow(by: Nanoseconds(count))
        return overflow ? ((self < 0) == (count < 0) ? .max : .min) : product
    }

    /// The nearest whole number of nanoseconds; 0 for what is no number.
    public init(seconds: Double) {
        let nanoseconds = (seconds * 1e9).rounded()
        self = nanoseconds.isNaN ? 0 : Int64(exactly: nanoseconds) ?? (nanoseconds < 0 ? .min : .max)
    }
}
