import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests the tracker's contract: ids start at 1 and are never reused, tracks need confirmation, coast, and are lost
/// once.
@Suite struct TrackerContractTests {
    private func detection(x: Double, score: Double = 0.9) -> Detection {
        Detection(box: Box(x: x, y: 50, width: 40, height: 80), score: score)
    }

    private func step(_ tracker: Tracker, frame: Int, _ detections: [Detection]) -> [Track] {
        let time = Nanoseconds(frame) * 40_000_000
        tracker.advance(to: time, width: 640, height: 480, luma: nil)
        tracker.update(detections, seenAt: time)
        return tracker.tracks
    }

    @Test func firstFrameObjectIsReportedImmediately() {
        let tracker = Tracker()
        for frame in 0..<20 {
            let tracks = step(tracker, frame: frame, [detection(x: 100 + 4 * Double(frame))])
            #expect(tracks.map(\.id) == [1])
            #expect(tracks.first?.state == (frame == 0 ? .new : .tracked))
        }
    }

    /// The first detection in a previously empty scene needs confirmation as well.
    @Test func newObjectInEmptySceneNeedsConfirmation() {
        let tracker = Tracker()
        #expect(step(tracker, frame: 0, []).isEmpty)
        #expect(step(tracker, frame: 1, [detection(x: 100)]).isEmpty)
        #expect(step(tracker, frame: 2, [detection(x: 100)]).map(\.id) == [1])
    }

    /// False objects usually have low scores. The errors of close results are correlated, so they count less.
    @Test(arguments: [(0.9, 1, 2), (0.42, 1, 5), (0.42, 25, 3)])
    func lowScoresNeedMoreDetectionsForConfirmation(_ score: Double, _ interval: Int, _ count: Int) {
        #expect(detectionsForConfirmation(by: Tracker(), score: score, interval: interval, from: 0) == count)
    }

    @Test func lowScoresAreUsualForSomeDetectors() {
        let tracker = Tracker()
        for frame in 0..<500 { _ = step(tracker, frame: frame, [detection(x: 500, score: 0.45)]) }
        #expect(detectionsForConfirmation(by: tracker, score: 0.42, interval: 1, from: 500) == 3)
    }

    /// Returns after how many detections a new object is reported.
    private func detectionsForConfirmation(by tracker: Tracker, score: Double, interval: Int, from start: Int) -> Int? {
        let shown = step(tracker, frame: start, []).count
        return (1...10).first { number in
            let found = [detection(x: 100, score: score)]
            return step(tracker, frame: start + number * interval, found).count > shown
        }
    }

