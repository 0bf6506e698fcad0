import SwiftODT
import Testing

@testable import odt

@Suite("AnalysisPace")
struct AnalysisPaceTests {
    private static let millisecond: Nanoseconds = 1_000_000
    private var pace = AnalysisPace()
    private var time: Nanoseconds = 0

    /// Passes a frame `step` milliseconds after the previous one.
    private mutating func waits(passed milliseconds: Nanoseconds, step: Nanoseconds = 40) -> Bool {
        time += step * Self.millisecond
        _ = pace.notePassed(at: time, delay: milliseconds * Self.millisecond)
        return pace.waits
    }

    private mutating func waits(analysed milliseconds: Nanoseconds) -> Bool {
        _ = pace.noteAnalysed(delay: milliseconds * Self.millisecond)
        return pace.waits
    }

    @Test mutating func releasedFramesWaitUntilTheAnalysisHasCaughtUp() {
        #expect(!waits(passed: 180))
        #expect(waits(passed: 1500))
        #expect(waits(analysed: 1500))
        #expect(waits(passed: 40))
        #expect(waits(analysed: 180))
        #expect(!waits(analysed: 120))
        #expect(!waits(passed: 40))
    }

    @Test mutating func framesDoNotWaitUntilAnOverloadHasEnded() {
        #expect(waits(passed: 15_000))
        #expect(!waits(passed: 20_001))
        #expect(!waits(passed: 10_000))
        #expect(!waits(analysed: 10_000))
        #expect(!waits(passed: 600))
        #expect(!waits(analysed: 100))
        #expect(waits(passed: 600))
    }

    @Test mutating func overloadEndsWhilePictureIsCalm() {
        #expect(!waits(passed: 20_001))
        #expect(!waits(passed: 1000, step: 1000))
        #expect(!waits(analysed: 100))
        #expect(waits(passed: 0, step: 1000))
    }

    @Test mutating func rareFramesWait() {
        #expect(!waits(passed: 0))
        #expect(waits(passed: 0, step: 1000))
        #expect(waits(analysed: 0))
        #expect(waits(passed: 0))
        #expect(!waits(analysed: 0))
    }

    @Test mutating func changesAreReported() {
        #expect(pace.notePassed(at: 0, delay: 0) == false)
        #expect(pace.notePassed(at: 0, delay: 1000 * Self.millisecond) == true)
        #expect(pace.noteAnalysed(delay: 900 * Self.millisecond) == false)
        #expect(pace.noteAnalysed(delay: 0) == true)
    }
}
