import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests that labels are inside the picture, touch their boxes, do not overlap, and do not jump.
@Suite struct LabelPlacementTests {
    private static let region = PixelRect(x: 0, y: 0, width: 320, height: 240)
    private static let size: LabelPlacement.Size = (80, 16)

    private func places(
        _ boxes: [PixelRect], _ size: LabelPlacement.Size = LabelPlacementTests.size
    ) -> [PixelRect?] {
        var placement = LabelPlacement(region: Self.region, boxes: boxes)
        return boxes.indices.map { index in
            var position: LabelPosition?
            return placement.place(size, box: index, &position)
        }
    }

    /// Places the labels of tracked objects in successive frames, at 25 frames per second by default.
    private struct Film {
        var positions: [LabelPosition?]

        init(_ count: Int) { positions = .init(repeating: nil, count: count) }

        mutating func show(_ boxes: [PixelRect], elapsed: Double = 0.04) -> [PixelRect?] {
            var placement = LabelPlacement(region: LabelPlacementTests.region, boxes: boxes, elapsed: elapsed)
            return boxes.indices.map { placement.place(LabelPlacementTests.size, box: $0, &positions[$0]) }
        }
    }

    @Test func labelIsPlacedAboveTopLeftCornerByDefault() {
        #expect(
            places([PixelRect(x: 50, y: 60, width: 100, height: 100)])
                == [PixelRect(x: 50, y: 44, width: 80, height: 16)])
    }

    @Test func labelsStayInsidePictureAndTouchTheirBox() throws {
        for x in stride(from: 0, through: 300, by: 20) {
            for y in stride(from: 0, through: 220, by: 20) {
                let box = PixelRect(x: x, y: y, width: 20, height: 20)
                let place = try #require(places([box])[0])
                #expect(place.intersection(Self.region) == place)
                #expect(place.x <= box.maxX && box.x <= place.maxX && place.y <= box.maxY && box.y <= place.maxY)
            }
        }
        #expect(places([Self.region]) == [PixelRect(x: 0, y: 0, width: 80, height: 16)])
    }

    /// Among overlapping boxes some labels are omitted.
    @Test func labelsDoNotOverlap() {
        let heap = (0..<9).map { PixelRect(x: 100 + 4 * $0, y: 100 + 2 * $0, width: 60, height: 40) }
        let found = places(heap).compactMap(\.self)
        #expect((4..<9).contains(found.count))
        for (index, one) in found.enumerated() {
            for other in found[(index + 1)...] { #expect(one.intersection(other).isEmpty) }
        }
    }

    /// A label larger than a small object would hide it and seem to belong to it.
    @Test func labelsDoNotCoverObjects() {
        let large = PixelRect(x: 100, y: 100, width: 100, height: 80)
        let small = PixelRect(x: 110, y: 88, width: 12, height: 8)
        let found = places([large, small])
        #expect(found[0].map { 2 * $0.intersection(small).area <= small.area } == true)
        #expect(found[0]?.y == 180)
    }

    @Test func labelsThatDoNotFitAreOmitted() {
        #expect(places([PixelRect(x: 0, y: 0, width: 20, height: 20)], (400, 16)) == [nil])
    }

    /// A visible label stays at its side even if another side is better.
    @Test func labelKeepsItsSide() {
        var film = Film(1)
        film.positions = [LabelPosition(side: .below, shift: 0)]
        #expect(film.show([PixelRect(x: 50, y: 60, width: 100, height: 100)])[0]?.y == 160)
        // At the edge of the picture the label overlaps its box but stays at its side.
        #expect(film.show([PixelRect(x: 50, y: 132, width: 100, height: 100)])[0]?.y == 224)
        #expect(film.positions[0]?.side == .below)
    }

    /// The label of the newer object slides along its box in small steps and does not change sides.
    @Test func labelIsDisplacedGradually() throws {
        var film = Film(2)
        var before: PixelRect?
        var steps: [Int] = []
        // The older object moves from the left until its label reaches the middle of the newer object's label, and
        // back.
        for frame in 0..<80 {
            let older = PixelRect(x: 2 * (frame < 40 ? frame : 80 - frame), y: 100, width: 40, height: 60)
            let younger = PixelRect(x: 120, y: 100, width: 120, height: 60)
            let found = film.show([older, younger])
            let place = try #require(found[1])
            #expect(place.y == 84)
            #expect(try place.intersection(#require(found[0])).isEmpty)
            if let before { steps.append(abs(place.x - before.x)) }
            before = place
        }
        #expect(steps.reduce(0, +) > 50)
        #expect(steps.max() == 2)
    }

    /// The label returns by a few pixels per frame. If it returned at once, two labels that barely touch would jump.
    @Test func displacedLabelReturnsSlowlyToItsPreferredPosition() throws {
        var film = Film(1)
        film.positions = [LabelPosition(side: .above, shift: 60)]
        let box = PixelRect(x: 50, y: 60, width: 200, height: 100)
        var before = 110
        for _ in 0..<30 {
            let x = try #require(film.show([box])[0]).x
            #expect(x == before - 2)
            before = x
        }
        #expect(film.show([box])[0]?.x == 50)
        // At a low frame rate the steps are larger: three label heights per second.
        film.positions = [LabelPosition(side: .above, shift: 60)]
        #expect(film.show([box], elapsed: 0.5)[0]?.x == 86)
    }

    /// Another object is at the preferred position of a displaced label. If the label alternated between its position
    /// and the preferred one, or between visible and hidden, it would blink.
    @Test func displacedLabelKeepsItsPositionIfItWouldCoverAnObject() throws {
        var film = Film(2)
        film.positions[0] = LabelPosition(side: .above, shift: 100)
        let boxes = [PixelRect(x: 50, y: 60, width: 200, height: 100), PixelRect(x: 60, y: 40, width: 10, height: 10)]
        for _ in 0..<100 { #expect(film.show(boxes)[0] == PixelRect(x: 150, y: 44, width: 80, height: 16)) }
        // Without the other object the label returns.
        #expect(film.show([boxes[0]])[0]?.x == 148)
    }

    @Test func labelWithoutRoomIsHiddenUntilThereIsRoom() {
        var film = Film(5)
        let box = PixelRect(x: 100, y: 60, width: 20, height: 80)
        // At each side there is an object that the label would cover.
        let near = [(110, 46), (110, 142), (130, 62), (30, 62)].map { PixelRect(x: $0, y: $1, width: 10, height: 10) }
        let away = near.map { PixelRect(x: $0.x + 180, y: $0.y, width: 10, height: 10) }
        #expect(film.show([box] + away)[0]?.y == 44)
        for _ in 0..<50 { #expect(film.show([box] + near)[0] == nil) }
        #expect(film.positions[0]?.side == .above)
        #expect(film.show([box] + away)[0]?.y == 44)
    }

    private static let short: [LabelPlacement.Size] = [(64, 24), (24, 24)]

    /// Places the labels of a frame. They may be replaced by short ones.
    private func film(
        _ boxes: [PixelRect], _ positions: inout [LabelPosition?], elapsed: Double = 0.04
    ) -> [PixelRect?] {
        var placement = LabelPlacement(region: Self.region, boxes: boxes, elapsed: elapsed)
        return boxes.indices.map {
            placement.place(Self.size, short: { Self.short }, box: $0, &positions[$0])
        }
    }

    /// Three people side by side. The full label of the middle one would cover a neighbour at every side.
    private static let row = [
        PixelRect(x: 100, y: 60, width: 26, height: 100), PixelRect(x: 128, y: 100, width: 26, height: 60),
        PixelRect(x: 156, y: 60, width: 26, height: 140),
    ]

    @Test func labelIsShortenedIfTheFullOneWouldCoverNeighbours() throws {
        var positions: [LabelPosition?] = [nil, nil, nil]
        let places = film(Self.row, &positions)
        #expect(positions[1]?.shortLabel == 1)
        let place = try #require(places[1])
        #expect(place.width == Self.short[1].width)
        for (index, place) in places.enumerated() {
            for (other, box) in Self.row.enumerated() where other != index {
                #expect(try 4 * #require(place).intersection(box).area <= box.area)
            }
        }
    }

    @Test func firstShortLabelWithRoomIsUsed() throws {
        var positions: [LabelPosition?] = [nil, nil, nil]
        let wider = [
            Self.row[0], PixelRect(x: 126, y: 100, width: 52, height: 60),
            PixelRect(x: 180, y: 60, width: 26, height: 140),
        ]
        #expect(try #require(film(wider, &positions)[1]).width == Self.short[0].width)
        #expect(positions[1]?.shortLabel == 0)
        let tight = [Self.row[0], Self.row[1], PixelRect(x: 156, y: 60, width: 26, height: 90)]
        _ = film(tight, &positions)
        #expect(positions[1]?.shortLabel == 1)
        // A longer short label does not replace a shorter one.
        _ = film(wider, &positions)
        #expect(positions[1]?.shortLabel == 1)
    }

    @Test func fullLabelReturnsAfterHalfASecondOfRoom() {
        var positions: [LabelPosition?] = [nil, nil, nil]
        _ = film(Self.row, &positions)
        #expect(positions[1]?.shortLabel == 1)
        let apart = [
            PixelRect(x: 4, y: 40, width: 26, height: 60), Self.row[1], PixelRect(x: 280, y: 40, width: 26, height: 60),
        ]
        var frames = 0
        while frames < 100, positions[1]?.shortLabel != nil {
            #expect(film(apart, &positions)[1] != nil)
            frames += 1
        }
        #expect((12...14).contains(frames))
        // When the neighbours return, the label is shortened at once.
        _ = film(Self.row, &positions)
        #expect(positions[1]?.shortLabel != nil)
    }

    @Test func labelsAvoidReservedPlaces() throws {
        let box = PixelRect(x: 50, y: 60, width: 100, height: 100)
        let count = PixelRect(x: 40, y: 40, width: 60, height: 20)
        var placement = LabelPlacement(region: Self.region, boxes: [box], reserved: [count])
        var position: LabelPosition?
        let place = try #require(placement.place(Self.size, box: 0, &position))
        #expect(place.intersection(count).isEmpty)
    }

    @Test func labelWithoutRoomChangesSideAtOnce() {
        var film = Film(2)
        let younger = PixelRect(x: 100, y: 60, width: 20, height: 80)
        let blocking = PixelRect(x: 60, y: 60, width: 100, height: 30)
        let away = PixelRect(x: 200, y: 200, width: 80, height: 30)
        #expect(film.show([away, younger])[1]?.y == 44)
        #expect(film.show([blocking, younger])[1]?.y == 140)
        // It does not return to the first side.
        for _ in 0..<50 { #expect(film.show([away, younger])[1]?.y == 140) }
    }

    /// A label with short forms becomes shorter before it changes sides, so that it jumps less often.
    @Test func labelIsShortenedBeforeItChangesSide() throws {
        let box = PixelRect(x: 100, y: 100, width: 30, height: 60)
        var positions: [LabelPosition?] = [nil, nil]
        _ = film([box, PixelRect(x: 250, y: 100, width: 20, height: 60)], &positions)
        #expect(positions[0] == LabelPosition(side: .above, shift: 0))
        // The full label would cover a large part of the other box; the last short one ends before it.
        let near = PixelRect(x: 126, y: 70, width: 20, height: 60)
        let place = try #require(film([box, near], &positions, elapsed: 1)[0])
        #expect(place.maxY == box.y)
        #expect(positions[0]?.shortLabel == 1)
    }

    /// A still scene. The preferred position of the first label is at the fourth object, and beside it is the fourth
    /// label.
    @Test(arguments: [false, true])
    func labelsOfStillSceneDoNotBlink(missesEverySecondDetection: Bool) throws {
        var options = AnnotatorOptions()
        options.fontSize = 26
        let boxes: [(Double, Double, Double, Double)] = [
            (300, 2, 60, 100), (300, 120, 60, 120), (362, 0, 60, 180), (274, 0, 50, 44),
        ]
        let objects = zip(1..., boxes).map { id, box in
            AnnotatedObject(
                id: id, box: Box(x: box.0, y: box.1, width: box.2, height: box.3), label: id == 4 ? "cat" : "person",
                score: 0.8)
        }
        let annotator = Annotator()
        let picture = Painting(width: 640, height: 360)
        var shown: [Set<PlacedLabel>] = []
        for number in 0..<60 {
            var drawn = number < 15 ? Array(objects.prefix(3)) : objects
            drawn[0].coasting = missesEverySecondDetection && number % 2 == 0
            picture.withFrame(time: Int64(number) * 40_000_000) { annotator.draw(drawn, options: options, into: $0) }
            shown.append(Set(annotator.placedLabels))
        }
        #expect(Set(shown[..<15]).count == 1)
        // The labels may move until one second after the arrival of the fourth object.
        #expect(Set(shown[40...]).count == 1)
        #expect(try #require(shown.last).count == 4)
    }
}
