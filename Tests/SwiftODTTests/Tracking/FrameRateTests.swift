import Glibc
import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests that tracking depends on time, not on the number of frames: the same scene gives the same tracks at any frame
/// rate.
@Suite struct FrameRateTests {
    /// Four people repeatedly approach each other and separate.
    private static func boxes(at time: Double) -> [Box] {
        (0..<4).map { number in
            let lane = Double(number)
            let x = 200 + 200 * lane + 90 * sin(0.6 * time + lane)
            let y = 150 + 60 * lane + 40 * cos(0.45 * time + 2 * lane)
            return Box(x: x, y: y, width: 60, height: 150)
        }
    }

    private static func detections(at time: Double, _ dice: inout RandomNumbers) -> [Detection] {
        boxes(at: time).map { box in
            Detection(
                box: Box(
                    x: box.x + dice.noise(), y: box.y + dice.noise(), width: box.width + dice.noise(),
                    height: box.height + dice.noise()), score: 0.8)
        }
    }

    /// Runs the tracker and returns the set of ids that each object had.
    private func ids(times: [Double]) -> [Set<Int>] {
        let tracker = Tracker()
        var dice = RandomNumbers(5)
        var found = [Set<Int>](repeating: [], count: 4)
        for time in times {
            let tracks = tracker.step(Nanoseconds(time * 1e9), Self.detections(at: time, &dice))
            for (number, box) in Self.boxes(at: time).enumerated() {
                for track in tracks where track.box.iou(box) > 0.6 { found[number].insert(track.id ?? 0) }
            }
        }
        return found
    }

    @Test(arguments: [5.0, 10, 30, 60])
    func idsAreKeptAtAnyFrameRate(_ rate: Double) {
        let found = ids(times: (0..<Int(10 * rate)).map { Double($0) / rate })
        #expect(found.allSatisfy { $0.count == 1 })
        #expect(Set(found.flatMap { $0 }).count == 4)
    }

    /// Uniform motion reduces the estimated acceleration at any frame rate.
    @Test(arguments: [10, 25, 50, 60, 120]) func accelerationIsLearntAtAnyFrameRate(_ rate: Int) {
        let tracker = Tracker()
        let before = tracker.state.statistics.accelerationNoise.x
        for frame in 0..<20 * rate {
            let seconds = Double(frame) / Double(rate)
            let box = Box(x: 100 + 40 * seconds, y: 300, width: 100, height: 200)
            _ = tracker.step(Nanoseconds(seconds * 1e9), [Detection(box: box, score: 0.9)])
        }
        #expect(tracker.state.statistics.accelerationNoise.x < before / 3)
    }

    /// A person stands, and a box with a low score sways. At the higher frame rate, more boxes have the same error, so
    /// they must not count more.
    @Test func swayingBoxMovesTrackEquallyAtAnyFrameRate() {
        let speeds = [30, 60].map { rate in
            let tracker = Tracker()
            var greatest = 0.0
            for frame in 0..<4 * rate {
                let seconds = Double(frame) / Double(rate)
                let box = Box(x: 300 + 6 * sin(2 * .pi * seconds / 0.3 + 0.3), y: 200, width: 60, height: 150)
                _ = tracker.step(Nanoseconds(seconds * 1e9), [Detection(box: box, score: 0.6)])
                if frame > 2 * rate { greatest = max(greatest, abs(tracker.state.tracklets[0].filter.velocity.x)) }
            }
            return greatest
        }
        #expect(speeds[1] < 1.1 * speeds[0])
    }

    @Test func droppedFramesKeepIDs() {
        var dice = RandomNumbers(9)
        let times = (0..<300).map { Double($0) / 30 }.filter { _ in Int.random(in: 0..<3, using: &dice) > 0 }
        #expect(ids(times: times).allSatisfy { $0.count == 1 })
    }

    @Test func repeatedFramesKeepIDs() {
        let times = (0..<300).flatMap { number in
            [Double](repeating: Double(number) / 30, count: number % 3 == 0 ? 2 : 1)
        }
        #expect(ids(times: times).allSatisfy { $0.count == 1 })
    }

    /// Whether an occluded object is re-identified depends on the elapsed seconds.
    @Test(arguments: [5.0, 10, 30, 60])
    func occlusionTimeIsIndependentOfFrameRate(_ rate: Double) {
        for (gap, isSame) in [(0.7, true), (1.6, false)] {
            let tracker = Tracker()
            var last: Set<Int> = []
            for frame in 0..<Int(6 * rate) {
                let time = Double(frame) / rate
                let isHidden = time > 3 && time < 3 + gap
                let box = Box(x: 100 + 40 * time, y: 200, width: 60, height: 150)
                let tracks = tracker.step(
                    Nanoseconds(time * 1e9), isHidden ? [] : [Detection(box: box, score: 0.9)])
                if !isHidden { last = Set(tracks.compactMap(\.id)) }
            }
            #expect(last == [isSame ? 1 : 2])
        }
    }
}

/// Tests boxes of objects that are cut by the border of the picture, between two inferences.
@Suite struct BorderTests {
    /// A person enters at the lower border of the picture. Inference runs on every fifth frame.
    @Test func boxOfEnteringObjectStaysAtTheBorder() {
        let tracker = Tracker()
        var lowest: [Double] = []
        for frame in 0..<21 {
            tracker.advance(
                to: Nanoseconds(frame) * 40_000_000, width: SyntheticScene.width, height: SyntheticScene.height,
                luma: nil)
            let top = Double(SyntheticScene.height) - 100 - 20 * Double(frame)
            let box = Box(minX: 300, minY: top, maxX: 400, maxY: Double(SyntheticScene.height))
            if frame % 5 == 0 {
                tracker.update([Detection(box: box, score: 0.9)], seenAt: Nanoseconds(frame) * 40_000_000)
            }
            lowest += tracker.tracks.map(\.box.maxY)
        }
        #expect(lowest.count == 21)
        #expect(lowest.allSatisfy { abs($0 - Double(SyntheticScene.height)) < 20 }, "\(lowest)")
    }

    @Test func edgesAtBordersAreMovedByAtMostTheLimit() {
        let (detected, moved) = (Box(x: 0, y: 40, width: 50, height: 60), Box(x: 30, y: 30, width: 50, height: 60))
        let whole = Box(minX: 0, minY: 30, maxX: 80, maxY: 100)
        #expect(moved.attached(toBordersOf: detected, 200, 100, limit: 1) == whole)
        #expect(moved.attached(toBordersOf: detected, 200, 100, limit: 0.2).minX == 20)
        #expect(moved.attached(toBordersOf: moved, 200, 100, limit: 1) == moved)
        #expect(moved.attached(toBordersOf: nil, 200, 100, limit: 1) == moved)
    }
}
