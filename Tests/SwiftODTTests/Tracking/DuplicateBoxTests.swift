import Testing

@testable import SwiftODT

/// Tests duplicate boxes that a detector's suppression leaves on one object, frame after frame.
@Suite struct DuplicateBoxTests {
    private func person(at x: Double, y: Double = 200, score: Double, label: Label? = nil) -> Detection {
        Detection(box: Box(x: x, y: y, width: 60, height: 150), score: score, label: label)
    }

    /// A box's score is reduced by its overlap with a higher-scoring box. Boxes with the same score, with another label
    /// or without enough overlap are not reduced.
    @Test func strongerBoxExplainsSharedArea() {
        func left(_ apart: Double, of score: Double = 0.5, label: Label? = nil) -> Double? {
            var sieve = DetectionPreFilter()
            let detections = [person(at: 300, score: 0.9), person(at: 300 + apart, score: score, label: label)]
            sieve.accept(detections, from: 0.1)
            return sieve.accepted.view.first { $0.source == 1 }?.ownScore
        }
        #expect(left(80) == 0.5)
        // The IoU is 0.33.
        #expect((0.45...0.49).contains(left(30) ?? 0))
        // The IoU is 0.6, on either side.
        #expect((0.25...0.31).contains(left(15) ?? 0))
        #expect((0.25...0.31).contains(left(-15) ?? 0))
        #expect(left(15, of: 0.9) == 0.9)
        #expect(left(15, label: Label(index: 3, text: "bicycle")) == 0.5)
        // The remaining score is below the floor: the box is dropped and counted.
        #expect(left(15, of: 0.15) == nil)
        var sieve = DetectionPreFilter()
        sieve.accept([person(at: 300, score: 0.9), person(at: 315, score: 0.15)], from: 0.1)
        #expect(sieve.unused.doubled == 1)
    }

    /// A person walks, and every frame has a second, displaced box on them.
    @Test(arguments: [5.0, 10, 30])
    func duplicateBoxStartsNoTrack(_ rate: Double) {
        let tracker = Tracker()
        var seen: Set<Int> = []
        for frame in 0..<Int(6 * rate) {
            let time = Double(frame) / rate
            let x = 200 + 40 * time
            var found = [person(at: x, score: 0.9)]
            if frame > 0 { found.append(person(at: x + 20, score: 0.5)) }
            seen.formUnion(tracker.step(Nanoseconds(time * 1e9), found).compactMap(\.id))
        }
        #expect(seen == [1])
    }

    /// A person disappears into a doorway behind another person. This person walks on. Duplicate boxes on the other person must
    /// not move the first person's track.
    @Test(arguments: [10.0, 30])
    func duplicateBoxesDoNotShiftTrack(_ rate: Double) {
        let tracker = Tracker()
        var away: [Int] = []
        for frame in 0..<Int(6 * rate) {
            let time = Double(frame) / rate
            let walker = 100 + 80 * time
            var found = [person(at: walker, score: 0.9)]
            if time < 2.5 {
                found.append(person(at: 300, score: 0.85))
            } else {
                found.append(person(at: walker + 18, score: 0.5))
            }
            let seen = tracker.step(Nanoseconds(time * 1e9), found).filter { $0.state == .tracked || $0.state == .new }
            // From 1.5 s after the person's last detection.
            if time > 4 { away += seen.compactMap(\.id).filter { $0 != 1 } }
        }
        #expect(away.isEmpty)
    }

    /// Two separately confirmed objects stay separate while one half-occludes the other and reduces its score.
    @Test(arguments: [10.0, 30])
    func closePassingObjectStaysSeparate(_ rate: Double) {
        let tracker = Tracker()
        for frame in 0..<Int(6 * rate) {
            let time = Double(frame) / rate
            let x = 100 + 80 * time
            let isNear = abs(x - 330) < 35
            let other = person(at: x, y: 170, score: isNear ? 0.6 : 0.9)
            let tracks = tracker.step(Nanoseconds(time * 1e9), [person(at: 330, score: 0.95), other])
            guard time > 0.5 else { continue }
            #expect(Set(tracks.compactMap(\.id)) == [1, 2])
            #expect(tracks.count(where: { $0.state == .tracked }) == 2)
        }
    }
}
