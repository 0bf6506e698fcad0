import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests that annotators on several threads, which share one font map, do not affect each other.
@Suite struct ConcurrencyTests {
    @Test func concurrentAnnotatorsDrawSameAsSingleOne() async {
        let together = await withTaskGroup(of: [[UInt32]].self) { group in
            for worker in 0..<8 { group.addTask { (0..<40).map { Self.picture(worker, $0) } } }
            return await group.reduce(into: Set<[UInt32]>()) { pictures, drawn in pictures.formUnion(drawn) }
        }
        // The expected pictures, drawn sequentially. Only eight, because drawing takes time.
        let alone = (0..<8).map { Self.picture($0, 5 * $0) }
        #expect(together.isSuperset(of: alone))
    }

    private static func picture(_ worker: Int, _ round: Int) -> [UInt32] {
        let picture = Painting(width: 96, height: 64)
        var options = AnnotatorOptions()
        options.fontSize = Double(8 + (worker + round) % 9)
        options.font = round % 3 == 0 ? "Serif" : round % 3 == 1 ? "Sans Bold" : "Monospace"
        options.labelBackground = round % 2 == 0
        let object = AnnotatedObject(
            id: round, box: Box(x: 10, y: 20, width: 30, height: 30), label: "ä→物ж\(worker)")
        picture.withFrame { Annotator().draw([object], options: options, into: $0) }
        return picture.pixels
    }
}