    /// With the heuristic, abrupt motion is reported completely and the rest of the offset by a third.
    @Test func withoutResidualAbruptMotionIsNotAddedToTheFilteredBox() throws {
        let lags = try [true, false].map { hasResidual in
            let tracker = Tracker()
            if !hasResidual { tracker.options.heuristics.remove(.residual) }
            for frame in 0..<30 { _ = step(tracker, frame: frame, [detection(x: 100)]) }
            _ = step(tracker, frame: 30, [detection(x: 114)])
            return 128 - (try #require(step(tracker, frame: 31, [detection(x: 128)]).first)).box.minX
        }
        #expect(lags[1] > 1.6 * lags[0], "\(lags)")
    }

    @Test func missedObjectCoastsAndIsLostOnce() {
        let tracker = Tracker()
        for frame in 0..<10 { _ = step(tracker, frame: frame, [detection(x: 100)]) }
        #expect(step(tracker, frame: 10, []).first?.state == .coasting)
        var lost = 0
        for frame in 11..<60 { lost += step(tracker, frame: frame, []).count { $0.state == .lost } }
        #expect(lost == 1)
        #expect(tracker.tracks.isEmpty)
        let kinds = tracker.takeEvents().map(\.kind)
        #expect(kinds.first == .begin && kinds.last == .end && kinds.count { $0 == .end } == 1)
    }

    /// The object in front covers 60 % of the missed one.
    @Test(arguments: [(false, 2), (true, 5)]) func missedObjectIsCurrentBriefly(isCovered: Bool, frames: Int) {
        let tracker = Tracker()
        let front = isCovered ? [Detection(box: Box(x: 116, y: 20, width: 120, height: 200), score: 0.9)] : []
        for frame in 0..<10 { _ = step(tracker, frame: frame, [detection(x: 100)] + front) }
        #expect(tracker.currentTracks.count == 1 + front.count)
        let counts = (10..<20).map { frame in
            _ = step(tracker, frame: frame, front)
            return tracker.currentTracks.count - front.count
        }
        #expect(counts == (0..<10).map { $0 < frames ? 1 : 0 })
        #expect(tracker.tracks.count == 1 + front.count, "the missed object still coasts")
    }

    /// The gate before the decoder passes a key frame every 2 s, and further frames after a miss.
    @Test func trackContinuesAfterFirstMissInKeyFrame() {
        let tracker = Tracker()
        for frame in 0..<3 { _ = step(tracker, frame: frame, [detection(x: 100)]) }
        for frame in [50, 100] { #expect(step(tracker, frame: frame, [detection(x: 100)]).first?.state == .tracked) }
        for frame in 150...162 { #expect(step(tracker, frame: frame, []).first?.state == .coasting) }
        #expect(step(tracker, frame: 163, []).first?.state == .lost)
    }

    /// With rare inferences, only the durations of frames with inference count toward `maxAge` (1 s), because fewer
    /// inferences have fewer chances to detect the object. The track is lost after 2 s without a detection at the latest.
    @Test(arguments: [(1, 25), (2, 49), (5, 50), (10, 50)])
    func maxAgeScalesWithInferenceInterval(_ interval: Int, _ frames: Int) {
        let tracker = Tracker()
        // The object is missed from this frame on; it may have been visible until the previous frame.
        let missed = 50
        for frame in 0..<missed + 60 {
            tracker.advance(to: Nanoseconds(frame) * 40_000_000, width: 640, height: 480, luma: nil)
            if frame % interval == 0 {
                tracker.update(frame < missed ? [detection(x: 100)] : [], seenAt: Nanoseconds(frame) * 40_000_000)
            }
            let expected: [Track.State] =
                switch frame {
                case ..<interval: [.new]
                case ..<missed: [.tracked]
                case ..<(missed + frames): [.coasting]
                case missed + frames: [.lost]
                default: []
                }
            #expect(tracker.tracks.map(\.state) == expected, "at \(frame)")
        }
    }

    /// A track with a last detection that is too old does not coast.
    @Test func missAfterLongGapIsLostImmediately() {
        let tracker = Tracker()
        for frame in 0..<200 {
            tracker.advance(to: Nanoseconds(frame) * 40_000_000, width: 640, height: 480, luma: nil)
            if frame % 40 == 0 {
                tracker.update(frame < 100 ? [detection(x: 100)] : [], seenAt: Nanoseconds(frame) * 40_000_000)
            }
            #expect(tracker.trackCount == (frame < 122 ? 1 : 0), "at \(frame)")
        }
    }

    @Test func idsContinueAfterReset() {
        let tracker = Tracker()
        _ = step(tracker, frame: 0, [detection(x: 100), detection(x: 300)])
        tracker.reset(reason: .flush)
        #expect(tracker.takeEvents().filter { $0.kind == .end }.map(\.reason) == [.flush, .flush])
        #expect(step(tracker, frame: 0, [detection(x: 100)]).map(\.id) == [3])
    }

    /// A later object is reported with the detection that confirms it, neither before nor after.
    @Test(arguments: [1, 2, 3, 5])
    func newTrackIsReportedWhenConfirmed(_ minHits: Int) {
        let tracker = Tracker(options: TrackerOptions(minHits: minHits))
        for frame in 0..<10 { _ = step(tracker, frame: frame, [detection(x: 100)]) }
        let shown = (10..<20).first { frame in
            step(tracker, frame: frame, [detection(x: 100), detection(x: 400)]).contains { $0.id == 2 }
        }
        #expect(shown == 9 + minHits)
    }

    /// Horizontal, vertical and diagonal motion: 50 pixels per frame, 19 times.
    @Test(arguments: [(50.0, 0.0), (0, 50), (30, 40), (-30, 40)])
    func pathLengthEqualsDistance(_ across: Double, _ down: Double) {
        let tracker = Tracker()
        for frame in 0..<20 {
            let box = Box(x: 1000 + across * Double(frame), y: 100 + down * Double(frame), width: 200, height: 200)
            let time = Nanoseconds(frame) * 40_000_000
            tracker.advance(to: time, width: 2048, height: 1200, luma: nil)
            tracker.update([Detection(box: box, score: 0.9)], seenAt: time)
        }
        tracker.reset(reason: .flush)
        let end = tracker.takeEvents().last
        #expect(end?.kind == .end)
        #expect(abs((end?.pathLength ?? 0) - 950) < 50)
    }

    /// An object reverses its direction at 2 s. The jitter of the detector has a standard deviation of 1 pixel.
    @Test(arguments: [(150.0, 5.0), (300, 8)])
    func reportedBoxFollowsAbruptReversal(_ speed: Double, _ tolerance: Double) {
        let tracker = Tracker()
        var dice = RandomNumbers(1)
        for frame in 0..<90 {
            let seconds = Double(frame) / 30
            let x = 300 + speed * min(seconds, 4 - seconds)
            let box = Box(x: x + dice.noise(), y: 200 + dice.noise(), width: 70, height: 70)
            let tracks = tracker.step(Nanoseconds(frame) * 33_333_333, [Detection(box: box, score: 0.9)])
            if frame >= 64 { #expect(tracks.allSatisfy { abs($0.box.x - x) < tolerance }) }
        }
    }

    /// Users lower the threshold if nothing is found, so it must work down to 0 and within seconds.
    @Test(arguments: [(0.05, 0.06), (0.01, 0.01), (0, 0.002), (0, 0)])
    func lowThresholdsAreObeyed(_ threshold: Double, _ score: Double) {
        let tracker = Tracker(options: TrackerOptions(scoreThreshold: threshold))
        _ = step(tracker, frame: 0, [detection(x: 400)])
        var shown = false
        for frame in 1..<90 {
            let tracks = step(tracker, frame: frame, [detection(x: 400), detection(x: 100, score: score)])
            shown = shown || tracks.contains { $0.box.x < 200 }
        }
        #expect(shown)
    }

    /// Weak detections below the threshold continue tracks. Without tracking they are requested as well, to explain
    /// the rejected objects if nothing is reported.
    @Test(arguments: [(0.4, 0.1), (1, 0.1), (0.2, 0.1), (0.05, 0.025), (0, 0)])
    func scoreFloorFollowsThreshold(_ threshold: Double, _ floor: Double) {
        var options = SceneOptions()
        options.tracker.scoreThreshold = threshold
        #expect(options.scoreFloor == floor)
        options.tracking = false
        #expect(options.scoreFloor == floor)
    }

    @Test func bestDetectionHasItsTime() {
        let tracker = Tracker()
        for (frame, score) in [0.5, 0.9, 0.6].enumerated() {
            _ = step(tracker, frame: frame, [detection(x: 100 + 4 * Double(frame), score: score)])
        }
        let best = tracker.summary(of: 1)?.best
        #expect(best?.score == 0.9 && best?.box.x == 104 && best?.time == 40_000_000)
    }

    /// The object is missed from frame 19 on, before it reaches the edge. Its predicted box leaves the picture.
    @Test func trackEndsWhenItLeavesThePicture() {
        let tracker = Tracker()
        for frame in 0..<30 {
            _ = step(tracker, frame: frame, frame < 19 ? [detection(x: 300 + 16 * Double(frame))] : [])
        }
        #expect(tracker.takeEvents().map(\.reason) == [nil, .leftFrame])
    }
}
