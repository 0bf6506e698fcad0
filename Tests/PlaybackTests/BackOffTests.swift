import Playback
import Testing

@Suite("Back-off")
struct BackOffTests {
    private let second: Int64 = 1_000_000_000

    /// A camera that is away for a night is asked once a minute, not at ever longer pauses, and not a thousand times a second.
    @Test func backOffDoublesUpToMaximum() {
        var backOff = BackOff()
        let pauses = (0..<9).map { _ in backOff.next(after: 0) / second }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    /// Connections that last for a moment each are as bad as none: the pauses go on growing. One that has held begins anew.
    @Test func backOffRestartsAfterStableConnection() {
        var backOff = BackOff()
        let pauses = [0, 5, 5, 29, 30, 0, 86_400].map { backOff.next(after: $0 * second) / second }
        #expect(pauses == [1, 2, 4, 8, 1, 2, 1])
    }

    @Test func maximumBelowFirstPauseIsAccepted() {
        var backOff = BackOff(longest: second / 10)
        #expect((0..<3).map { _ in backOff.next(after: 0) } == [second / 10, second / 10, second / 10])
    }
}
