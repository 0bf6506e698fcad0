import ODTTestSupport
import Testing

@testable import SwiftODT

/// Verifies that no input crashes the tracker or makes its memory grow without limit.
@Suite struct TrackerRobustnessTests {
    private static let odd: [Double] = [
        .nan, .infinity, -.infinity, 0, -1, 1e-300, 1e9, -1e9, 1e308, -1e308, .greatestFiniteMagnitude, 50,
    ]

    @Test func invalidValuesAreSurvived() {
        let tracker = Tracker()
        var dice = RandomNumbers(3)
        let good = Detection(box: Box(x: 500, y: 300, width: 80, height: 160), score: 0.9)
        for frame in 0..<300 {
            var detections = [good]
            for _ in 0..<20 {
                let figures = (0..<5).map { _ in Self.odd.randomElement(using: &dice) ?? 0 }
                detections.append(
                    Detection(
                        box: Box(x: figures[0], y: figures[1], width: figures[2], height: figures[3]),
                        score: figures[4]))
            }
            let tracks = tracker.step(Nanoseconds(frame) * 33_333_333, detections)
            #expect(tracks.contains { $0.id == 1 && $0.box.iou(good.box) > 0.8 })
            #expect(tracks.allSatisfy { $0.box.isFinite && $0.score.isFinite && $0.velocityX.isFinite })
        }
    }

    /// The last boxes of an object shrink fast, because it turns or becomes occluded, and then there is no inference
    /// for a while.
    @Test func shrinkingBoxIsNotExtrapolatedToZero() {
        let tracker = Tracker()
        for frame in 0..<20 {
            let width = frame < 10 ? 480 : max(120, 480 - 45 * Double(frame - 9))
            _ = tracker.step(
                Nanoseconds(frame) * 40_000_000,
                [Detection(box: Box(centerX: 600, centerY: 300, width: width, height: 300), score: 0.9)])
        }
        for frame in 20..<40 {
            tracker.advance(to: Nanoseconds(frame) * 40_000_000, width: 1280, height: 720, luma: nil)
            #expect(tracker.tracks.count == 1)
            #expect(tracker.tracks.allSatisfy { $0.box.width >= 25 && $0.box.height >= 70 }, "\(tracker.tracks)")
        }
    }

    @Test func duplicateDetectionIsOneTrack() {
        let tracker = Tracker()
        let box = Box(x: 500, y: 300, width: 80, height: 160)
        for frame in 0..<30 {
            let twins = [box, box, box.offset(x: 1, y: 1), box.offset(x: -1, y: 0)]
            let tracks = tracker.step(Nanoseconds(frame) * 33_333_333, twins.map { Detection(box: $0, score: 0.9) })
            #expect(tracks.map(\.id) == [1])
        }
    }

    @Test func thousandDetectionsAreTracked() {
        let tracker = Tracker()
        for frame in 0..<5 {
            let boxes = (0..<1000).map { number in
                Box(
                    x: Double(number % 40) * 32 + Double(frame), y: Double(number / 40) * 28, width: 24, height: 26)
            }
            let tracks = tracker.step(Nanoseconds(frame) * 33_333_333, boxes.map { Detection(box: $0, score: 0.9) })
            #expect(tracks.count == 1000)
            #expect(tracks.compactMap(\.id).max() == 1000)
        }
    }

    @Test func trackCountIsLimited() {
        let tracker = Tracker(options: TrackerOptions(maxTracks: 10))
        for frame in 0..<20 {
            // The second half has another set of objects; undetected tracks must give way.
            let boxes = (0..<30).map { Box(x: Double($0) * 40, y: frame < 10 ? 100 : 500, width: 30, height: 60) }
            let tracks = tracker.step(Nanoseconds(frame) * 33_333_333, boxes.map { Detection(box: $0, score: 0.9) })
            #expect(tracks.count { $0.state != .lost } <= 10)
        }
        #expect(tracker.takeEvents().contains { $0.reason == .limit })
    }

    /// The first and the second object are missed when the fourth one appears.
    @Test func trackThatHasBeenMissedForLongestGivesWay() {
        let tracker = Tracker(options: TrackerOptions(maxTracks: 3))
        for (frame, visible) in [[0, 1, 2], [1, 2], [2], [2, 3]].enumerated() {
            let boxes = visible.map { Box(x: 100 + 200 * Double($0), y: 100, width: 30, height: 60) }
            _ = tracker.step(Nanoseconds(frame) * 33_333_333, boxes.map { Detection(box: $0, score: 0.9) })
        }
        let ends = tracker.takeEvents().filter { $0.kind == .end }
        #expect(ends.map(\.reason) == [.limit] && ends.allSatisfy { $0.track.box.x < 200 })
    }

    @Test func irregularTimesAreSurvived() {
        let tracker = Tracker()
        let detection = Detection(box: Box(x: 500, y: 300, width: 80, height: 160), score: 0.9)
        let times: [Nanoseconds] = [
            0, 0, 33, 20, 33_000_000, 10_000_000, 66_000_000, .max / 4, .max / 4, 5, 1_000_000, .min / 4, 0, 40_000_000,
        ]
        for time in times {
            for track in tracker.step(time, [detection]) { #expect(track.box.isFinite) }
        }
        #expect(!tracker.tracks.isEmpty)
    }

    @Test func planesOfAnySizeAreSurvived() {
        let tracker = Tracker()
        let detection = Detection(box: Box(x: 2, y: 2, width: 8, height: 8), score: 0.9)
        var dice = RandomNumbers(4)
        for (frame, size) in [(1, 1), (1, 1), (16, 16), (16, 16), (33, 17), (320, 180), (320, 180), (2, 300)]
            .enumerated()
        {
            let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: size.0 * size.1)
            for index in pixels.indices { pixels[index] = UInt8.random(in: 0...255, using: &dice) }
            let plane = LumaPlane(
                adopting: pixels, width: size.0, height: size.1, scaleX: 4, scaleY: 4, time: 0)
            tracker.advance(to: Nanoseconds(frame) * 33_333_333, width: 64, height: 64, luma: plane)
            if frame == 0 { tracker.update([detection], seenAt: 0) }
            #expect(tracker.tracks.allSatisfy { $0.box.isFinite })
        }
    }

    /// Eleven minutes at 30 frames per second, with changing objects and without anyone reading the events.
    @Test func memoryIsBounded() {
        let tracker = Tracker()
        for frame in 0..<20_000 {
            let time = Nanoseconds(frame) * 33_333_333
            tracker.advance(to: time, width: 1280, height: 720, luma: nil)
            // The detector pauses for long periods.
            if frame % 1000 < 700, frame % 3 == 0 {
                let x = Double(frame % 400) * 3
                tracker.update([Detection(box: Box(x: x, y: 300, width: 60, height: 120), score: 0.9)], seenAt: time)
            }
        }
        #expect(tracker.state.tracklets.count < 10)
        #expect(tracker.state.history.entries.count <= 151)
        #expect(tracker.state.events.count <= 10_000)
        #expect(tracker.state.nextID > 30)
    }
}
