import SwiftODT
import Testing

@testable import odt

@Suite("QuietMonitor")
struct QuietMonitorTests {
    private static let minute: Nanoseconds = 60_000_000_000
    private var monitor = QuietMonitor(factor: 3)
    private var minutes: Nanoseconds = 0

    /// Observes minutes, of which those that are multiples of `gap` have an object.
    private mutating func observe(_ count: Int, gap: Nanoseconds?) -> [CameraAlarm] {
        (0..<count).compactMap { _ in
            defer { minutes += 1 }
            return monitor.take(
                seesObject: gap.map { minutes % $0 == 0 } ?? false, at: minutes * Self.minute,
                hour: Int(minutes / 60 % 24))
        }
    }

    @Test mutating func nothingIsReportedBeforeThreeDays() {
        #expect(observe(60, gap: 5) == [])
        #expect(observe(2 * 24 * 60, gap: nil) == [])
    }

    @Test mutating func unusualSilenceIsReportedOnce() {
        monitor.begin(at: 0)
        #expect(observe(4 * 24 * 60, gap: 10) == [])
        #expect(observe(18, gap: nil) == [])
        #expect(observe(60, gap: nil) == [.began(.quiet)])
        #expect(observe(60, gap: 10) == [.ended(.quiet)])
    }

    @Test mutating func nightIsUsuallyQuiet() {
        // Objects appear from 8 h to 20 h only.
        var alarms: [CameraAlarm] = []
        for _ in 0..<6 {
            alarms += observe(8 * 60, gap: nil) + observe(12 * 60, gap: 5) + observe(4 * 60, gap: nil)
        }
        #expect(alarms == [])
        // At noon the same silence is unusual.
        _ = observe(8 * 60, gap: nil) + observe(4 * 60, gap: 5)
        #expect(observe(40, gap: nil) == [.began(.quiet)])
    }

    /// Observes days of a camera that is away for a number of minutes in each hour. Otherwise it sees objects.
    private mutating func observeDays(_ days: Int, away gap: Nanoseconds) {
        monitor.begin(at: minutes * Self.minute)
        for _ in 0..<days * 24 {
            _ = observe(60 - Int(gap), gap: 5)
            minutes += gap
            monitor.begin(at: minutes * Self.minute)
        }
    }

    @Test mutating func hoursWithShortInterruptionsAreLearned() {
        observeDays(4, away: 1)
        #expect(observe(60, gap: nil) == [.began(.quiet)])
    }

    @Test mutating func hoursWithLongInterruptionsAreNotLearned() {
        observeDays(4, away: 6)
        #expect(observe(60, gap: nil) == [])
    }

    @Test mutating func newConnectionBeginsAnew() {
        monitor.begin(at: 0)
        _ = observe(4 * 24 * 60, gap: 10)
        _ = observe(25, gap: nil)
        monitor.begin(at: minutes * Self.minute)
        #expect(observe(20, gap: nil) == [])
        #expect(observe(60, gap: nil) == [.began(.quiet)])
    }
}
