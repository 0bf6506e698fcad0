import ODTTestSupport
import Testing

@testable import SwiftODT

/// Compares non-maximum suppression with a simple quadratic implementation, and tests invalid candidates.
@Suite struct SuppressionTests {
    private func candidate(_ box: Box, _ score: Float, _ classIndex: Int32 = 0) -> Candidate {
        Candidate(
            minX: Float(box.minX), minY: Float(box.minY), maxX: Float(box.maxX), maxY: Float(box.maxY), score: score,
            classIndex: classIndex)
    }

    private func box(_ candidate: Candidate) -> Box {
        Box(
            minX: Double(candidate.minX), minY: Double(candidate.minY), maxX: Double(candidate.maxX),
            maxY: Double(candidate.maxY))
    }

    private func plainly(_ candidates: [Candidate], own: Double, other: Double, limit: Int) -> [Candidate] {
        var kept: [Candidate] = []
        for candidate in candidates.sorted(by: { $0.score > $1.score }) where kept.count < limit {
            let isNew = kept.allSatisfy {
                box($0).iou(box(candidate)) <= ($0.classIndex == candidate.classIndex ? own : other)
            }
            if isNew { kept.append(candidate) }
        }
        return kept
    }

    private func random(_ count: Int, seed: UInt64) -> [Candidate] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let box = Box(
                x: .random(in: 0..<300, using: &generator), y: .random(in: 0..<300, using: &generator),
                width: .random(in: 5..<120, using: &generator), height: .random(in: 5..<120, using: &generator))
            return candidate(box, .random(in: 0...1, using: &generator), .random(in: 0..<3, using: &generator))
        }
    }

    @Test(arguments: [(0.5, 1.0), (0.5, 0.8), (0.3, 0.3), (0.0, 0.9)]) func suppressionEqualsReference(
        own: Double, other: Double
    ) {
        for seed in 0..<20 {
            let candidates = random(seed * 20, seed: UInt64(seed))
            let suppression = Suppression(iouThreshold: Float(own), iouThresholdAcrossClasses: Float(other), limit: 50)
            let expected = plainly(candidates, own: own, other: other, limit: 50)
            #expect(suppression(candidates).map(\.score) == expected.map(\.score))
        }
    }

    @Test func equalScoresKeepTheirOrder() {
        let candidates = (0..<40).map { candidate(Box(x: Double($0) * 20, y: 0, width: 10, height: 10), 0.5, $0) }
        #expect(Suppression(iouThreshold: 0.5)(candidates).map(\.classIndex) == candidates.map(\.classIndex))
    }

    @Test func invalidBoxesAreDropped() {
        let good = Box(x: 0, y: 0, width: 10, height: 10)
        var bad = [candidate(good, .nan), candidate(good, .infinity)]
        for value in [Float.nan, .infinity, -.infinity, 1e30] {
            for path in [\Candidate.minX, \.minY, \.maxX, \.maxY] {
                var broken = candidate(good, 0.9)
                broken[keyPath: path] = value
                bad.append(broken)
            }
        }
        bad.append(candidate(Box(x: 5, y: 5, width: 0, height: 10), 0.9))
        bad.append(candidate(Box(x: 5, y: 5, width: -3, height: 10), 0.9))
        let kept = Suppression(iouThreshold: 0.5)(bad + [candidate(good, 0.3)])
        #expect(kept.map(\.score) == [0.3])
        #expect(Suppression(iouThreshold: 0.5)([]).isEmpty)
        #expect(Suppression(iouThreshold: 0.5, limit: 0)([candidate(good, 0.3)]).isEmpty)
    }

    @Test(.timeLimit(.minutes(15))) func manyCandidatesAreReducedToLimit() {
        #expect(Suppression(iouThreshold: 0.5, limit: 300)(random(20_000, seed: 7)).count == 300)
    }
}
