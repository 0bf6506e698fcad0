import Testing

@testable import SwiftODT

/// Protects where redaction happens: between detections, before the first one, and for how long after the last.
@Suite struct RedactionTrackerTests {
    private static let step: Nanoseconds = 100_000_000
    private static let person = Label(index: 0, text: "person")

    /// Plays frames of ten a second with detections of one person, and takes them when all are known, or each at once.
    private func play(
        frames: Int, labels: Set<String> = ["person"], lookingAhead: Bool = true, _ find: (Int) -> [Detection]?
    ) -> [[Box]] {
        let tracker = RedactionTracker(
            options: RedactionTracker.Options(labels: labels, threshold: 0.2, follows: true, maxAge: 1_000_000_000))
        var places: [[Box]] = []
        var numbers: [Int] = []
        for frame in 0..<frames {
            let time = Nanoseconds(frame) * Self.step
            tracker.advance(to: time, width: 640, height: 480, luma: nil)
            if let found = find(frame) { tracker.observe(found, seenAt: time, region: nil) }
            numbers.append(tracker.endFrame())
            if !lookingAhead { places.append(tracker.places(ofFrame: numbers[frame])) }
        }
        return lookingAhead ? numbers.map(tracker.places(ofFrame:)) : places
    }

    private static func box(_ frame: Int) -> Box { Box(x: 100 + 4 * Double(frame), y: 100, width: 40, height: 80) }

    private static let standing = Box(x: 300, y: 100, width: 40, height: 80)

    private static func detection(_ frame: Int, score: Double = 0.5, _ label: Label? = person) -> Detection {
        Detection(box: box(frame), score: score, label: label)
    }

    private func covers(_ places: [Box], _ frame: Int) -> Bool { places.contains { $0.iou(Self.box(frame)) > 0.7 } }

    @Test func gapIsInterpolatedWhereTheTrackIsSeenAgain() {
        let seen = Set(0..<6).union(14..<20)
        let places = play(frames: 20) { seen.contains($0) ? [Self.detection($0)] : [] }
        #expect((0..<20).allSatisfy { covers(places[$0], $0) })
    }

    /// The extrapolated box moves away from an object that stops.
    @Test func gapOfStoppedObjectIsInterpolated() {
        let seen = Set(0..<6).union(10..<16)
        let places = play(frames: 16) { seen.contains($0) ? [Self.detection(min($0, 5))] : [] }
        #expect((0..<16).allSatisfy { covers(places[$0], min($0, 5)) })
    }

    @Test func trackIsExtrapolatedForHalfASecondBeforeItsFirstDetection() {
        let places = play(frames: 20) { $0 >= 10 ? [Self.detection($0)] : [] }
        #expect((0..<20).map { covers(places[$0], $0) } == (0..<20).map { $0 >= 5 })
    }

