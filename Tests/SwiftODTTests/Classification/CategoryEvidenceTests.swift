import Testing

@testable import SwiftODT

/// Tests that a track's category is stable over time.
@Suite struct CategoryEvidenceTests {
    private func add(_ scores: [SwiftODT.Category: Double], to evidence: inout CategoryEvidence) {
        evidence.add(CategoryScores(scores), memory: 0.9)
        evidence.decide(threshold: 0.5)
    }

    @Test func firstAnswerDecides() {
        var evidence = CategoryEvidence()
        #expect(evidence.isEmpty)
        #expect(evidence.verdict == .unknown)
        add([.food: 0.8, .plant: 0.1], to: &evidence)
        #expect(evidence.verdict.category == .food)
        #expect(!evidence.isAmbiguous)
    }

    /// An ambiguous category triggers another classification, which costs time. A clear lead does not.
    @Test(arguments: [(0.55, true), (0.65, false)]) func leadOfAQuarterIsUnambiguous(
        _ first: Double, _ isAmbiguous: Bool
    ) {
        var evidence = CategoryEvidence()
        add([.food: first, .plant: 1 - first], to: &evidence)
        #expect(evidence.verdict.category == .food)
        #expect(evidence.isAmbiguous == isAmbiguous)
    }

    @Test func alternatingAnswersKeepCategory() {
        var evidence = CategoryEvidence()
        add([.food: 0.9], to: &evidence)
        add([.food: 0.9], to: &evidence)
        for turn in 0..<50 {
            add(turn % 2 == 0 ? [.plant: 0.9, .food: 0.1] : [.food: 0.9, .plant: 0.1], to: &evidence)
            #expect(evidence.verdict.category == .food)
        }
        #expect(evidence.isAmbiguous)
    }

    @Test func lastingEvidenceChangesCategory() {
        var evidence = CategoryEvidence()
        for _ in 0..<20 { add([.food: 0.9], to: &evidence) }
        for _ in 0..<20 { add([.plant: 0.9], to: &evidence) }
        #expect(evidence.verdict.category == .plant)
    }

    @Test func confidenceNearThresholdHasHysteresis() {
        var evidence = CategoryEvidence()
        add([.food: 0.55], to: &evidence)
        for turn in 0..<20 {
            add([.food: turn % 2 == 0 ? 0.42 : 0.52], to: &evidence)
            #expect(evidence.verdict.category == .food)
        }
        for _ in 0..<20 { add([.food: 0.2], to: &evidence) }
        #expect(evidence.verdict == .unknown)
    }

    /// Without memory: how far a score may fall below the threshold, and the lead that another category needs.
    @Test func categoryIsKeptWithinHysteresisOnly() {
        var evidence = CategoryEvidence()
        func category(_ scores: [SwiftODT.Category: Double]) -> SwiftODT.Category {
            evidence.add(CategoryScores(scores), memory: 0)
            evidence.decide(threshold: 0.5)
            return evidence.verdict.category
        }
        #expect(category([.food: 0.6]) == .food)
        #expect(category([.food: 0.42]) == .food)
        #expect(category([.food: 0.38]) == .unknown)
        #expect(category([.food: 0.55]) == .food)
        #expect(category([.food: 0.42, .plant: 0.55]) == .food)
        #expect(category([.food: 0.42, .plant: 0.58]) == .plant)
    }

    @Test func invalidScoresAreIgnored() {
        var evidence = CategoryEvidence()
        add([.food: 0.9], to: &evidence)
        add([.plant: .nan], to: &evidence)
        add([.plant: .infinity], to: &evidence)
        add([.plant: 5, .food: -9], to: &evidence)
        #expect(evidence.verdict == CategoryVerdict(category: .food, confidence: 0.9))
    }
}
