import Foundation
import Testing

@testable import SwiftODT

/// Tests unclassified objects: unexplained motion becomes one object with one id, which it keeps when it is classified.
@Suite struct UnclassifiedObjectsTests {
    typealias Shape = MotionScene.Shape

    private static let walker = Shape(width: 18, height: 26, level: 220) { (x: 20 * $0 - 10, y: 60) }

    /// One frame's objects and the true boxes.
    private struct Moment {
        let time: Double
        let objects: [SceneObject]
        let truth: [Box]

        var shown: [Track] { objects.map(\.track).filter { $0.state != .lost } }
        var unclassified: [Track] { shown.filter { $0.label == nil } }
    }

    private static func options(_ change: (inout SceneOptions) -> Void = { _ in }) -> SceneOptions {
        var options = SceneOptions()
        options.multipleObjects = true
        options.unknownObjects = .moving
        change(&options)
        return options
    }

    /// Runs a scene on a synthetic video.
    ///
    /// - Parameter detect: returns the detections for the true boxes of a frame; `nil` for a frame without inference.
    private func film(
        _ shapes: [Shape], seconds: Double = 6, through scene: Scene? = nil, pan: Double = 0,
        options: SceneOptions = options(), detect: (Double, [Box]) -> [Detection]? = { _, _ in [] }
    ) throws -> [Moment] {
        let scene = scene ?? Scene()
        scene.options = options
        var film = MotionScene(seconds: seconds, noise: 1, shapes: shapes)
        if pan != 0 { film.pan = { (x: pan * $0, y: 0) } }
        let (painter, picture) = (MotionPainter(film), TestPicture(.gray8, width: film.width, height: film.height))
        return try (0..<Int(seconds * film.framesPerSecond)).map { index in
            let seconds = Double(index) / film.framesPerSecond
            let time = Nanoseconds(seconds * 1e9)
            let luma = picture.withFrame(time: time) { frame in
                painter.paint(seconds, into: frame)
                return LumaPlane.reduce(frame)
            }
            let truth = film.truth(seconds).map(\.box)
            scene.advance(to: time, width: film.width, height: film.height, luma: luma)
            if let found = detect(seconds, truth) { scene.observe(found, seenAt: time) }
            return Moment(time: seconds, objects: try scene.objects(in: nil), truth: truth)
        }
    }

    private func named(_ box: Box, _ name: String = "cart", score: Double = 0.9) -> Detection {
        Detection(box: box, score: score, label: Label(index: 3, text: name))
    }

    private func expectNothing(_ moments: [Moment], _ location: SourceLocation = #_sourceLocation) {
        #expect(!moments.contains { !$0.objects.isEmpty }, sourceLocation: location)
    }

    @Test func movingRegionBecomesUnclassifiedObject() throws {
        let scene = Scene()
        let moments = try film([Self.walker], through: scene)
        let late = moments.filter { $0.time > 3 }
        #expect(late.allSatisfy { $0.shown.count == 1 && $0.unclassified.count == 1 })
        #expect(late.allSatisfy { $0.shown[0].box.iou($0.truth[0]) > 0.6 })
        #expect(Set(late.compactMap { $0.shown[0].id }) == [1])
        #expect(late.allSatisfy { $0.objects[0].category == .unknown && $0.objects[0].isProminent })
        let truth = try #require(moments.last).truth[0]
        #expect(scene.places(of: ["person"]).contains { $0.iou(truth) > 0.6 }, "the object may be a person")
    }

    @Test func noneDisablesUnclassifiedObjects() throws {
        try expectNothing(film([Self.walker], options: Self.options { $0.unknownObjects = .none }))
    }

    @Test func detectedObjectIsNotReportedTwice() throws {
        let moments = try film([Self.walker]) { _, truth in truth.map { named($0) } }
        #expect(moments.filter { $0.time > 1 }.allSatisfy { $0.shown.count == 1 && $0.unclassified.isEmpty })
    }

    /// The object keeps its id and start time; the label arrives as an update event.
    @Test func identityIsKeptWhenObjectIsClassified() throws {
        let scene = Scene()
        var events: [SceneEvent] = []
        let moments = try film([Self.walker], through: scene) { time, truth in
            events += scene.takeEvents()
            return time > 3.5 ? truth.map { named($0) } : []
        }
        let late = moments.filter { $0.time > 3 }
        #expect(late.allSatisfy { $0.shown.count == 1 })
        #expect(Set(late.compactMap { $0.shown[0].id }) == [1])
        #expect(Set(late.map { $0.shown[0].firstSeen }).count == 1, "the start time does not change")
        #expect(late.last?.shown[0].label?.text == "cart")
        #expect(events.map(\.event.kind) == [.begin, .update])
        #expect((events.last?.event.pathLength ?? 0) > 20)
    }

