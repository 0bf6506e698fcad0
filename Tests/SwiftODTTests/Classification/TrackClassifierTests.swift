import Testing

@testable import SwiftODT

/// Tests when a track's crop is classified, and that streams do not wait for results.
@Suite struct TrackClassifierTests {
    private let milliseconds: Nanoseconds = 1_000_000

    private func track(
        _ id: Int?, _ label: String? = nil, side: Double = 40, state: Track.State = .tracked, seen: Nanoseconds = 0
    ) -> Track {
        Track(
            id: id, box: Box(x: 10, y: 10, width: side, height: side), score: 0.8,
            label: label.map { Label(index: 0, text: $0) }, state: state, lastSeen: seen)
    }

    /// Calls `body` with a grey frame of 200 x 200 pixels; no test depends on its pixels.
    private func withFrame<Answer>(at time: Nanoseconds = 0, _ body: (Frame) throws -> Answer) rethrows -> Answer {
        try withUnsafeTemporaryAllocation(byteCount: 200 * 200, alignment: 1) { memory in
            memory.initializeMemory(as: UInt8.self, repeating: 128)
            guard let base = memory.baseAddress else { preconditionFailure("no memory") }
            return try body(
                Frame(
                    format: .gray8, width: 200, height: 200, planes: [.init(base: base, stride: 200)], time: time))
        }
    }

    @Test func knownLabelDecidesWithoutClassifier() throws {
        let crops = ScriptedClassifier()
        var classifier = TrackClassifier(crop: crops)
        let verdicts = try withFrame {
            try classifier.classify([track(1, "banana"), track(2, "person")], in: $0, wait: false)
        }
        #expect(verdicts[0].category == .food)
        #expect(verdicts[0].confidence == 0.8)
        #expect(verdicts[1] == .unknown)
        #expect(crops.boxes.isEmpty)
    }

    /// With `classifiesAll`, objects whose label has a category are classified, too.
    @Test func labelsOfCustomClassifierAreReported() throws {
        var options = TrackClassifierOptions()
        options.classifiesAll = true
        let crops = ReadyClassifier([.unknown: 1], label: Label(index: 3, text: "cavendish"), labelScore: 0.8)
        var classifier = TrackClassifier(crop: crops, options: options)
        let verdict = try withFrame { try classifier.classify([track(1, "banana")], in: $0, wait: true)[0] }
        #expect(verdict.category == .food)
        var standard = TrackClassifier(crop: crops)
        #expect(try withFrame { try standard.classify([track(2)], in: $0, wait: true)[0].classifierLabel } == nil)
        #expect(verdict.classifierLabel == ClassifierLabel(label: Label(index: 3, text: "cavendish"), score: 0.8))
    }

    /// Another label replaces the current one only with a clear lead. Its score must reach the threshold in every
    /// verdict.
    @Test func classifierLabelHasThresholdAndHysteresis() {
        var evidence = ClassifierLabelEvidence()
        func add(_ label: String, _ score: Double) -> String? {
            let found = Classification(
                scores: CategoryScores([:]), label: Label(index: 0, text: label), labelScore: score)
            evidence.add(found, memory: 0.7)
            return evidence.verdict(threshold: 0.35)?.label.text
        }
        #expect(add("robin", 0.3) == nil)
        #expect(add("robin", 0.9) == "robin")
        #expect(add("wren", 0.9) == "robin")
        #expect(evidence.verdict(threshold: 0.4) == nil, "the score of the robin is 0.36")
        #expect(add("wren", 0.9) == "wren")
    }

    /// The threshold can change while a stream is playing.
    @Test func changedThresholdAppliesToKnownResults() throws {
        var options = TrackClassifierOptions()
        options.classifiesAll = true
        let crops = ScriptedClassifier()
        var classifier = TrackClassifier(crop: crops, options: options)
        let label = Label(index: 3, text: "rose")
        let tracks = [track(1, side: 50), track(2, "banana")]
        func verdicts(threshold: Double) throws -> [CategoryVerdict] {
            classifier.options.threshold = threshold
            return try withFrame { try classifier.classify(tracks, in: $0, wait: false) }
        }
        _ = try verdicts(threshold: 0.5)
        crops.answer([.plant: 0.8], label: label, labelScore: 0.8)
        for (threshold, isKnown) in [(0.5, true), (0.95, false), (0.5, true), (0.81, true), (0.95, false)] {
            let found = try verdicts(threshold: threshold)
            let categories: [SwiftODT.Category] = isKnown ? [.plant, .food] : [.unknown, .unknown]
            #expect(found.map(\.category) == categories, "\(threshold)")
            #expect(found[0].classifierLabel?.label == (threshold <= 0.8 ? label : nil), "\(threshold)")
        }
    }

