import SwiftODT
import Testing

@testable import GstSwiftODT

/// Protects processes with many elements: each draws on its own thread, and the fonts behind them are one library.
@Suite struct ConcurrencyTests {
    @Test func manyAnnotatorsDrawAtOnce() async {
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for round in 0..<40 {
                        let picture = Painting(width: 96, height: 64)
                        var options = AnnotatorOptions()
                        options.fontSize = Double(8 + (worker + round) % 9)
                        options.font = round % 3 == 0 ? "Serif" : round % 3 == 1 ? "Sans Bold" : "Monospace"
                        options.labelBackground = round % 2 == 0
                        let object = AnnotatedObject(
                            id: round, box: Box(x: 10, y: 20, width: 30, height: 30), label: "ä→物ж\(worker)")
                        picture.withFrame { Annotator().draw([object], options: options, into: $0) }
                    }
                }
            }
        }
    }
}
