import SwiftODT
import Synchronization
import Testing

@testable import GstSwiftODT

/// Counts interruptions.
private final class Cuts: Sendable {
    private let state = Mutex(0)
    var number: Int { state.withLock { $0 } }
    func count() { state.withLock { $0 += 1 } }
}

/// Tests flushing, stopping and seeking: each request is consumed once and interrupts a wait.
@Suite struct StreamSignalsTests {
    private let signals = StreamSignals()

    @Test func framesAreRefusedUnlessOpenAndNotFlushing() {
        #expect(signals.isInterrupted)
        signals.open()
        #expect(!signals.isInterrupted)
        signals.beginFlush()
        #expect(signals.isInterrupted)
        signals.endFlush()
        #expect(!signals.isInterrupted)
        signals.close()
        #expect(signals.isInterrupted)
        signals.endFlush()
        #expect(signals.isInterrupted)
    }

    @Test func requestIsConsumedOnce() {
        signals.open()
        #expect(!signals.takeReset() && !signals.wantsDetection)
        signals.requestReset()
        #expect(!signals.wantsDetection)
        #expect(signals.takeReset())
        #expect(!signals.takeReset())
        signals.requestDetection()
        // A request remains until the detection has started.
        #expect(signals.wantsDetection && signals.wantsDetection)
        signals.noteRequestedDetection()
        #expect(!signals.wantsDetection)
    }

    @Test func requestsOfPreviousRunAreDropped() {
        signals.open()
        signals.requestReset()
        signals.noteSeek(7)
        signals.close()
        signals.open()
        #expect(!signals.takeReset() && !signals.takeSeek(7))
    }

    @Test func seekMatchesItsSegmentOnce() {
        signals.open()
        signals.noteSeek(7)
        #expect(!signals.takeSeek(8))
        #expect(signals.takeSeek(7))
        #expect(!signals.takeSeek(7))
    }

    @Test func seekBeforeSegmentOfPreviousOneIsAnother() {
        signals.open()
        for number in [7, 8, 9, 8, 9] as [UInt32] { signals.noteSeek(number) }
        // Upstream has refused the first one.
        #expect(signals.takeSeek(8) && signals.takeSeek(9))
        #expect(!signals.takeSeek(7))
    }

    @Test(arguments: [false, true])
    func waitingThreadIsWoken(_ byFlush: Bool) throws {
        signals.open()
        let cuts = Cuts()
        try signals.interruptible(by: { [cuts] in cuts.count() }) {
            #expect(cuts.number == 0)
            if byFlush { signals.beginFlush() } else { signals.close() }
            #expect(cuts.number == 1)
        }
        // A finished wait is not interrupted, and a new one does not start.
        signals.beginFlush()
        #expect(cuts.number == 1)
        #expect(throws: CancellationError.self) {
            try signals.interruptible(by: {}) { Issue.record("must not be begun") }
        }
    }
}
