import ODTPlayback
import Testing

@Suite("StreamClock")
struct StreamClockTests {
    private let start: Int64 = 1_795_348_800_000

    /// A camera that declares 25 frames per second and sends 21.
    private func incoming(ofFrame number: Int64) -> Int64 { start + number * 1_000 / 21 }

    @Test func followsCameraWithWrongFrameRateForTenHours() throws {
        var clock = StreamClock()
        let count: Int64 = 10 * 3_600 * 21
        for number in 0..<count { clock.note(running: number * 40, wall: incoming(ofFrame: number)) }
        for number in stride(from: 0, to: count, by: 997) {
            let wall = try #require(clock.wall(at: number * 40))
            #expect(abs(wall - incoming(ofFrame: number)) <= 2)
        }
    }

    @Test func extrapolatesAtRateOfWallClock() {
        var clock = StreamClock()
        #expect(clock.wall(at: 0) == nil)
        clock.note(running: 1_000, wall: start)
        #expect(clock.wall(at: 0) == start - 1_000)
        #expect(clock.wall(at: 5_000) == start + 4_000)
        clock.note(running: 3_000, wall: start + 2_400)
        #expect(clock.wall(at: 2_000) == start + 1_200)
        #expect(clock.wall(at: 4_000) == start + 3_400)
    }

    @Test func followsRunningTimeThatGoesBack() {
        var clock = StreamClock()
        for second in Int64(0)...10 { clock.note(running: second * 1_000, wall: start + second * 1_000) }
        clock.note(running: 2_500, wall: start + 20_000)
        #expect(clock.wall(at: 2_500) == start + 20_000)
        #expect(clock.wall(at: 1_000) == start + 1_000)
        #expect(clock.wall(at: 3_500) == start + 21_000)
    }
}
