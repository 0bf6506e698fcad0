import SwiftODT

/// Detects that a camera has seen no object for much longer than usual. Each hour of the day has a usual time: the
/// longest time without an object in that hour, averaged over the days.
struct QuietMonitor {
    private struct Hour {
        /// The usual longest time without an object in nanoseconds.
        var usual: Double = 0
        var days = 0
    }

    /// Each hour of the day is learned for this number of days before alarms are reported in that hour.
    static let introduction = 3
    /// A time without an object is never reported if it is shorter than this time in nanoseconds.
    static let shortest: Nanoseconds = 600_000_000_000
    /// The weight of the latest day in the average over the days.
    private static let weight = 0.3
    /// An hour is learned only if the camera was not connected for at most this time in nanoseconds.
    private static let longestGap: Nanoseconds = 360_000_000_000

    private let factor: Double
    private var hours = [Hour](repeating: Hour(), count: 24)
    private var hour: Int?
    /// The time of the latest object, or of the start of the observation, in nanoseconds.
    private var latest: Nanoseconds?
    /// The longest time without an object in this hour, in nanoseconds.
    private var longest: Nanoseconds = 0
    private var isReported = false
    /// The time of the latest observation in nanoseconds.
    private var observed: Nanoseconds?
    /// The time without a connection before the next observation, and in this hour, in nanoseconds. `missing` is
    /// unlimited in the first hour, because the observation begins in the middle of it.
    private var (gap, missing): (Nanoseconds, Nanoseconds) = (0, .max)

    init(factor: Double) { self.factor = factor }

    /// Begins a connection. The time without a connection does not count as a time without an object.
    mutating func begin(at now: Nanoseconds) {
        gap = observed.map { now - $0 } ?? 0
        missing = missing.adding(gap)
        (latest, isReported) = (now, false)
    }

    /// - Parameters:
    ///   - now: A monotonic time in nanoseconds.
    ///   - hour: The hour of the day, 0 to 23.
    mutating func take(seesObject: Bool, at now: Nanoseconds, hour: Int) -> CameraAlarm? {
        defer { (observed, gap) = (now, 0) }
        let silence = now - (latest ?? now)
        longest = max(longest, silence)
        if let old = self.hour, old != hour {
            if missing <= Self.longestGap { learn(old) }
            // A time without a connection at the change of the hour counts for both hours.
            (longest, missing) = (0, gap)
        }
        self.hour = hour
        if seesObject || latest == nil { latest = now }
        if seesObject {
            defer { isReported = false }
            return isReported ? .ended(.quiet) : nil
        }
        let limit = max(Double(Self.shortest), factor * hours[hour].usual)
        guard !isReported, hours[hour].days >= Self.introduction, Double(silence) > limit else { return nil }
        isReported = true
        return .began(.quiet)
    }

    private mutating func learn(_ hour: Int) {
        let (old, days) = (hours[hour].usual, hours[hour].days)
        hours[hour] = Hour(
            usual: days == 0 ? Double(longest) : old + (Double(longest) - old) * Self.weight, days: days + 1)
    }
}
