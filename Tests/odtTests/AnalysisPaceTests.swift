import SwiftODT
import Testing

@testable import odt

@Suite("AnalysisPace")
struct AnalysisPaceTests {
    private var pace = AnalysisPace()

    private mutating func waits(_ milliseconds: Nanoseconds) -> Bool {
        _ = pace.note(delay: milliseconds * 1_000_000)
        return pace.waits
    }

    @Test mutating func releasedFramesWaitUntilTheAnalysisHasCaughtUp() {
        #expect(!waits(40))
        #expect(!waits(400))
        #expect(waits(1500))
        #expect(waits(300))
        #expect(!waits(200))
        #expect(!waits(400))
    }

    @Test mutating func framesDoNotWaitUntilAnOverloadHasEnded() {
        #expect(waits(15_000))
        #expect(!waits(20_001))
        #expect(!waits(10_000))
        #expect(!waits(100))
        #expect(waits(600))
    }

    @Test mutating func changesAreReported() {
        #expect(!pace.note(delay: 0))
        #expect(pace.note(delay: 1_000_000_000))
        #expect(!pace.note(delay: 900_000_000))
        #expect(pace.note(delay: 0))
    }
}
