import Testing

@testable import SwiftODT

/// Tests which results of a saliency network in a video become objects. The pictures have 640 x 480 pixels.
@Suite struct SalientObjectsTests {
    private static let table = Box(x: 300, y: 100, width: 80, height: 200)

    /// A sequence with one result per second.
    private struct Sequence {
        var objects = SalientObjects()
        private var time: Nanoseconds = 0
        private var nextID = 7

        /// Applies a result and returns the reported objects.
        mutating func run(_ box: Box?, score: Double = 0.8, beside named: [Box] = [], excluded: [Box] = []) -> [Track] {
            time += 1_000_000_000
            objects.leaveOut(excluded)
            let detections = box.map { [Detection(box: $0, score: score)] } ?? []
            objects.observe(detections, at: time, pictureArea: 640 * 480, beside: named) {
                nextID += 1
                return nextID - 1
            }
            objects.update(to: time, at: nil, beside: named)
            return objects.tracks
        }
    }

    @Test func standingObjectIsReportedAfterThreeResults() {
        var sequence = Sequence()
        #expect(sequence.run(Self.table).isEmpty)
        #expect(sequence.run(Self.table.offset(x: 4, y: -3)).isEmpty)
        let found = sequence.run(Self.table)
        #expect(found.map(\.id) == [7])
        #expect(found.first?.label == nil && found.first?.state == .tracked && found.first?.box == Self.table)
        sequence.objects.update(to: 4_900_000_000, at: nil, beside: [])
        #expect(sequence.objects.tracks.map(\.state) == [.tracked], "between two results")
        sequence.objects.update(to: 5_000_000_000, at: nil, beside: [])
        #expect(sequence.objects.tracks.map(\.state) == [.coasting], "results are missing")
    }

    @Test func objectThatMovesIsNotReported() {
        var sequence = Sequence()
        for step in 0..<10 {
            #expect(sequence.run(Self.table.offset(x: step % 2 == 0 ? 40 : -40, y: 0)).isEmpty)
        }
    }

    @Test(arguments: [
        (table, 0.45), (Box(x: 0, y: 0, width: 640, height: 400), 0.9), (Box(x: 9, y: 9, width: 20, height: 20), 0.9),
    ])
    func weakHugeAndTinyResultsAreNotReported(_ box: Box, _ score: Double) {
        var sequence = Sequence()
        for _ in 0..<5 { #expect(sequence.run(box, score: score).isEmpty) }
    }

    /// The label of the object can be excluded by the filter. The object is still known.
    @Test(arguments: [true, false]) func labelledObjectIsNotReported(_ isExcluded: Bool) {
        var sequence = Sequence()
        let box = Box(x: 280, y: 60, width: 120, height: 260)
        for _ in 0..<5 {
            #expect(
                sequence.run(Self.table, beside: isExcluded ? [] : [box], excluded: isExcluded ? [box] : []).isEmpty)
        }
    }

