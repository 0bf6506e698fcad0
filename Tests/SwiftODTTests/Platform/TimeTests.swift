import ODTTestSupport
import Testing

@testable import SwiftODT

/// Verifies that no 64-bit timestamp crashes the library.
@Suite struct TimeTests {
    /// Returns the limits of the range, values near them, or any value.
    private static func anyTime(_ random: inout SeededGenerator) -> Nanoseconds {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: [.min, .max, 0, .farthest, -.farthest].randomElement(using: &random)!
        case 1: .max - .random(in: 0...3, using: &random)
        case 2: .min + .random(in: 0...3, using: &random)
        case 3: .random(in: -5...5, using: &random) * 33_333_333
        default: .random(in: .min ... .max, using: &random)
        }
    }

    @Test func arithmeticSaturates() {
        #expect(Nanoseconds.max.adding(1) == .max && Nanoseconds.min.adding(-1) == .min)
        #expect(Nanoseconds.max.since(-1) == .max && Nanoseconds.min.since(1) == .min)
        #expect(Nanoseconds.max.times(2) == .max && Nanoseconds.max.times(-2) == .min && Nanoseconds(7).times(6) == 42)
        #expect(Nanoseconds(seconds: .infinity) == .max && Nanoseconds(seconds: -1e300) == .min)
        #expect(Nanoseconds(seconds: .nan) == 0 && Nanoseconds(seconds: 1.5) == 1_500_000_000)
        #expect(Nanoseconds.farthest - -Nanoseconds.farthest > 0 && Nanoseconds.farthest + .farthest > 0)
        #expect(Nanoseconds.max.clampedToRange == .farthest && Nanoseconds.min.clampedToRange == -.farthest)
    }

    @Test func durationIsAddedToAndSubtractedFromMediaTime() {
        let time = MediaTime(seconds: 5)
        #expect(time + .seconds(2) == MediaTime(seconds: 7) && time - .seconds(2) == MediaTime(seconds: 3))
        #expect(MediaTime(nanoseconds: .min) - .nanoseconds(1) == MediaTime(nanoseconds: .min))
        #expect(MediaTime(nanoseconds: .max) + .nanoseconds(1) == MediaTime(nanoseconds: .max))
    }

    @Test func steadyClockPassesIncreasingTimes() {
        var clock = SteadyClock()
        let times: [Nanoseconds] = [5, 33_000_000, 100_000_000, 100_001_000, 5_000_000_000]
        #expect(times.map { clock.time(of: $0, step: 33) } == times)
    }

    /// For equal, decreasing or missing times, the clock advances by one step per frame, so that time always increases.
    @Test func steadyClockStepsOverNonIncreasingTimes() {
        for told in [[7, 7, 7, 7], [7, 6, 5, 4], [nil, nil, nil, nil], [7, .max, .max - 1, .min]] as [[Nanoseconds?]] {
            var clock = SteadyClock()
            let times = told.map { clock.time(of: $0, step: 40) }
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1_000 })
            var wide = SteadyClock()
            let far = told.map { wide.time(of: $0, step: 40_000_000) }
            #expect(zip(far, far.dropFirst()).allSatisfy { $1 - $0 == 40_000_000 })
        }
    }

    /// After two frames in the wrong order, the clock is ahead until the frame times catch up.
    @Test func steadyClockReturnsToFrameTimes() {
        var clock = SteadyClock()
        let step: Nanoseconds = 40_000_000
        let times = [0, 1, 3, 2, 4, 5, 6, 7].map { clock.time(of: $0 * step, step: step) }
        #expect(times == times.sorted() && Set(times).count == times.count)
        #expect(times.last == 7 * step)
    }

    @Test func steadyClockAlwaysIncreases() {
        var random = SeededGenerator(seed: testSeed())
        for _ in 0..<200 {
            var clock = SteadyClock()
            var last: Nanoseconds?
            for _ in 0..<100 {
                let told = Bool.random(using: &random) ? Self.anyTime(&random) : nil
                let time = clock.time(of: told, step: Self.anyTime(&random))
                #expect(time.isInRange)
                if let last { #expect(time > last || time == .farthest) }
                last = time
            }
        }
    }

    /// Passes timestamps through tracker, object selection and events.
    @Test func sceneSurvivesAnyTimes() throws {
        var random = SeededGenerator(seed: testSeed())
        for round in 0..<60 {
            var options = SceneOptions()
            options.multipleObjects = true
            options.tracking = round % 3 != 0
            options.tracker.maxAge = Self.anyTime(&random)
            options.tracker.minHits = 1
            let scene = Scene(options: options)
            for _ in 0..<40 {
                let time = Self.anyTime(&random)
                let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64 * 48)
                for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index * 7) }
                let luma = LumaPlane(adopting: pixels, width: 64, height: 48, scaleX: 1, scaleY: 1, time: time)
                scene.advance(to: time, width: 64, height: 48, luma: luma)
                let box = Box(x: .random(in: 0...30, using: &random), y: 8, width: 24, height: 24)
                let seen = Bool.random(using: &random) ? time : Self.anyTime(&random)
                scene.observe([Detection(box: box, score: 0.9)], seenAt: seen)
                let objects = try scene.objects(in: nil)
                #expect(objects.allSatisfy { $0.track.timeSinceUpdate >= 0 || round % 3 == 0 })
                _ = scene.takeEvents()
            }
        }
    }
}
