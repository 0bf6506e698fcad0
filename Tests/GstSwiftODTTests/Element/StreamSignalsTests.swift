import SwiftODT
import Synchronization
import Testing

@testable import GstSwiftODT

/// How often a wait was cut short.
private final class Cuts: Sendable {
    private let state = Mutex(0)
    var number: Int { state.withLock { $0 } }
    func count() { state.withLock { $0 += 1 } }
}

/// Protects flushing, stopping and seeking: what other threads say is heard once, and wakes who waits.
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
        // One that cannot begin is still wanted.
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

    @Test(arguments: [false, true])
    func waitingThreadIsWoken(_ byFlush: Bool) throws {
        signals.open()
        let cuts = Cuts()
        try signals.interruptible(by: { [cuts] in cuts.count() }) {
            #expect(cuts.number == 0)
            if byFlush { signals.beginFlush() } else { signals.close() }
            #expect(cuts.number == 1)
        }
        // Who does not wait any more is left alone, and who begins to wait now is not let in.
        signals.beginFlush()
        #expect(cuts.number == 1)
        #expect(throws: CancellationError.self) {
            try signals.interruptible(by: {}) { Issue.record("must not be begun") }
        }
    }
}
