import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Protects the picture from dashed boxes where nothing is any more.
@Suite struct CoastingTests {
    private func object(_ id: Int?, coasting: Bool = true) -> AnnotatedObject {
        AnnotatedObject(id: id, box: Box(x: 0, y: 0, width: 9, height: 9), coasting: coasting)
    }

    private func drawn(
        _ patience: inout CoastingDisplayPolicy, _ objects: [AnnotatedObject],
        _ drawing: AnnotatorOptions.Coasting = .briefly, milliseconds: Int
    ) -> [Int?] {
        var objects = objects
        patience.filter(&objects, as: drawing, at: Nanoseconds(milliseconds) * 1_000_000)
        return objects.map(\.id)
    }

    @Test func coastingObjectIsDrawnBrieflyAfterFirstMiss() {
        var patience = CoastingDisplayPolicy()
        let objects = [object(1), object(2, coasting: false)]
        #expect(drawn(&patience, [object(1, coasting: false)], milliseconds: 1000) == [1])
        #expect(drawn(&patience, objects, milliseconds: 2000) == [1, 2])
        #expect(drawn(&patience, objects, milliseconds: 2299) == [1, 2])
        #expect(drawn(&patience, objects, milliseconds: 2300) == [2])
        // Seen again it has the whole moment again.
        #expect(drawn(&patience, [object(1, coasting: false)], milliseconds: 2340) == [1])
        #expect(drawn(&patience, objects, milliseconds: 2380) == [1, 2])
    }

    @Test func drawCoastingAlwaysAndNeverAreObeyed() {
        var patience = CoastingDisplayPolicy()
        let objects = [object(1), object(2, coasting: false)]
        #expect(drawn(&patience, objects, .never, milliseconds: 0) == [2])
        #expect(drawn(&patience, objects, .always, milliseconds: 9000) == [1, 2])
    }

    /// Without tracking a result holds until the next one, and its objects are said to coast meanwhile.
    @Test func objectsWithoutIDsAreAlwaysDrawn() {
        var patience = CoastingDisplayPolicy()
        for time in [0, 5000] { #expect(drawn(&patience, [object(nil)], milliseconds: time) == [nil]) }
    }
}
