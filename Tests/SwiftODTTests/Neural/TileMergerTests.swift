import Testing

@testable import SwiftODT

/// Verifies that each object in several tiles is reported once with its complete box, and that no object is absorbed.
@Suite struct TileMergerTests {
    private static let person = Label(index: 0, text: "person")
    private static let dog = Label(index: 16, text: "dog")
    /// The full frame of 1000x1000 pixels, and two tiles of its upper half that overlap by 100 pixels.
    private static let tiles = [
        InferredRegion(nil, width: 1000, height: 1000),
        InferredRegion(Box(x: 0, y: 0, width: 550, height: 500), width: 1000, height: 1000),
        InferredRegion(Box(x: 450, y: 0, width: 550, height: 500), width: 1000, height: 1000),
    ]

    private func merge(_ whole: [Detection], _ left: [Detection] = [], _ right: [Detection] = []) -> [Detection] {
        TileMerger(tiles: Self.tiles, iouThreshold: 0.5)([whole, left, right])
    }

    private func seen(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ score: Double, _ label: Label = person
    ) -> Detection {
        Detection(box: Box(x: x, y: y, width: width, height: height), score: score, label: label)
    }

    /// The fragment has the higher score. Greedy merging would take its score, and suppression by score its box.
    @Test func fragmentDoesNotReplaceCompleteObject() {
        let found = merge([seen(500, 100, 100, 200, 0.5)], [seen(500, 100, 49, 200, 0.9)])
        #expect(found.map(\.box) == [Box(x: 500, y: 100, width: 100, height: 200)])
        #expect(found.map(\.score) == [0.5])
    }

    @Test func objectInTwoTilesIsMerged() {
        let found = merge([], [seen(480, 100, 40, 60, 0.7)], [seen(485, 110, 40, 60, 0.8)])
        #expect(found.map(\.box) == [Box(x: 485, y: 110, width: 40, height: 60)])
        #expect(found.map(\.score) == [0.8])
    }

    /// The localisation error is about one network input pixel. The mean has a smaller error, and so do tiles with a
    /// higher magnification.
    @Test func agreeingBoxesAreAveragedByMagnification() {
        let equal = merge([], [seen(480, 100, 40, 60, 0.6)], [seen(482, 100, 40, 60, 0.6)])
        #expect(equal.count == 1 && abs(equal[0].box.x - 481) < 1e-9 && equal[0].score == 0.6)
        let nearer = merge([seen(200, 100, 40, 60, 0.6)], [seen(202, 100, 40, 60, 0.6)])
        #expect(nearer.count == 1 && nearer[0].box.x > 201.1 && nearer[0].box.x < 202)
        #expect(abs(nearer[0].box.width - 40) < 1e-9 && abs(nearer[0].box.height - 60) < 1e-9)
        // An object that fills most of a tile is localised better in the full frame.
        let large = merge([seen(100, 100, 300, 300, 0.6)], [seen(110, 100, 300, 300, 0.9)])
        #expect(large.map(\.box) == [Box(x: 100, y: 100, width: 300, height: 300)])
    }

    @Test func fragmentsAreJoinedWithLowerScore() {
        let found = merge([], [seen(300, 100, 249, 100, 0.8)], [seen(451, 100, 249, 100, 0.6)])
        #expect(found.map(\.box) == [Box(x: 300, y: 100, width: 400, height: 100)])
        #expect(found[0].score < 0.8 && found[0].score > 0.3)
    }

    /// The box of an object in front may lie within a larger box; merging by intersection over the smaller box would
    /// join them.
    @Test func overlappingObjectInFrontIsKept() {
        let (adult, child) = (seen(100, 50, 120, 300, 0.8), seen(130, 200, 60, 140, 0.7))
        #expect(merge([adult], [child]).map(\.box) == [adult.box, child.box])
        #expect(merge([adult, child], [child]).map(\.box) == [adult.box, child.box])
    }

    /// At a higher magnification, a head may be detected as a person, or a wheel as a motorcycle.
    @Test func detailOfCutObjectIsDropped() {
        let giant = seen(100, 100, 300, 800, 0.9)
        #expect(merge([giant], [seen(180, 110, 80, 90, 0.95)]).map(\.box) == [giant.box])
        // A low-scoring box around an object does not suppress it.
        #expect(merge([seen(20, 20, 900, 900, 0.2)], [seen(180, 110, 80, 90, 0.9)]).count == 2)
    }

    @Test func differentClassesMergeOnlyWhenCoincident() {
        let (one, other) = (seen(100, 100, 80, 80, 0.8), seen(110, 100, 80, 80, 0.6, Self.dog))
        #expect(merge([one], [other]).count == 2)
        #expect(merge([one], [seen(101, 100, 80, 80, 0.6, Self.dog)]).map(\.label) == [Self.person])
    }

    /// Boxes of one tile are not merged: networks without built-in suppression can return boxes that overlap strongly.
    @Test func objectsSeparatedInOneTileStaySeparate() {
        let pair = [seen(100, 100, 80, 80, 0.8), seen(105, 100, 80, 80, 0.7)]
        #expect(merge(pair).map(\.box) == pair.map(\.box))
    }

    @Test func invalidBoxesAreDropped() {
        let found = merge([seen(.nan, 0, 1, 1, 0.5), seen(0, 0, 0, 5, 0.5), seen(1, 1, .infinity, 5, 0.5)])
        #expect(found.isEmpty)
    }
}
