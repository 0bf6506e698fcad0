import Testing

@testable import SwiftODT

/// Tests ids during occlusions in which position and motion do not distinguish the objects.
@Suite struct OcclusionTests {
    private func person(at x: Double, score: Double) -> Detection {
        Detection(box: Box(x: x, y: 200, width: 60, height: 150), score: score)
    }

    /// A person walks behind another one, turns around there and comes back, although the motion model predicts that
    /// they continue. Only the occluded person's score drops. The ids must not be exchanged when the two separate.
    @Test(arguments: [10.0, 15, 25, 30])
    func scoreDistinguishesOccludedObject(_ rate: Double) {
        let tracker = Tracker()
        for frame in 0..<Int(5 * rate) {
            let time = Double(frame) / rate
            let (incoming, departure) = (1.96, 2.26)
            let x = time < incoming ? 200 + 100 * time : 396 - 100 * max(0, time - departure)
            let tracks = tracker.step(
                Nanoseconds(time * 1e9), [person(at: 400, score: 0.95), person(at: x, score: x < 360 ? 0.9 : 0.6)])
            guard x < 350 else { continue }
            #expect(tracks.first { abs($0.box.x - 400) < 10 }?.id == 1)
            #expect(tracks.first { abs($0.box.x - x) < 10 }?.id == 2)
        }
    }

    /// The box of a half-occluded person is displaced for a moment. This is one error, however often the detector
    /// repeats it at a high frame rate.
    @Test func repeatedErrorCountsOnce() throws {
        func lean(rate: Double) throws -> Double {
            let tracker = Tracker()
            for frame in 0...Int((2.1 * rate).rounded()) {
                let time = Double(frame) / rate
                _ = tracker.step(
                    Nanoseconds(time * 1e9), [time < 2.05 ? person(at: 300, score: 0.95) : person(at: 312, score: 0.3)])
            }
            return try #require(tracker.state.tracklets.first).filter.box.x - 300
        }
        let (seldom, often) = (try lean(rate: 10), try lean(rate: 60))
        #expect(seldom > 2)
        #expect(often < 1.2 * seldom)
    }

    /// A partial box is detected beside the full one for 0.5 s, then a box between the two. It belongs to the older
    /// track. At 60 frames per second, the number of detections does not distinguish the tracks.
    @Test func trackAgeIsMeasuredInTime() {
        let tracker = Tracker()
        let rate = 60.0
        for frame in 0..<Int(5 * rate) {
            let x = 300 + Double(frame) / 4
            let whole = Detection(box: Box(x: x, y: 200, width: 40, height: 100), score: 0.9)
            let part = Detection(box: Box(x: x + 4, y: 202, width: 34, height: 60), score: 0.85)
            _ = tracker.step(Nanoseconds(Double(frame) / rate * 1e9), frame < 270 ? [whole] : [whole, part])
        }
        let between = Detection(box: Box(x: 377, y: 202, width: 36, height: 76), score: 0.9)
        let seen = tracker.step(5_000_000_000, [between]).filter { $0.state == .tracked || $0.state == .new }
        #expect(seen.map(\.id) == [1])
    }
}
