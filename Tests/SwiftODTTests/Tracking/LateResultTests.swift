import Glibc
import Testing

@testable import SwiftODT

/// Tests late results: a result for an old frame is applied at its time and propagated to the present.
@Suite struct LateResultTests {
    private static func truth(_ frame: Int) -> Box {
        Box(x: 100 + 8 * Double(frame), y: 200, width: 80, height: 160)
    }

    /// Every `interval`-th frame has a result, which arrives `delay` frames late.
    private func meanOverlap(delay: Int, interval: Int, luma: Bool) -> (overlap: Double, ids: Set<Int>) {
        let tracker = Tracker()
        var scene = SyntheticScene()
        scene.objects = [
            .init(width: 80, height: 160, place: { (100 + 240 * $0, 200) }, seed: 7)
        ]
        var (sum, count) = (0.0, 0)
        var ids: Set<Int> = []
        for frame in 0..<90 {
            let time = Nanoseconds(Double(frame) / 30 * 1e9)
            tracker.advance(
                to: time, width: 1280, height: 720, luma: luma ? scene.plane(at: Double(frame) / 30) : nil)
            let seen = frame - delay
            if seen >= 0, seen % interval == 0 {
                tracker.update(
                    [Detection(box: Self.truth(seen), score: 0.9)], seenAt: Nanoseconds(Double(seen) / 30 * 1e9))
            }
            guard frame > 30 else { continue }
            for track in tracker.tracks {
                ids.insert(track.id ?? 0)
                sum += track.box.iou(Self.truth(frame))
                count += 1
            }
        }
        return (sum / Double(max(1, count)), ids)
    }

    @Test(arguments: [1, 3, 8])
    func lateResultIsPropagatedToNow(_ delay: Int) {
        let result = meanOverlap(delay: delay, interval: 1, luma: false)
        #expect(result.overlap > 0.9)
        #expect(result.ids == [1])
    }

    @Test func lateResultsCombineWithImageMotion() {
        let result = meanOverlap(delay: 6, interval: 6, luma: true)
        #expect(result.overlap > 0.9)
        #expect(result.ids == [1])
    }

    /// With a slow detector and a high frame rate, a result can be older than the stored history.
    @Test(arguments: [(60, 170), (240, 200)]) func resultsOlderThanHistoryAreUsed(_ rate: Int, _ delay: Int) {
        let tracker = Tracker()
        let box = Box(x: 300, y: 200, width: 80, height: 160)
        func time(_ frame: Int) -> Nanoseconds { Nanoseconds(frame) * 1_000_000_000 / Nanoseconds(rate) }
        var shown = 0
        for frame in 0..<5 * delay {
            tracker.advance(to: time(frame), width: 1280, height: 720, luma: nil)
            if frame > 0, frame % delay == 0 {
                tracker.update([Detection(box: box, score: 0.9)], seenAt: time(frame - delay))
            }
            shown = max(shown, tracker.tracks.count)
        }
        #expect(shown == 1)
    }

    @Test(arguments: [20, 50])
    func newTrackOfLateResultIsPropagated(_ delay: Int) throws {
        let tracker = Tracker()
        var scene = SyntheticScene()
        scene.objects = [.init(width: 80, height: 160, place: { (100 + 240 * $0, 200) }, seed: 7)]
        for frame in 0...delay {
            let time = Double(frame) / 30
            tracker.advance(
                to: Nanoseconds(time * 1e9), width: 1280, height: 720, luma: scene.plane(at: time))
        }
        tracker.update([Detection(box: Self.truth(0), score: 0.9)], seenAt: 0)
        let box = try #require(tracker.tracks.first?.box)
        #expect(box.iou(Self.truth(delay)) > 0.8)
        #expect(box.iou(Self.truth(0)) < 0.2)
    }

    @Test func outOfOrderResultIsDropped() {
        let tracker = Tracker()
        for frame in 0..<10 {
            _ = tracker.step(Nanoseconds(frame) * 40_000_000, [Detection(box: Self.truth(frame), score: 0.9)])
        }
        let before = tracker.tracks.map(\.box)
        tracker.update([Detection(box: Box(x: 900, y: 10, width: 50, height: 50), score: 0.9)], seenAt: 40_000_000)
        #expect(tracker.tracks.map(\.box) == before)
    }

    @Test func smallCorrectionsAreSmoothedLargeOnesAreNot() throws {
        for (offset, glides) in [(10.0, true), (60.0, false)] {
            let tracker = Tracker()
            let still = Box(x: 400, y: 200, width: 100, height: 100)
            for frame in 0..<20 {
                _ = tracker.step(Nanoseconds(frame) * 40_000_000, [Detection(box: still, score: 0.9)])
            }
            tracker.advance(to: 800_000_000, width: 1280, height: 720, luma: nil)
            tracker.advance(to: 840_000_000, width: 1280, height: 720, luma: nil)
            let before = try #require(tracker.tracks.first?.box)
            tracker.update([Detection(box: still.offset(x: offset, y: 0), score: 0.9)], seenAt: 800_000_000)
            let moved = try #require(tracker.tracks.first?.box).x - before.x
            #expect(glides ? abs(moved) < 2 : moved > 15)
        }
    }
}
