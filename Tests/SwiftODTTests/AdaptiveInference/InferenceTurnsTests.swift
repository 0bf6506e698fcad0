import Testing

@testable import SwiftODT

@Suite struct InferenceTurnsTests {
    private static let millisecond: Nanoseconds = 1_000_000
    private var turns = InferenceTurns()

    /// Simulates streams that claim turns in steps of 10 ms. An inference lasts 50 ms; inferences run in sequence.
    ///
    /// - Parameters:
    ///   - utilities: the utility of each stream's inference, or `nil` while the stream needs none.
    ///   - steps: the number of steps between two frames of each stream.
    /// - Returns: for each stream, the number of turns and the greatest wait in nanoseconds.
    private mutating func share(
        seconds: Int, steps: [Int], utilities: (_ stream: Int, _ now: Nanoseconds) -> Double?
    ) -> (counts: [Int], waits: [Nanoseconds]) {
        var (counts, waits) = (steps.map { _ in 0 }, steps.map { _ in Nanoseconds(0) })
        // The end of the inference that runs, and the number of queued ones.
        var (end, queued) = (Nanoseconds?.none, 0)
        for step in 0..<seconds * 100 {
            let now = Nanoseconds(step) * 10 * Self.millisecond
            if let over = end, over <= now {
                turns.end(at: now)
                queued -= 1
                end = queued > 0 ? over + 50 * Self.millisecond : nil
            }
            for stream in steps.indices where (step + stream) % steps[stream] == 0 {
                guard let utility = utilities(stream, now) else {
                    turns.withdraw(stream)
                    continue
                }
                let interval = Nanoseconds(steps[stream]) * 10 * Self.millisecond
                guard let wait = turns.ask(stream, utility: utility, interval: interval, at: now) else { continue }
                counts[stream] += 1
                waits[stream] = max(waits[stream], wait)
                queued += 1
                end = end ?? now + 50 * Self.millisecond
            }
        }
        return (counts, waits)
    }

    private mutating func takeBothTurns() {
        for stream in 1...2 { _ = turns.ask(stream, utility: 0, interval: 0, at: 0) }
    }

    @Test mutating func streamsGetTurnsAtOnceWithoutOverload() {
        let (counts, waits) = share(seconds: 10, steps: [100, 100]) { _, _ in 1 }
        #expect(counts == [10, 10])
        #expect(waits.allSatisfy { $0 == 0 })
    }

    @Test mutating func overloadDelaysTheLeastUsefulInferencesAndStarvesNoStream() {
        // Ten streams claim a turn at each frame. There are 20 turns per second.
        let (counts, waits) = share(seconds: 60, steps: [Int](repeating: 4, count: 10)) { stream, _ in
            stream < 2 ? 3 : 0
        }
        #expect(counts.reduce(0, +) > 60 * 18, "the processors are busy")
        #expect(counts[0...1].min()! > 3 * counts[2...].max()!)
        #expect(waits[0...1].max()! < waits[2...].min()!)
        #expect(counts[2...].min()! > 20)
        #expect(waits.max()! < 4_000_000_000)
    }

    @Test mutating func slowCamerasGetTheirTurns() {
        // Two streams with 5 frames per second among eight with 25.
        let (counts, waits) = share(seconds: 60, steps: [20, 20] + [Int](repeating: 4, count: 8)) { _, _ in 1 }
        #expect(counts[0...1].min()! * 2 > counts[2...].max()!)
        #expect(waits[0...1].max()! < 2 * waits[2...].max()!)
    }

    @Test mutating func processorsAreBusyWithSlowCamerasOnly() {
        // Nine streams with 4 to 6 frames per second. There are 20 turns per second.
        let (counts, waits) = share(seconds: 60, steps: Array(17...25)) { _, _ in 1 }
        #expect(counts.reduce(0, +) > 60 * 14)
        #expect(waits.max()! < 2_000_000_000)
    }

    @Test mutating func mostInferencesInFlightAreTwo() {
        #expect(turns.ask(1, utility: 0, interval: 0, at: 0) == 0)
        #expect(turns.ask(2, utility: 0, interval: 0, at: 0) == 0)
        #expect(turns.ask(3, utility: 9, interval: 0, at: 0) == nil)
        turns.end(at: 4)
        #expect(turns.ask(3, utility: 9, interval: 0, at: 5) == 5)
    }

    @Test mutating func expiredAndWithdrawnClaimsHoldNobodyBack() {
        let (ms, frame) = (Self.millisecond, 40 * Self.millisecond)
        takeBothTurns()
        #expect(turns.ask(3, utility: 9, interval: frame, at: 0) == nil)
        turns.end(at: 40 * ms)
        #expect(turns.ask(4, utility: 0, interval: 0, at: 40 * ms) == nil)
        #expect(turns.ask(4, utility: 0, interval: 0, at: 70 * ms) == 30 * ms)
        turns.end(at: 70 * ms)
        #expect(turns.ask(5, utility: 9, interval: frame, at: 71 * ms) == 0)
        turns.withdraw(3)
        turns.end(at: 75 * ms)
        #expect(turns.ask(3, utility: 0, interval: 0, at: 80 * ms) == 0, "a new claim has no age")
    }

    /// An inference that ends before the next frame of the stream with the reservation delays this stream by nothing.
    @Test mutating func reservationPermitsShortInferences() {
        let (ms, frame) = (Self.millisecond, 40 * Self.millisecond)
        takeBothTurns()
        #expect(turns.ask(3, utility: 9, interval: frame, at: 0) == nil)
        turns.end(at: 10 * ms)
        turns.end(at: 10 * ms)
        #expect(turns.ask(4, utility: 0, interval: 0, at: 12 * ms) == 0)
        turns.end(at: 22 * ms)
        #expect(turns.ask(4, utility: 0, interval: 0, at: 35 * ms) == nil)
        #expect(turns.ask(3, utility: 9, interval: frame, at: 40 * ms) == frame)
    }

    /// A frame that waits takes its turn as soon as an inference ends, so its claim blocks even short inferences.
    @Test mutating func waitingFramePrecedesYoungerClaims() {
        let ms = Self.millisecond
        takeBothTurns()
        #expect(turns.ask(3, utility: 9, interval: 20 * ms, isWaiting: true, at: 0) == nil)
        turns.end(at: 5 * ms)
        #expect(turns.ask(4, utility: 0, interval: 0, at: 5 * ms) == nil)
        #expect(turns.ask(3, utility: 9, interval: 20 * ms, isWaiting: true, at: 6 * ms) == 6 * ms)
    }
}
