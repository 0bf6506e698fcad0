import Testing

@testable import SwiftODT

/// Tests ids with weaknesses of detectors: truncated boxes before an occlusion, additional partial boxes, and low
/// scores.
@Suite struct WeakDetectorTests {
    private static let frame: Nanoseconds = 100_000_000

    private func person(_ box: Box, score: Double = 0.9) -> Detection { Detection(box: box, score: score) }

    /// A person walks behind a wall, so that box after box is lower. During the occlusion the box must not shrink to
    /// nothing.
    @Test func graduallyOccludedObjectKeepsSize() throws {
        let tracker = Tracker()
        for frame in 0..<20 {
            let height = frame < 15 ? 100 : 100 - 8 * Double(frame - 14)
            _ = tracker.step(
                Nanoseconds(frame) * Self.frame,
                [person(Box(x: 300 + 3 * Double(frame), y: 200, width: 40, height: height))])
        }
        var last: Track?
        for frame in 20..<29 { last = tracker.step(Nanoseconds(frame) * Self.frame, []).first }
        let hidden = try #require(last)
        #expect(hidden.state == .coasting)
        #expect(hidden.box.height > 30)
        #expect(hidden.box.width > 30)
    }

    /// A track that started by mistake and has only weak detections since must end.
    @Test func weakDetectionsKeepTrackForBoundedTime() {
        let tracker = Tracker()
        let object = Box(x: 300, y: 200, width: 40, height: 100)
        var shown: [Int] = []
        for frame in 0..<60 {
            let tracks = tracker.step(Nanoseconds(frame) * Self.frame, [person(object, score: frame < 3 ? 0.7 : 0.25)])
            if tracks.contains(where: { $0.state == .tracked }) { shown.append(frame) }
        }
        // Weak detections keep a track for about 0.5 s, so a short drop of the score does not end it.
        #expect(shown.last.map { (5...9).contains($0) } == true)
        #expect(tracker.tracks.isEmpty)
    }

    /// Weak detections keep a track for half as long as it was confirmed, but not forever.
    @Test(arguments: [5.0, 10, 30])
    func weakDetectionsKeepConfirmedTrackHalfAsLong(_ rate: Double) throws {
        let tracker = Tracker()
        let object = Box(x: 300, y: 200, width: 40, height: 100)
        var last = 0.0
        for frame in 0..<Int(10 * rate) {
            let time = Double(frame) / rate
            let tracks = tracker.step(Nanoseconds(time * 1e9), [person(object, score: time < 4 ? 0.7 : 0.25)])
            if tracks.contains(where: { $0.id == 1 && $0.state != .coasting && $0.state != .lost }) { last = time }
        }
        #expect((5.4...6.1).contains(last))
    }

    /// A person is missed in the frame in which another one is first detected beside them.
    @Test func neighbourDoesNotContinueTrack() {
        let tracker = Tracker()
        for frame in 0..<23 {
            let box = Box(x: frame < 20 ? 300 : 342, y: 200, width: 40, height: 100)
            _ = tracker.step(Nanoseconds(frame) * Self.frame, [person(box)])
        }
        let seen = tracker.tracks.filter { $0.state == .tracked || $0.state == .new }
        #expect(seen.map(\.id) == [2])
    }

    /// The full box and a partial box are detected at once, then only a box between the two. It belongs to the older
    /// track.
    @Test func olderOfDuplicateTracksWins() throws {
        let tracker = Tracker()
        for frame in 0..<30 {
            let x = 300 + 4 * Double(frame)
            let whole = person(Box(x: x, y: 200, width: 40, height: 100))
            let part = person(Box(x: x + 4, y: 202, width: 34, height: 60), score: 0.75)
            _ = tracker.step(Nanoseconds(frame) * Self.frame, frame < 27 ? [whole] : [whole, part])
        }
        let between = person(Box(x: 422, y: 202, width: 36, height: 78))
        let seen = tracker.step(30 * Self.frame, [between]).filter { $0.state == .tracked || $0.state == .new }
        #expect(seen.map(\.id) == [1])
    }
}
