import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests that label texts are current and are formatted only when a value changes.
@Suite struct LabelTextCacheTests {
    @Test func textIsRecomputedWhenItsValueChanges() {
        var texts = LabelTextCache()
        var made = 0
        func expected(_ object: AnnotatedObject) -> String {
            "\(object.label) \(object.score) \(object.confidence ?? -1) \(object.category) \(object.classifierLabel ?? "")"
        }
        func text(of object: AnnotatedObject) -> String {
            texts.text(for: object) {
                made += 1
                return expected(object)
            }
        }
        var object = AnnotatedObject(id: 3, box: Box(x: 0, y: 0, width: 9, height: 9), label: "cup", score: 0.5)
        let changes: [(inout AnnotatedObject) -> Void] = [
            { $0.label = "mug" }, { $0.score = 0.6 }, { $0.confidence = 0.7 }, { $0.category = .homeGood },
            { $0.classifierLabel = "espresso" }, { $0.id = 4 },
        ]
        _ = text(of: object)
        for (number, change) in changes.enumerated() {
            change(&object)
            for _ in 0..<3 { #expect(text(of: object) == expected(object)) }
            #expect(made == number + 2)
            // The position and the state are not part of the text.
            object.box.x += 5
            object.coasting.toggle()
            _ = text(of: object)
            #expect(made == number + 2)
        }
        texts.removeAll()
        _ = text(of: object)
        #expect(made == changes.count + 2)
    }

    /// A track that was never matched above the threshold has the score NaN, which must compare as equal.
    @Test func textWithoutScoreIsNotRecomputed() {
        var texts = LabelTextCache()
        var made = 0
        let object = AnnotatedObject(id: 3, box: Box(x: 0, y: 0, width: 9, height: 9), label: "cup", score: .nan)
        for _ in 0..<3 {
            _ = texts.text(for: object) {
                made += 1
                return "cup"
            }
        }
        #expect(made == 1)
    }

    /// IDs are not reused, so old entries must be removed.
    @Test func cacheIsBounded() {
        var texts = LabelTextCache()
        for id in 1...10_000 {
            let object = AnnotatedObject(id: id, box: Box(x: 0, y: 0, width: 9, height: 9))
            #expect(texts.text(for: object) { "\(id)" } == "\(id)")
        }
        #expect(texts.count <= 512)
    }
}
