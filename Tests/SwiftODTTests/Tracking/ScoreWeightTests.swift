import Testing

@testable import SwiftODT

/// Tests the weight of scores in the association: zero at first, and low if they fluctuate.
@Suite struct ScoreWeightTests {
    private func weight(itself: Double, other: Double) -> Double {
        var statistics = DiscriminationStatistics.scores
        for number in 0..<500 {
            let sway = number % 2 == 0 ? 1.5 : 0.5
            statistics.learn(same: itself * sway, other: other * (2 - sway))
        }
        return statistics.weight
    }

    @Test func initialWeightIsZero() { #expect(DiscriminationStatistics.scores.weight == 0) }

    @Test func stableScoresRaiseWeight() { #expect(weight(itself: 0.03, other: 0.15) > 0.9) }

    @Test func flickeringScoresDoNotRaiseWeight() {
        #expect(weight(itself: 0.2, other: 0.22) < 0.2)
        #expect(weight(itself: 0.2, other: 0.15) == 0)
    }
}
