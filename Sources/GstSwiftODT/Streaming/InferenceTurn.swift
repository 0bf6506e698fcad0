import SwiftODT
import Synchronization

/// The claim of one stream to run inference in turns with the other streams of the process (`share-inference`).
final class InferenceTurn: Sendable {
    struct Waits {
        private(set) var count: UInt64 = 0
        private(set) var total: Nanoseconds = 0
        private(set) var max: Nanoseconds = 0

        mutating func add(_ wait: Nanoseconds) {
            count += 1
            total = total.adding(wait)
            max = Swift.max(max, wait)
        }
    }

    private static let turns = Monitor(InferenceTurns())
    private static let streams = Atomic(0)
    /// A waiting stream checks at this interval, in nanoseconds, whether the reservations of other streams have
    /// expired, see `InferenceTurns`.
    private static let pause: Nanoseconds = 20_000_000

    private let stream = InferenceTurn.streams.add(1, ordering: .relaxed).newValue

    deinit { withdraw() }

    /// Takes a turn for a frame. If frames wait for their results, the function waits for the turn. It also waits if
    /// the interval between frames is longer than the longest reservation of a turn. Without waiting, the reservation
    /// would expire before the next frame.
    ///
    /// - Parameter utility: how useful the inference is. A more useful inference gets its turn earlier, see
    ///   `InferenceTurns`.
    /// - Returns: the time in nanoseconds since the stream first claimed the turn. `nil` if another stream has the
    ///   turn. In this case, the stream claims the turn again at the next frame.
    /// - Throws: `CancellationError` when flushing or stopping begins.
    func take(_ utility: Double, waits: Bool, interval: Nanoseconds, _ signals: StreamSignals) throws -> Nanoseconds? {
        guard waits || interval > InferenceTurns.longestReservation else {
            return Self.turns.update { $0.ask(stream, utility: utility, interval: interval, at: MonotonicClock.now) }
        }
        return try signals.interruptible(by: { Self.turns.update { _ in } }) {
            while true {
                let answer: Nanoseconds? = Self.turns.wait(until: MonotonicClock.now + Self.pause) { turns in
                    signals.isInterrupted
                        ? -1
                        : turns.ask(
                            stream, utility: utility, interval: Self.pause, isWaiting: true, at: MonotonicClock.now)
                }
                guard let answer else { continue }
                guard answer >= 0 else {
                    withdraw()
                    throw CancellationError()
                }
                return answer
            }
        }
    }

    func withdraw() { Self.turns.update { $0.withdraw(stream) } }

    static func cancel() { turns.update { $0.cancel() } }

    static func end() { turns.update { $0.end(at: MonotonicClock.now) } }
}
