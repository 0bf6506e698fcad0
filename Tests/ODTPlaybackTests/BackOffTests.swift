import ODTPlayback
import Testing

@Suite("Back-off")
struct BackOffTests {
    private let second: Int64 = 1_000_000_000

    /// The delay is bounded in both directions, so that a camera that is off all night is neither polled rapidly
    /// nor forgotten.
    @Test func backOffDoublesUpToMaximum() {
        var backOff = BackOff()
        let pauses = (0..<9).map { _ in backOff.next(after: 0) / second }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    /// Short connections do not reset the delay; a connection of 30 s does.
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