    @Test func coveredObjectReturnsWithItsID() {
        var sequence = Sequence()
        for _ in 0..<3 { _ = sequence.run(Self.table) }
        for _ in 0..<5 { #expect(sequence.run(nil, beside: [Self.table]).isEmpty) }
        #expect(sequence.run(Self.table).map(\.id) == [7])
        #expect(sequence.objects.takeEvents().isEmpty)
    }

    @Test func missedObjectEndsAndIsReportedOnceAsLost() {
        var sequence = Sequence()
        for _ in 0..<3 { _ = sequence.run(Self.table) }
        #expect(sequence.run(nil).isEmpty)
        #expect(sequence.run(Self.table).map(\.id) == [7])
        #expect(sequence.run(nil).isEmpty)
        let last = sequence.run(nil)
        #expect(last.map(\.id) == [7] && last.map(\.state) == [.lost] && last.map(\.box) == [Self.table])
        let events = sequence.objects.takeEvents()
        #expect(events.map(\.track.id) == [7] && events.map(\.reason) == [.lost] && events.map(\.best.score) == [0.8])
        #expect(sequence.run(Self.table).isEmpty)
    }

    /// The times before a reset do not matter: a flush resets the running time.
    @Test func excludedObjectIsKnownAfterCutAndReset() throws {
        var options = SceneOptions()
        (options.unknownObjects, options.multipleObjects) = (.salient, true)
        options.filter.denylist = ["table"]
        let scene = Scene(options: options)
        let pictures = [SyntheticScene(seed: 1), SyntheticScene(seed: 408)]
        let table = Detection(box: Self.table, score: 0.9, label: Label(index: 0, text: "table"))
        for number in 0..<14 {
            if number == 9 { scene.reset(reason: .flush) }
            let time = Nanoseconds(number < 9 ? number + 10 : number - 9) * 1_000_000_000
            scene.advance(
                to: time, width: 1280, height: 720, luma: pictures[number < 5 ? 0 : 1].plane(at: Double(number)))
            scene.observe([table], seenAt: time)
            if scene.beginsSalientRun() {
                scene.observeSalient([Detection(box: Self.table, score: 0.8)], seenAt: time)
            }
            #expect(try scene.objects(in: nil).isEmpty, "\(number)")
        }
    }

    @Test(arguments: [nil, Detection(box: table, score: 0.9, label: Label(index: 0, text: "table"))])
    func hiddenObjectEndsWhenPropertyChanges(_ reason: Detection?) throws {
        var options = SceneOptions()
        (options.unknownObjects, options.multipleObjects) = (.salient, true)
        let scene = Scene(options: options)
        var events: [String] = []
        for number in 0..<5 {
            let time = Nanoseconds(number) * 1_000_000_000
            scene.advance(to: time, width: 640, height: 480, luma: nil)
            if number == 3, let reason { scene.observe([reason], seenAt: time) }
            if scene.beginsSalientRun() {
                scene.observeSalient(number < 3 ? [Detection(box: Self.table, score: 0.8)] : [], seenAt: time)
            }
            if number == 4 { scene.options.unknownObjects = SceneOptions.UnknownObjects.none }
            _ = try scene.objects(in: nil)
            events += scene.takeEvents().filter { $0.event.track.label == nil }.map(\.event.kind.rawValue)
        }
        #expect(events == ["begin", "end"])
    }

    /// Only the explicit value runs the network in videos, once per second.
    @Test(arguments: [(SceneOptions.UnknownObjects.salient, 4), (.auto, 0), (.moving, 0), (.none, 0)])
    func sceneRunsNetworkOncePerSecond(_ which: SceneOptions.UnknownObjects, _ expected: Int) throws {
        var options = SceneOptions()
        (options.unknownObjects, options.multipleObjects) = (which, true)
        let scene = Scene(options: options)
        var (runs, events): (Int, [String]) = (0, [])
        for number in 0..<40 {
            let time = Nanoseconds(number) * 100_000_000
            scene.advance(to: time, width: 640, height: 480, luma: nil)
            if scene.beginsSalientRun() {
                runs += 1
                scene.observeSalient([Detection(box: Self.table, score: 0.8)], seenAt: time)
            }
            #expect(try scene.objects(in: nil).count == (runs < 3 ? 0 : 1))
            events += scene.takeEvents().map(\.event.kind.rawValue)
        }
        scene.reset(reason: .endOfStream)
        events += scene.takeEvents().map(\.event.kind.rawValue)
        #expect(runs == expected)
        #expect(events == (expected > 0 ? ["begin", "end"] : []))
    }

    /// After a cut, the objects of the new scene are unknown.
    @Test func networkRunsAtCut() {
        var options = SceneOptions()
        options.unknownObjects = .salient
        let scene = Scene(options: options)
        let pictures = [SyntheticScene(seed: 1), SyntheticScene(seed: 408)]
        var runs: [Int] = []
        for frame in 0..<10 {
            let seconds = Double(frame) / 25
            scene.advance(
                to: Nanoseconds(seconds * 1e9), width: 1280, height: 720,
                luma: pictures[frame < 5 ? 0 : 1].plane(at: seconds))
            if scene.beginsSalientRun() { runs.append(frame) }
        }
        #expect(runs == [0, 5])
    }
}
