import Testing

@testable import SwiftODT

/// Tests when a returning object gets its earlier id. The objects are distinguished by the width of their boxes, which the
/// describer translates into embeddings.
@Suite struct TrackReidentifierTests {
    /// Two similar looks (0.8), one that resembles the first one more (0.9), and one that resembles none of them.
    private static let looks: [Int: [Float]] = [
        40: [1, 0, 0], 41: [0.8, 0.6, 0], 42: [0.9, 0, 0.436], 50: [0, 1, 0],
    ]

    private final class Describer: AppearanceDescriber {
        let labels: Set<String> = ["person"]
        let views = Monitor(0)

        func describe(_ box: Box, in frame: Frame) throws -> ObjectAppearance {
            views.update { $0 += 1 }
            return try ObjectAppearance(embedding: looks[Int(min(box.width, box.height))] ?? [0.5, 0.5, 0.7])
        }
    }

    /// A sequence of frames of 640 x 480 pixels, ten per second.
    private struct Sequence {
        let describer = Describer()
        var orientation = Orientation.identity
        var reidentifier: TrackReidentifier
        var changes: [TrackReidentifier.Change] = []
        private var time: Nanoseconds = 0
        private var present: Set<Int> = []
        /// The time of the first frame with each track.
        private var begun: [Int: Nanoseconds] = [:]

        init() { reidentifier = TrackReidentifier(describer: describer) }

        /// Shows tracks (tracker's id, look) for some time. Returns the reported ids of the last frame.
        @discardableResult
        mutating func show(
            _ tracks: [(id: Int, look: Int)], seconds: Double = 1, x: Double = 100, y: Double = 100,
            label: String? = "person", state: Track.State = .tracked, isHidden: Bool = false,
            firstSeen: Nanoseconds? = nil, isDetected: Bool = true, retention: Nanoseconds = 300_000_000_000,
            maxAge: Nanoseconds = 1_000_000_000
        ) throws -> [Int] {
            var ids: [Int] = []
            let detected = isDetected ? nil : time
            for number in present.subtracting(tracks.map(\.id)) where !isHidden {
                _ = reidentifier.end(number) { _ in true }
            }
            present = isHidden ? present : Set(tracks.map(\.id))
            for _ in 0..<max(1, Int(seconds * 10)) {
                time += 100_000_000
                for track in tracks { begun[track.id] = begun[track.id] ?? firstSeen ?? time }
                var shown = tracks.enumerated().map { place, track in
                    Track(
                        id: track.id,
                        box: orientation.swapsAxes
                            ? Box(x: y, y: x + 100 * Double(place), width: 100, height: Double(track.look))
                            : Box(x: x + 100 * Double(place), y: y, width: Double(track.look), height: 100),
                        score: 0.9, label: label.map { Label(index: 0, text: $0) }, state: state,
                        firstSeen: begun[track.id] ?? time, lastSeen: detected ?? time)
                }
                changes += try withFrame { frame in
                    try reidentifier.follow(&shown, in: frame, at: time, retention: retention, maxAge: maxAge)
                }
                ids = shown.compactMap(\.id)
            }
            return ids
        }

        private func withFrame<Answer>(_ body: (Frame) throws -> Answer) rethrows -> Answer {
            try withUnsafeTemporaryAllocation(byteCount: 640 * 480, alignment: 1) { memory in
                memory.initializeMemory(as: UInt8.self, repeating: 128)
                guard let base = memory.baseAddress else { preconditionFailure("no memory") }
                return try body(
                    Frame(
                        format: .gray8, width: 640, height: 480, planes: [.init(base: base, stride: 640)],
                        orientation: orientation, time: time)
                )
            }
        }
    }