    @Test func renamedTrackKeepsPendingAndCollectedResults() throws {
        let crops = ScriptedClassifier()
        var classifier = TrackClassifier(crop: crops)
        func category(_ id: Int) throws -> SwiftODT.Category {
            try withFrame { try classifier.classify([track(id)], in: $0, wait: false)[0].category }
        }
        #expect(try category(3) == .unknown)
        classifier.rename(3, to: 2)
        crops.answer([.plant: 0.8])
        #expect(try category(2) == .plant)
        classifier.rename(2, to: 1)
        #expect(try category(1) == .plant)
        classifier.rename(4, to: 1)
        #expect(try category(1) == .plant, "an unknown id changes nothing")
        #expect(crops.boxes.count == 1)
    }

    @Test func changedClassifierLabelIsTrackUpdate() throws {
        var classifying = TrackClassifierOptions(threshold: 0.9)
        classifying.classifiesAll = true
        let crops = ReadyClassifier([.unknown: 1], label: Label(index: 3, text: "cavendish"), labelScore: 0.8)
        var options = SceneOptions()
        options.classify = true
        let scene = Scene(options: options, classifier: TrackClassifier(crop: crops, options: classifying))
        for frame in 0..<20 {
            let time = Nanoseconds(frame) * 40 * milliseconds
            if frame == 10 { scene.classifier?.options.threshold = 0.5 }
            scene.advance(to: time, width: 200, height: 200, luma: nil)
            scene.observe([Detection(box: Box(x: 10, y: 10, width: 80, height: 80), score: 0.9)], seenAt: time)
            _ = try withFrame(at: time) { try scene.objects(in: $0, waiting: true) }
        }
        scene.reset(reason: .flush)
        let events = scene.takeEvents()
        #expect(events.map(\.event.kind) == [.begin, .update, .end])
        #expect(events.map(\.classifierLabel?.text) == [nil, "cavendish", "cavendish"])
    }

