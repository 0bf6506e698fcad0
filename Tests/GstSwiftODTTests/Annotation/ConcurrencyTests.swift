import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests that annotators on several threads, which share one font map, do not affect each other.
@Suite struct ConcurrencyTests {
    @Test func concurrentAnnotatorsDrawSameAsSingleOne() async {
        let together = await withTaskGroup(of: (worker: Int, pictures: [[UInt32]]).self) { group in
            for worker in 0..<8 { group.addTask { (worker, Self.pictures(of: worker)) } }
            return await group.reduce(into: [Int: [[UInt32]]]()) { $0[$1.worker] = $1.pictures }
        }
        for worker in 0..<8 {
            let isSame = together[worker] == Self.pictures(of: worker)
            #expect(isSame, "\(worker)")
        }
    }

    /// Returns a picture for each font size, with and without a background.
    private static func pictures(of worker: Int) -> [[UInt32]] { (0..<18).map { picture(worker, $0) } }

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