    /// Frames without inference are not misses, and a late result describes an earlier position of the object.
    @Test func lateDetectionsClassifyObject() throws {
        let scene = Scene()
        var asked: [(time: Double, truth: [Box])] = []
        let moments = try film([Self.walker], through: scene) { time, truth in
            asked.append((time, truth))
            guard time > 3, asked.count % 6 == 0 else { return nil }
            let then = asked[asked.count - 4]
            scene.observe(then.truth.map { named($0) }, seenAt: Nanoseconds(then.time * 1e9))
            return nil
        }
        let late = moments.filter { $0.time > 3 }
        #expect(late.allSatisfy { $0.shown.count == 1 }, "\(late.map(\.shown.count))")
        #expect(Set(late.compactMap { $0.shown[0].id }).count == 1)
        #expect(moments.filter { $0.time > 4.5 }.allSatisfy { $0.unclassified.isEmpty })
    }

    /// Motion beside a person's box (an arm) belongs to the person.
    @Test func partsOfDetectedObjectAreNotReported() throws {
        let moments = try film([Self.walker]) { _, truth in
            truth.map { named(Box(x: $0.x, y: $0.y, width: $0.width, height: 0.72 * $0.height)) }
        }
        #expect(moments.allSatisfy { $0.unclassified.isEmpty })
    }

    /// Two adjacent objects form one motion region; the undetected one is found within it.
    @Test func objectBesideDetectedOneIsReported() throws {
        let pair = [Self.walker, Shape(width: 18, height: 26, level: 30) { (x: 20 * $0 + 10, y: 60) }]
        let moments = try film(pair) { _, truth in [named(truth[0])] }
        let late = moments.filter { $0.time > 3.5 }
        #expect(late.allSatisfy { $0.unclassified.count == 1 && $0.unclassified[0].box.iou($0.truth[1]) > 0.5 })
    }

    @Test func stationaryMotionIsNotReported() throws {
        let shapes = [
            Shape(width: 20, height: 14, level: 200) { (x: 40 + 3 * sin($0 * 9), y: 30) },
            // A lamp that is switched on.
            Shape(width: 24, height: 24, level: 230, isRound: true) { $0 > 3 ? (x: 110, y: 70) : nil },
        ]
        try expectNothing(film(shapes))
    }

    /// The background uncovered by a leaving object differs from the background model.
    @Test func ghostIsNotReported() throws {
        let leaver = Shape(width: 20, height: 30, level: 225) { (x: 60 + max(0, $0 - 3) * 30, y: 60) }
        let moments = try film([leaver], seconds: 5.5)
        let shown = moments.flatMap { moment in moment.unclassified.map { ($0, moment.truth) } }
        #expect(!shown.isEmpty)
        let amiss = shown.count { $0.box.intersection($1[0]).area < 0.5 * $0.box.area }
        #expect(amiss <= 10, "ghosts while the object moves off its old position: \(amiss) of \(shown.count)")
    }

    @Test(arguments: [3.0, 12, 45]) func movingCameraReportsNothing(_ pace: Double) throws {
        let moments = try film([], pan: pace)
        expectNothing(moments)
    }

    /// With one reported object, a classified object has priority, however small and far from the centre it is.
    @Test func classifiedObjectsRankFirst() throws {
        let bystander = Box(x: 2, y: 2, width: 8, height: 8)
        let big = Shape(width: 40, height: 40, level: 230) { (x: 20 * $0, y: 60) }
        let moments = try film([big], options: Self.options { $0.multipleObjects = false }) { _, _ in
            [named(bystander, score: 0.5)]
        }
        #expect(moments.dropFirst().allSatisfy { $0.shown.map(\.label?.text) == ["cart"] })
    }

