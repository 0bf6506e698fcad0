import Testing

@testable import SwiftODT

@Suite struct MonitorTests {
    @Test func aWaitWithADeadlineEndsAtTheDeadline() {
        let monitor = Monitor(0)
        let begun = MonotonicClock.now
        #expect(monitor.wait(until: begun + 20_000_000) { $0 > 0 ? $0 : nil } == nil)
        #expect(MonotonicClock.now >= begun + 20_000_000)
        #expect(monitor.wait(until: 0) { $0 == 0 ? true : nil } == true)
    }

    @Test func aWaitWithADeadlineEndsWhenTheValueIsThere() {
        let monitor = Monitor(0)
        DetachedThread.run { monitor.update { $0 = 7 } }
        // Far longer than any test may take.
        #expect(monitor.wait(until: MonotonicClock.now + 3_600_000_000_000) { $0 > 0 ? $0 : nil } == 7)
    }
}