    /// A single deviating label does not change the category, a lasting one does.
    @Test func earlierLabelsAreWeighted() throws {
        var classifier = TrackClassifier(crop: ScriptedClassifier())
        func category(_ label: String, _ frame: Int) throws -> SwiftODT.Category {
            let seen = Nanoseconds(frame) * 33 * milliseconds
            return try withFrame(at: seen) {
                try classifier.classify([track(1, label, seen: seen)], in: $0, wait: false)[0].category
            }
        }
        for frame in 0..<10 { #expect(try category("banana", frame) == .food) }
        #expect(try category("potted plant", 10) == .food)
        for frame in 11..<40 { _ = try category("potted plant", frame) }
        #expect(try category("potted plant", 40) == .plant)
    }

    @Test func newTrackIsClassifiedOnceAsynchronously() throws {
        let crops = ScriptedClassifier()
        var classifier = TrackClassifier(crop: crops)
        #expect(try withFrame { try classifier.classify([track(1)], in: $0, wait: false) } == [.unknown])
        crops.answer([.plant: 0.9, .unknown: 0.1])
        for frame in 1...100 {
            let time = Nanoseconds(frame) * 33 * milliseconds
            let verdicts = try withFrame(at: time) { try classifier.classify([track(1)], in: $0, wait: false) }
            #expect(verdicts == [CategoryVerdict(category: .plant, confidence: 0.9)])
        }
        #expect(crops.boxes.count == 1)
    }

    @Test func oneCropPerFrameLargestFirst() throws {
        let crops = ScriptedClassifier(capacity: 3)
        var classifier = TrackClassifier(crop: crops)
        let tracks = [track(1, side: 30), track(2, side: 60), track(3, side: 50)]
        for _ in 0..<5 { _ = try withFrame { try classifier.classify(tracks, in: $0, wait: false) } }
        #expect(crops.boxes.map(\.width) == [60, 50, 30])
    }

    @Test func requestsAreLimitedToClassifierCapacity() throws {
        let crops = ScriptedClassifier(capacity: 1)
        var classifier = TrackClassifier(crop: crops)
        for _ in 0..<5 { _ = try withFrame { try classifier.classify([track(1), track(2)], in: $0, wait: false) } }
        #expect(crops.boxes.count == 1)
        crops.answer([.food: 1])
        for _ in 0..<5 { _ = try withFrame { try classifier.classify([track(1), track(2)], in: $0, wait: false) } }
        #expect(crops.boxes.count == 2)
    }

    /// A track can leave the list without being lost, for example because of `max-objects`.
    @Test func finishedCropOfAbsentTrackDoesNotBlockOthers() throws {
        let crops = ScriptedClassifier()
        var classifier = TrackClassifier(crop: crops)
        _ = try withFrame { try classifier.classify([track(1)], in: $0, wait: false) }
        crops.answer([.food: 1])
        _ = try withFrame { try classifier.classify([track(2)], in: $0, wait: false) }
        #expect(crops.boxes.count == 2)
    }

    @Test func cropOfLostTrackCountsUntilItIsClassified() throws {
        let crops = ScriptedClassifier()
        var classifier = TrackClassifier(crop: crops)
        for tracks in [[track(1)], [track(1, state: .lost)], [track(2)]] {
            _ = try withFrame { try classifier.classify(tracks, in: $0, wait: false) }
        }
        classifier.reset()
        _ = try withFrame { try classifier.classify([track(3)], in: $0, wait: false) }
        #expect(crops.boxes.count == 1)
        crops.answer([.food: 1])
        _ = try withFrame { try classifier.classify([track(3)], in: $0, wait: false) }
        #expect(crops.boxes.count == 2)
    }

    @Test func grownTrackIsClassifiedAgain() throws {
        let crops = ScriptedClassifier()
        var classifier = TrackClassifier(crop: crops)
        for side in [40.0, 44, 48, 50, 52] {
            _ = try withFrame { try classifier.classify([track(1, side: side)], in: $0, wait: false) }
            crops.answer([.food: 1])
        }
        #expect(crops.boxes.map(\.width) == [40, 50])
    }

    @Test func ambiguousTrackIsRetriedWithBackOff() throws {
        let crops = ScriptedClassifier()
        var classifier = TrackClassifier(crop: crops)
        var asked: [Nanoseconds] = []
        for tenth in 0...100 {
            let time = Nanoseconds(tenth) * 100 * milliseconds
            let before = crops.boxes.count
            let verdicts = try withFrame(at: time) { try classifier.classify([track(1)], in: $0, wait: false) }
            #expect(verdicts == [.unknown])
            if crops.boxes.count > before { asked.append(Nanoseconds(tenth)) }
            crops.answer([.food: 0.4, .plant: 0.3])
        }
        #expect(asked == [0, 5, 15, 35, 75])
    }

    @Test func coastingTrackIsNotClassified() throws {
        let crops = ScriptedClassifier(capacity: 9)
        var classifier = TrackClassifier(crop: crops)
        var outside = track(3)
        outside.box.x = 185
        var broken = track(4)
        broken.box.width = .nan
        let tracks = [track(1, state: .coasting), track(2, state: .lost), outside, broken, track(5, side: 5)]
        for _ in 0..<5 { _ = try withFrame { try classifier.classify(tracks, in: $0, wait: false) } }
        #expect(crops.boxes.isEmpty)
    }

    @Test func singleImageWaitsForAllResults() throws {
        var classifier = TrackClassifier(crop: ReadyClassifier([.homeGood: 0.7, .food: 0.2]))
        let verdicts = try withFrame {
            try classifier.classify([track(nil), track(nil, side: 5), track(nil, "dog")], in: $0, wait: true)
        }
        #expect(verdicts.map(\.category) == [.homeGood, .homeGood, .unknown])
        #expect(verdicts.map(\.confidence) == [0.7, 0.7, nil])
    }

    @Test func trackWithoutIDUsesLabelOnly() throws {
        let crops = ScriptedClassifier()
        var classifier = TrackClassifier(crop: crops)
        let verdicts = try withFrame { try classifier.classify([track(nil), track(nil, "cup")], in: $0, wait: false) }
        #expect(verdicts.map(\.category) == [.unknown, .homeGood])
        #expect(try classifier.classify([track(1)], in: nil, wait: true) == [.unknown])
        #expect(crops.boxes.isEmpty)
    }

    @Test func classifierFailureIsReportedOnce() throws {
        let crops = ScriptedClassifier(failure: ODTError(.failed, "no"))
        var classifier = TrackClassifier(crop: crops)
        #expect(throws: ODTError.self) {
            try withFrame { try classifier.classify([track(1), track(2, "cup")], in: $0, wait: false) }
        }
        let verdicts = try withFrame { try classifier.classify([track(1), track(2, "cup")], in: $0, wait: false) }
        #expect(verdicts.map(\.category) == [.unknown, .homeGood])
    }

    @Test func endedTracksAreForgotten() throws {
        let crops = ScriptedClassifier(capacity: 9)
        var classifier = TrackClassifier(crop: crops)
        _ = try withFrame { try classifier.classify([track(1)], in: $0, wait: false) }
        crops.answer([.food: 1])
        #expect(try withFrame { try classifier.classify([track(1)], in: $0, wait: false) }[0].category == .food)
        for _ in 0..<150 { _ = try classifier.classify([], in: nil, wait: false) }
        #expect(try classifier.classify([track(1)], in: nil, wait: false) == [.unknown])

        _ = try withFrame { try classifier.classify([track(2)], in: $0, wait: false) }
        crops.answer([.food: 1])
        classifier.reset()
        #expect(try classifier.classify([track(2)], in: nil, wait: false) == [.unknown])
        #expect(crops.boxes.count == 2)
    }

    @Test func userThresholdOverridesModelThreshold() throws {
        let answer: [SwiftODT.Category: Double] = [.food: 0.6, .unknown: 0.1]
        var strict = TrackClassifier(crop: ReadyClassifier(answer), options: .init(threshold: 0.7))
        var own = TrackClassifier(crop: ReadyClassifier(answer))
        let (strictly, byModel) = try withFrame { frame in
            (
                try strict.classify([track(nil)], in: frame, wait: true),
                try own.classify([track(nil)], in: frame, wait: true)
            )
        }
        #expect(strictly == [.unknown])
        #expect(byModel[0].category == .food)
    }
}