    @Test func trackThatStandsAtFirstIsExtrapolatedForASecond() {
        let places = play(frames: 20) {
            // At first its legs alone.
            let part = Box(x: 300, y: 130, width: 40, height: 50)
            return $0 >= 12 ? [Detection(box: $0 < 14 ? part : Self.standing, score: 0.5, label: Self.person)] : []
        }
        #expect(
            (0..<12).map { places[$0].contains { $0.contains(Self.standing, within: 5) } } == (0..<12).map { $0 >= 2 })
    }

    @Test func singleDetectionIsNotExtrapolated() {
        let places = play(frames: 20) { $0 == 10 ? [Self.detection($0)] : [] }
        #expect(places[..<10].allSatisfy { $0.isEmpty })
        #expect(!places[10].isEmpty && !places[12].isEmpty && places[15].isEmpty)
    }

    @Test func establishedTrackCoastsForASecond() {
        let places = play(frames: 30, lookingAhead: false) { $0 < 12 ? [Self.detection($0)] : [] }
        #expect((0..<21).allSatisfy { covers(places[$0], $0) })
        #expect(places[24].isEmpty)
    }

    @Test func trackThatIsKnownNotToReturnCoastsForHalfASecond() {
        let places = play(frames: 30) { $0 < 12 ? [Self.detection($0)] : [] }
        #expect((0..<16).allSatisfy { covers(places[$0], $0) })
        #expect(places[18].isEmpty)
    }

    @Test func weakDetectionsAndOtherLabelsContinueATrackAndBeginNone() {
        let dog = Label(index: 1, text: "dog")
        for other in [dog, nil, Self.person] {
            let places = play(frames: 40, lookingAhead: false) {
                [10..<14 ~= $0 ? Self.detection($0, score: 0.11, other) : Self.detection($0)]
            }
            #expect((0..<40).allSatisfy { covers(places[$0], $0) })
        }
        let places = play(frames: 60, lookingAhead: false) { [$0 < 5 ? Self.detection($0) : Self.detection($0, dog)] }
        #expect((0..<15).allSatisfy { covers(places[$0], $0) })
        #expect(places[40...].allSatisfy { $0.isEmpty })
        #expect(play(frames: 9) { [Self.detection($0, score: 0.19)] }.allSatisfy { $0.isEmpty })
        #expect(play(frames: 9) { [Self.detection($0, score: 0.2)] }.allSatisfy { !$0.isEmpty })
        #expect(play(frames: 9) { [Self.detection($0, dog)] }.allSatisfy { $0.isEmpty })
        #expect(play(frames: 9, labels: []) { [Self.detection($0, dog)] }.allSatisfy { !$0.isEmpty })
    }

    /// A label of white space is no label.
    @Test(arguments: ["Person ", "\tperson\n", "person\u{200B}", "\u{FEFF}person", " ", "\u{200B}"])
    func surroundingInvisibleCharactersOfLabelsAreIgnored(_ text: String) {
        let places = play(frames: 3) { [Self.detection($0, Label(index: 0, text: text))] }
        #expect(places.allSatisfy { !$0.isEmpty })
    }

    @Test func pictureIsRedactedWholeUntilTheFirstResult() {
        let places = play(frames: 6, lookingAhead: false) { $0 < 3 ? nil : [] }
        let whole = Box(x: 0, y: 0, width: 640, height: 480)
        #expect(places == [[whole], [whole], [whole], [], [], []])
    }

    /// Returns whether the complete picture is redacted in each of two frames, which have a result of the left half of
    /// the picture and one of `second`. `change` is applied between the frames.
    private func redactsWhole(second: Box?, change: (RedactionTracker) -> Void = { _ in }) -> [Bool] {
        let tracker = RedactionTracker(
            options: RedactionTracker.Options(labels: [], threshold: 0.2, follows: true, maxAge: 1_000_000_000))
        let half = Box(x: 0, y: 0, width: 320, height: 480)
        return [half, second].enumerated().map { frame, box in
            if frame == 1 { change(tracker) }
            let time = Nanoseconds(frame) * Self.step
            tracker.advance(to: time, width: 640, height: 480, luma: nil)
            tracker.observe([], seenAt: time, region: InferredRegion(box, width: 640, height: 480))
            return tracker.places(ofFrame: tracker.endFrame()) == [Box(x: 0, y: 0, width: 640, height: 480)]
        }
    }

    @Test func resultOfMagnifiedRegionIsNotTheFirstResult() {
        #expect(redactsWhole(second: Box(x: 0, y: 0, width: 639, height: 479)) == [true, true])
        #expect(redactsWhole(second: nil) == [true, false])
    }

    @Test func changedLabelsBeginAnEpoch() {
        for (labels, isRedacted) in [(["person"], false), (["dog"], true), ([], true)] as [(Set<String>, Bool)] {
            let tracker = RedactionTracker(
                options: RedactionTracker.Options(
                    labels: ["person"], threshold: 0.2, follows: true, maxAge: 1_000_000_000))
            tracker.advance(to: 0, width: 640, height: 480, luma: nil)
            tracker.observe([], seenAt: 0, region: nil)
            #expect(tracker.places(ofFrame: tracker.endFrame()).isEmpty)
            tracker.options.labels = labels
            tracker.advance(to: Self.step, width: 640, height: 480, luma: nil)
            #expect(tracker.places(ofFrame: tracker.endFrame()).isEmpty != isRedacted, "\(labels)")
        }
    }

    /// The result of an inference that was in flight when the labels changed.
    @Test func resultFromBeforeEpochIsNotTheFirstResult() {
        let tracker = RedactionTracker(
            options: RedactionTracker.Options(labels: [], threshold: 0.2, follows: true, maxAge: 1_000_000_000))
        for (frame, seen) in [(0, 0), (1, nil), (2, 1), (3, 2)] as [(Int, Int?)] {
            if frame == 2 { tracker.options.labels = ["person"] }
            tracker.advance(to: Nanoseconds(frame) * Self.step, width: 640, height: 480, luma: nil)
            if let seen {
                tracker.observe([Self.detection(seen)], seenAt: Nanoseconds(seen) * Self.step, region: nil)
            }
            let places = tracker.places(ofFrame: tracker.endFrame())
            #expect(places.contains(Box(x: 0, y: 0, width: 640, height: 480)) == (frame == 2), "\(frame)")
            #expect(frame == 2 || covers(places, frame))
        }
    }

    @Test func nothingIsExtrapolatedIntoTheEpochBefore() {
        let tracker = RedactionTracker(
            options: RedactionTracker.Options(labels: [], threshold: 0.2, follows: true, maxAge: 1_000_000_000))
        var numbers: [Int] = []
        for frame in 0..<10 {
            if frame == 5 { tracker.beginEpoch() }
            tracker.advance(to: Nanoseconds(frame) * Self.step, width: 640, height: 480, luma: nil)
            tracker.observe(
                frame < 5 ? [] : [Self.detection(frame)], seenAt: Nanoseconds(frame) * Self.step, region: nil)
            numbers.append(tracker.endFrame())
        }
        #expect(numbers.map { tracker.places(ofFrame: $0).isEmpty } == (0..<10).map { $0 < 5 })
    }
}
