import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests how long coasting objects are drawn.
@Suite struct CoastingTests {
    private func object(_ id: Int?, coasting: Bool = true) -> AnnotatedObject {
        AnnotatedObject(id: id, box: Box(x: 0, y: 0, width: 9, height: 9), coasting: coasting)
    }

    private func drawn(
        _ policy: inout CoastingDisplayPolicy, _ objects: [AnnotatedObject],
        _ drawing: AnnotatorOptions.Coasting = .briefly, milliseconds: Int
    ) -> [Int?] {
        var objects = objects
        policy.filter(&objects, as: drawing, at: Nanoseconds(milliseconds) * 1_000_000)
        return objects.map(\.id)
    }

    @Test func coastingObjectIsDrawnBrieflyAfterFirstMiss() {
        var policy = CoastingDisplayPolicy()
        let objects = [object(1), object(2, coasting: false)]
        #expect(drawn(&policy, [object(1, coasting: false)], milliseconds: 1000) == [1])
        #expect(drawn(&policy, objects, milliseconds: 2000) == [1, 2])
        #expect(drawn(&policy, objects, milliseconds: 2299) == [1, 2])
        #expect(drawn(&policy, objects, milliseconds: 2300) == [2])
        // A detection restarts the period.
        #expect(drawn(&policy, [object(1, coasting: false)], milliseconds: 2340) == [1])
        #expect(drawn(&policy, objects, milliseconds: 2380) == [1, 2])
    }

    @Test func drawCoastingAlwaysAndNeverAreApplied() {
        var policy = CoastingDisplayPolicy()
        let objects = [object(1), object(2, coasting: false)]
        #expect(drawn(&policy, objects, .never, milliseconds: 0) == [2])
        #expect(drawn(&policy, objects, .always, milliseconds: 9000) == [1, 2])
    }

    /// If the percentage disappeared in the first frame without a detection, the width of the label would flicker.
    @Test func coastingObjectKeepsItsValuesBriefly() {
        var policy = CoastingDisplayPolicy()
        func values(_ id: Int? = 1, milliseconds: Int) -> (score: Double, confidence: Double?) {
            var objects = [object(id)]
            (objects[0].score, objects[0].confidence) = (0.8, 0.6)
            policy.filter(&objects, as: .always, at: Nanoseconds(milliseconds) * 1_000_000)
            return (objects[0].score, objects[0].confidence)
        }
        for milliseconds in [1000, 1040, 1299] { #expect(values(milliseconds: milliseconds) == (0.8, 0.6)) }
        for milliseconds in [1300, 9000] {
            let (score, confidence) = values(milliseconds: milliseconds)
            #expect(score.isNaN && confidence == nil)
        }
        // Without an ID the box and its values remain until the next result.
        for milliseconds in [9000, 10_000] { #expect(values(nil, milliseconds: milliseconds) == (0.8, 0.6)) }
    }

    /// Without tracking an object has no ID and is marked as coasting until the next result.
    @Test func objectsWithoutIDsAreAlwaysDrawn() {
        var policy = CoastingDisplayPolicy()
        for time in [0, 5000] { #expect(drawn(&policy, [object(nil)], milliseconds: time) == [nil]) }
    }
}