    @Test func returningObjectGetsItsId() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        try sequence.show([], seconds: 60)
        #expect(try sequence.show([(2, 40)]) == [1])
        #expect(sequence.changes == [.init(from: 2, to: 1)])
        #expect(sequence.reidentifier.hasReturned(1))
        #expect(sequence.reidentifier.number(of: 1) == 2)
        // The third visit is recognised by the views of both earlier ones.
        try sequence.show([], seconds: 5)
        #expect(try sequence.show([(3, 40)]) == [1])
    }

    @Test func otherObjectKeepsItsId() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        try sequence.show([], seconds: 5)
        #expect(try sequence.show([(2, 50)]) == [2])
        #expect(sequence.changes.isEmpty)
    }

    /// A box that is 100 pixels high in the displayed picture is 40 pixels high in the buffer.
    @Test func viewsAreJudgedInTheDisplayedPicture() throws {
        var sequence = Sequence()
        sequence.orientation = .transpose
        try sequence.show([(1, 40)])
        try sequence.show([], seconds: 5)
        #expect(try sequence.show([(2, 40)]) == [1])
    }

    /// Two earlier objects look alike, or a visible one looks like the earlier one.
    @Test func ambiguousObjectKeepsItsId() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40), (2, 40)])
        try sequence.show([], seconds: 5)
        #expect(try sequence.show([(3, 40)]) == [3])

        sequence = Sequence()
        try sequence.show([(1, 40), (2, 40)])
        try sequence.show([(2, 40)], seconds: 5)
        #expect(try sequence.show([(2, 40), (3, 40)]) == [2, 3])
    }

    @Test func mostSimilarObjectIsChosen() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40), (2, 41)])
        try sequence.show([], seconds: 5)
        #expect(try sequence.show([(3, 41)]) == [2])
    }

    @Test func similarObjectKeepsItsId() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        try sequence.show([], seconds: 5)
        #expect(try sequence.show([(2, 41)], seconds: 4) == [2])
        #expect(try sequence.show([(3, 42)]) == [1])
    }

    /// The first views of a person that enters from another side are less similar than the later ones.
    @Test func laterViewsDecide() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        try sequence.show([], seconds: 5)
        #expect(try sequence.show([(2, 41)]) == [2])
        #expect(try sequence.show([(2, 40)]) == [1])
    }

    @Test func returnAfterRetentionIsANewObject() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        try sequence.show([], seconds: 12, retention: 10_000_000_000)
        #expect(try sequence.show([(2, 40)], retention: 10_000_000_000) == [2])
    }

    /// With rare inference, a track can be confirmed after another one has ended, although both objects were visible.
    @Test func objectsThatWereVisibleTogetherAreNotMerged() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        #expect(try sequence.show([(2, 40)], firstSeen: 1_000_000_000) == [2])
    }

    @Test func visibleObjectKeepsItsIdIfRetentionIsShorterThanInferenceInterval() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        try sequence.show([], seconds: 1)
        try sequence.show([(2, 40)], retention: 3_000_000_000)
        #expect(try sequence.show([(2, 40)], seconds: 5, isDetected: false, retention: 3_000_000_000) == [1])
    }

    /// The tracker keeps an occluded object for `maxAge` without reporting it.
    @Test func hiddenObjectKeepsItsIdIfRetentionIsShorterThanMaxAge() throws {
        var sequence = Sequence()
        let (retention, maxAge): (Nanoseconds, Nanoseconds) = (3_000_000_000, 10_000_000_000)
        try sequence.show([(1, 40)])
        try sequence.show([], seconds: 1)
        #expect(try sequence.show([(2, 40)], retention: retention, maxAge: maxAge) == [1])
        try sequence.show([], seconds: 6, isHidden: true, retention: retention, maxAge: maxAge)
        #expect(try sequence.show([(2, 40)], retention: retention, maxAge: maxAge) == [1])
    }

    @Test func viewAfterDecisionTimeGivesNoEarlierId() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        try sequence.show([], seconds: 5)
        try sequence.show([(2, 41)], seconds: 0.1)
        try sequence.show([(2, 41)], seconds: 5, state: .coasting)
        #expect(try sequence.show([(2, 40)]) == [2])
    }

    /// An object that returns at the limit of the possible speed walks on until it is recognised.
    @Test func objectIsComparedWithItsPresentPosition() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)], x: 10)
        try sequence.show([], seconds: 0.5)
        try sequence.show([(2, 40)], seconds: 0.1, x: 200, state: .coasting)
        try sequence.show([(2, 40)], seconds: 0.5, x: 300, state: .coasting)
        #expect(try sequence.show([(2, 40)], seconds: 0.1, x: 500) == [1])
    }

    @Test func objectThatIsTooFarAwayToBeTheSameIsNew() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)], x: 10)
        #expect(try sequence.show([(2, 40)], x: 550) == [2])
    }

    /// A box at the edge of the picture shows a part of the object, a coasting one something else.
    @Test(arguments: [(0.0, Track.State.tracked), (100, .coasting)])
    func badViewsAreNotCompared(_ x: Double, _ state: Track.State) throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        try sequence.show([], seconds: 5)
        #expect(try sequence.show([(2, 40)], x: x, state: state) == [2])
        // The first good view decides.
        #expect(try sequence.show([(2, 40)]) == [1])
    }

    @Test func decisionIsFinal() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        try sequence.show([], seconds: 5)
        try sequence.show([(2, 50)], seconds: 4)
        #expect(try sequence.show([(2, 40)], seconds: 20) == [2])
    }

    @Test func otherLabelsAreNotDescribed() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)], label: "dog")
        try sequence.show([], seconds: 5)
        #expect(try sequence.show([(2, 40)], label: "dog") == [2])
        #expect(sequence.describer.views.read { $0 } == 0)
    }

    /// The tracker withholds a hidden track for a while without ending it.
    @Test func hiddenTrackHasNotReturned() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        try sequence.show([], seconds: 0.5, isHidden: true)
        #expect(try sequence.show([(1, 40)]) == [1])
        #expect(sequence.changes.isEmpty)
        try sequence.show([], seconds: 0.5, isHidden: true)
        #expect(try sequence.show([(1, 40), (2, 40)]) == [1, 2])
    }

    /// A track with a withheld label has not ended, so no other track gets its id.
    @Test func presentTrackWithoutLabelKeepsItsId() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        try sequence.show([(1, 40)], label: nil)
        #expect(try sequence.show([(1, 40), (2, 40)]) == [1, 2])
    }

    /// A track that passes to another object is recognised as that object later.
    @Test func appearanceFollowsTheObjectOfATrack() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)], seconds: 3)
        try sequence.show([(1, 50)], seconds: 10)
        try sequence.show([], seconds: 5)
        #expect(try sequence.show([(2, 50)]) == [1])
    }

    @Test func viewsBecomeRare() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)], seconds: 100)
        #expect((25...40).contains(sequence.describer.views.read { $0 }))
    }

    /// Five new people need sixteen views each within three seconds.
    @Test func viewsOfCrowdAreLimited() throws {
        var sequence = Sequence()
        try sequence.show((1...5).map { ($0, 40) }, seconds: 3)
        #expect((8...10).contains(sequence.describer.views.read { $0 }))
    }

    @Test func resetForgetsEarlierObjects() throws {
        var sequence = Sequence()
        try sequence.show([(1, 40)])
        sequence.reidentifier.reset()
        #expect(try sequence.show([(2, 40)]) == [2])
    }

    // MARK: Events

    /// A returning object of a scene has the event `re-entered` instead of `begin`, and ends under its earlier id.
    @Test func sceneReportsReturn() throws {
        var options = SceneOptions()
        (options.multipleObjects, options.reidentify, options.tracker.minHits) = (true, true, 1)
        let scene = Scene(options: options)
        scene.reidentifier = TrackReidentifier(describer: Describer())
        var events: [String] = []
        try Self.show(scene, frames: 120) {
            (20..<80).contains($0) ? nil : 100
        } then: { number, objects in
            let ids = objects.compactMap(\.track.id)
            #expect(ids.isEmpty || ids == [1], "\(number)")
            events += scene.takeEvents().map {
                "\($0.event.kind.rawValue) \($0.event.track.id ?? 0) \($0.event.reason?.rawValue ?? "")"
            }
        }
        scene.reset(reason: .endOfStream)
        events += scene.takeEvents().map { "\($0.event.kind.rawValue) \($0.event.track.id ?? 0)" }
        #expect(events == ["begin 1 ", "end 1 lost", "re-entered 1 ", "end 1"])
    }

    @Test func sceneForgetsEarlierObjectsAtReset() throws {
        var options = SceneOptions()
        options.reidentify = true
        let scene = Scene(options: options)
        scene.reidentifier = TrackReidentifier(describer: Describer())
        var ids: Set<Int> = []
        try Self.show(scene, frames: 60) {
            (20..<40).contains($0) ? nil : 100
        } then: { number, objects in
            if number == 20 { scene.reset(reason: .flush) }
            if number > 20 { ids.formUnion(objects.compactMap(\.track.id)) }
        }
        #expect(ids == [2])
    }

    /// The person enters the zone with a new id, and gets the earlier id at the first view inside the picture.
    @Test func replacedIdLeavesZone() throws {
        var options = SceneOptions()
        options.reidentify = true
        let scene = Scene(options: options)
        scene.reidentifier = TrackReidentifier(describer: Describer())
        let corners = [Zone.Point(0, 0), Zone.Point(1, 0), Zone.Point(1, 1), Zone.Point(0, 1)]
        scene.zones = [Zone("room", .area, corners)]
        var events: [String] = []
        try Self.show(scene, frames: 60) {
            $0 < 10 ? 100 : $0 < 23 ? nil : $0 < 26 ? 0 : 3
        } then: { _, _ in
            events += scene.takeZoneEvents().map { "\($0.kind.rawValue) \($0.id ?? 0)" }
        }
        #expect(events == ["enter 1", "enter 2", "leave 2"])
        #expect(scene.zoneCounts[0].all.count == 1)
    }

    /// The person returns with a new id and gets the earlier id while a car is visible. Without its earlier rank, the
    /// person would be less prominent than the small car. The large car is more prominent in either case.
    @Test(
        arguments: [
            (60.0, ["begin 1", "end 1", "begin 2", "end 2", "re-entered 1", "end 1"], [1]),
            (300, ["begin 1", "end 1", "begin 2", "begin 3", "end 2", "re-entered 1", "end 1", "end 3"], [3]),
        ] as [(Double, [String], [Int])])
    func sceneReportsReentryEvenIfObjectIsNotSelected(side: Double, expected: [String], reported: [Int]) throws {
        var options = SceneOptions()
        options.reidentify = true
        let scene = Scene(options: options)
        scene.reidentifier = TrackReidentifier(describer: Describer())
        var events: [SceneEvent] = []
        var ids: [Int] = []
        try Self.show(scene, frames: 70) {
            $0 < 10 ? 100 : $0 < 23 ? nil : $0 < 35 ? 0 : 3
        } car: {
            $0 < 28 ? nil : side
        } then: { _, objects in
            events += scene.takeEvents()
            ids = objects.compactMap(\.track.id)
        }
        #expect(ids == reported)
        scene.reset(reason: .endOfStream)
        let rest = scene.takeEvents().sorted { ($0.event.track.id ?? 0) < ($1.event.track.id ?? 0) }
        #expect((events + rest).map { "\($0.event.kind.rawValue) \($0.event.track.id ?? 0)" } == expected)
        let returned = events.drop { $0.event.reason != .reidentified }.map(\.event.track)
        #expect(returned.count == 2 && returned.first?.firstSeen == returned.last?.firstSeen)
    }

    @Test func recognisedObjectKeepsItsClassifierLabel() throws {
        var options = SceneOptions()
        (options.reidentify, options.classify) = (true, true)
        var classifying = TrackClassifierOptions()
        classifying.classifiesAll = true
        let crops = ReadyClassifier([.unknown: 1], label: Label(index: 3, text: "guard"), labelScore: 0.9)
        let scene = Scene(options: options, classifier: TrackClassifier(crop: crops, options: classifying))
        scene.reidentifier = TrackReidentifier(describer: Describer())
        var events: [String] = []
        try Self.show(scene, frames: 70) {
            $0 < 10 ? 100 : $0 < 23 ? nil : $0 < 35 ? 0 : 3
        } then: { _, _ in
            events += scene.takeEvents().map {
                "\($0.event.kind.rawValue) \($0.event.track.id ?? 0) \($0.classifierLabel?.text ?? "")"
            }
        }
        #expect(events.suffix(3) == ["update 2 guard", "end 2 guard", "re-entered 1 guard"])
    }

    /// Shows a person, and a car in the middle, to a scene at ten frames per second. `x` returns the left edge of the
    /// person's box, `car` the side of the car's box; `nil` if there is no detection.
    private static func show(
        _ scene: Scene, frames: Int, x: (Int) -> Double?, car: (Int) -> Double? = { _ in nil },
        then body: (Int, [SceneObject]) -> Void
    ) throws {
        try withUnsafeTemporaryAllocation(byteCount: 640 * 480, alignment: 1) { memory in
            memory.initializeMemory(as: UInt8.self, repeating: 128)
            for number in 0..<frames {
                let time = Nanoseconds(number) * 100_000_000
                let frame = Frame(
                    format: .gray8, width: 640, height: 480,
                    planes: [.init(base: memory.baseAddress!, stride: 640)], time: time)
                scene.advance(to: time, width: 640, height: 480, luma: nil)
                let person = x(number).map {
                    Detection(
                        box: Box(x: $0, y: 100, width: 40, height: 100), score: 0.9,
                        label: Label(index: 0, text: "person"))
                }
                let vehicle = car(number).map {
                    Detection(
                        box: Box(x: 320 - $0 / 2, y: 240 - $0 / 2, width: $0, height: $0), score: 0.6 + $0 / 1000,
                        label: Label(index: 2, text: "car"))
                }
                scene.observe([person, vehicle].compactMap { $0 }, seenAt: time)
                body(number, try scene.objects(in: frame))
            }
        }
    }
}
