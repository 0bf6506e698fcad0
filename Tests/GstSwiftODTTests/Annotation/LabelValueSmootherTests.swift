import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests that values in labels do not flicker.
@Suite struct LabelValueSmootherTests {
    @Test func valueIsHeldAndSmallChangesAreHeldLonger() {
        var figures = LabelValueSmoother()
        func shown(_ score: Double, milliseconds: Int) -> Double {
            var objects = [AnnotatedObject(id: 1, box: Box(x: 0, y: 0, width: 1, height: 1), score: score)]
            figures.smooth(&objects, at: Nanoseconds(milliseconds) * 1_000_000)
            return objects[0].score
        }
        #expect(shown(0.80, milliseconds: 0) == 0.80)
        #expect(shown(0.83, milliseconds: 40) == 0.80)
        #expect(shown(0.60, milliseconds: 499) == 0.80)
        #expect(shown(0.70, milliseconds: 500) == 0.70)
        #expect(shown(0.90, milliseconds: 540) == 0.70)
        #expect(shown(0.72, milliseconds: 1499) == 0.70)
        #expect(shown(0.72, milliseconds: 1500) == 0.72)
        // A value that has been shown for long changes at once.
        #expect(shown(0.72, milliseconds: 3000) == 0.72)
        #expect(shown(0.73, milliseconds: 3040) == 0.73)
    }

    /// Otherwise the new label would be drawn with the confidence of the earlier one.
    @Test func changedClassifierLabelEndsHold() {
        var figures = LabelValueSmoother()
        func shown(_ classifierLabel: String?, _ confidence: Double, milliseconds: Int) -> Double? {
            var objects = [
                AnnotatedObject(
                    id: 1, box: Box(x: 0, y: 0, width: 1, height: 1), classifierLabel: classifierLabel,
                    confidence: confidence)
            ]
            figures.smooth(&objects, at: Nanoseconds(milliseconds) * 1_000_000)
            return objects[0].confidence
        }
        #expect(shown(nil, 0.80, milliseconds: 0) == 0.80)
        #expect(shown("wren", 0.50, milliseconds: 40) == 0.50)
        #expect(shown("wren", 0.60, milliseconds: 80) == 0.50)
        #expect(shown("robin", 0.60, milliseconds: 120) == 0.60)
    }

    /// A weak detection keeps a track alive, but its score is below the threshold and is not shown.
    @Test func coastingObjectKeepsLastDetectedScore() {
        var figures = LabelValueSmoother()
        func shown(_ score: Double, coasting: Bool = false, id: Int = 1, milliseconds: Int) -> Double {
            var objects = [
                AnnotatedObject(id: id, box: Box(x: 0, y: 0, width: 1, height: 1), score: score, coasting: coasting)
            ]
            figures.smooth(&objects, threshold: 0.4, at: Nanoseconds(milliseconds) * 1_000_000)
            return objects[0].score
        }
        #expect(shown(0.80, milliseconds: 0) == 0.80)
        #expect(shown(0.03, milliseconds: 40) == 0.80)
        #expect(shown(0.70, coasting: true, milliseconds: 80) == 0.80)
        #expect(shown(0.10, milliseconds: 3000) == 0.80)
        #expect(shown(0.45, milliseconds: 3040) == 0.45)
        #expect(shown(0.03, id: 2, milliseconds: 3080).isNaN, "no score without a strong detection")
    }
}