    @Test func userFiltersApply() throws {
        try expectNothing(film([Self.walker], options: Self.options { $0.filter.minArea = 0.1 }))
        try expectNothing(film([Self.walker], options: Self.options { $0.filter.allowlist = ["person"] }))
        let wanted = try film([Self.walker], options: Self.options { $0.filter.allowlist = ["unknown"] })
        #expect(wanted.contains { !$0.objects.isEmpty })
        let scene = Scene()
        scene.zones = try Zone.list(
            named: #"[{"name": "road", "kind": "ignore", "points": [[0, 0], [1, 0], [1, 1], [0, 1]]}]"#)
        try expectNothing(film([Self.walker], through: scene))
    }

    /// The detector has classified the object, and the user has excluded its label.
    @Test func excludedLabelsAreNotReportedAsUnknown() throws {
        let moments = try film([Self.walker], options: Self.options { $0.filter.denylist = ["dog"] }) { _, truth in
            truth.map { named($0, "dog") }
        }
        expectNothing(moments)
    }

    /// A large excluded object has left, so later motion at its position belongs to another object.
    @Test func endedExcludedObjectsSuppressNothing() throws {
        var frames = 0
        let moments = try film([Self.walker], seconds: 12, options: Self.options { $0.filter.denylist = ["dog"] }) {
            _, _ in
            frames += 1
            let dog = Box(x: 0, y: 0, width: 640, height: 480)
            return frames < 30 ? [named(dog, "dog")] : []
        }
        #expect(moments.contains { !$0.objects.isEmpty })
    }

    /// The option is disabled while there is an unclassified object.
    @Test func disablingEndsUnclassifiedTracks() throws {
        let scene = Scene()
        _ = try film([Self.walker], seconds: 4, through: scene)
        _ = scene.takeEvents()
        scene.options.unknownObjects = .none
        let objects = try scene.objects(in: nil)
        #expect(objects.isEmpty)
        #expect(scene.takeEvents().map(\.event.kind) == [.end])
    }
}

/// Tests which motion counts as displacement.
@Suite struct DisplacementTestTests {
    private func isPassed(_ boxes: [Box]) -> Bool {
        var way = DisplacementTest(from: boxes[0])
        for box in boxes.dropFirst() { way.follow(box, width: 320, height: 240) }
        return way.isPassed
    }

    private let start = Box(x: 100, y: 100, width: 20, height: 40)

    @Test func forwardDisplacementPasses() {
        #expect(isPassed((0..<20).map { start.offset(x: Double($0), y: 0) }))
        #expect(!isPassed((0..<9).map { start.offset(x: Double($0), y: 0) }), "not far enough")
    }

    @Test func oscillationFails() {
        #expect(!isPassed((0..<60).map { start.offset(x: [0, 4, 8, 4][$0 % 4], y: 0) }))
    }

    /// One side of the box stays: it grows like an opening door, or shrinks like a ghost.
    @Test func growthAndShrinkageFail() {
        let boxes = (0..<40).map { Box(x: 100, y: 100, width: 20 + Double($0), height: 40) }
        #expect(!isPassed(boxes))
        #expect(!isPassed(boxes.reversed()))
    }

    /// An entering object has one side at the border.
    @Test func enteringPictureCountsAsDisplacement() {
        #expect(isPassed((1..<20).map { Box(x: 0, y: 100, width: 2 * Double($0), height: 40) }))
    }

    /// Tracked boxes are inexact: the border side can be a fraction of a pixel off, and the object must still count as
    /// entering while it grows.
    @Test func enteringNearBorderCountsAsDisplacement() {
        #expect(isPassed((1..<20).map { Box(x: 0.3, y: 100, width: 2 * Double($0), height: 40) }))
    }

    /// A swaying object never leaves its first box, however far it moves.
    @Test func overlapWithFirstBoxIsNoDisplacement() {
        var way = DisplacementTest(from: start)
        for step in 0..<20 { way.follow(start.offset(x: Double(step), y: 0), width: 320, height: 240) }
        #expect(way.isPassed && !way.hasLeft)
        for step in 20..<24 { way.follow(start.offset(x: Double(step), y: 0), width: 320, height: 240) }
        #expect(way.hasLeft)
        way.follow(start, width: 320, height: 240)
        #expect(way.hasLeft, "the state is final")
    }

    /// Two moving leaves can look like one displaced object; the small region that remains must pass the test again.
    @Test func smallRemainderRestartsTest() {
        var way = DisplacementTest(from: start)
        for step in 0..<20 { way.follow(start.offset(x: Double(step), y: 0), width: 320, height: 240) }
        #expect(way.isPassed)
        let rest = Box(x: 120, y: 110, width: 10, height: 15)
        way.follow(rest, width: 320, height: 240)
        #expect(!way.isPassed && !way.hasLeft)
        for step in 0..<20 { way.follow(rest.offset(x: 0, y: Double(step)), width: 320, height: 240) }
        #expect(way.isPassed)
    }

    @Test func leavingObjectIsNoRemainder() {
        var way = DisplacementTest(from: start)
        for step in 0...220 {
            let box = start.offset(x: Double(step), y: 0)
            way.follow(box.clipped(width: 320, height: 240), width: 320, height: 240)
            if step > 20, step < 219 { #expect(way.isPassed, "at \(step)") }
        }
    }
}
