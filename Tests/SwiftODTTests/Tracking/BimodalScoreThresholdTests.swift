import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests the score threshold: it rises for bimodal scores, which separate noise from objects, and stays for detectors
/// without noise.
@Suite struct BimodalScoreThresholdTests {
    /// Returns the threshold after `seconds` of scores that are uniformly distributed over ranges, each with a count
    /// per second.
    private func bimodalThreshold(
        of heaps: [(ClosedRange<Double>, Int)], seconds: Int = 10,
        after other: BimodalScoreThreshold = BimodalScoreThreshold(),
        at start: Int = 0
    ) -> BimodalScoreThreshold {
        var (bimodalThreshold, dice) = (other, RandomNumbers(7))
        var found = ContiguousArray<FilteredDetection>()
        for second in start..<start + seconds {
            found.removeAll()
            for (range, count) in heaps {
                for _ in 0..<count {
                    let score = Double.random(in: range, using: &dice)
                    found.append(
                        FilteredDetection(
                            box: Box(x: 0, y: 0, width: 9, height: 9), score: score, ownScore: score, label: -1,
                            source: 0))
                }
            }
            found.withUnsafeBufferPointer { bimodalThreshold.learn(from: $0, at: Nanoseconds(second) * 1_000_000_000) }
        }
        return bimodalThreshold
    }

    @Test func thresholdRisesToValley() {
        let street = bimodalThreshold(of: [(0.1...0.35, 60), (0.35...0.65, 12), (0.65...0.95, 90)])
        #expect((0.45...0.65).contains(street.effectiveThreshold(from: 0.4)))
        // The threshold rises to at most 1.75 times the user's value and never above 0.7.
        let dusk = bimodalThreshold(of: [(0.1...0.6, 100), (0.75...0.95, 100)])
        #expect(dusk.effectiveThreshold(from: 0.4) == 0.7)
        #expect(dusk.effectiveThreshold(from: 0.36) == 0.36)
        let snow = bimodalThreshold(of: [(0.1...0.7, 100), (0.85...0.95, 100)])
        #expect(snow.effectiveThreshold(from: 0.5) == 0.5)
        for threshold in [0, 0.75, 0.9, 1, 2, -1, .infinity] {
            #expect(street.effectiveThreshold(from: threshold) == threshold)
        }
        #expect(street.effectiveThreshold(from: .nan).isNaN)
    }

    @Test func unimodalScoresKeepUserThreshold() {
        // A detector without noise; as many uncertain as certain scores; only certain scores; two exceptions; too few
        // scores.
        #expect(bimodalThreshold(of: [(0.25...0.5, 50), (0.5...0.9, 80)]).effectiveThreshold(from: 0.4) == 0.4)
        #expect(
            bimodalThreshold(of: [(0.1...0.5, 60), (0.5...0.6, 10), (0.6...0.95, 60)]).effectiveThreshold(from: 0.4)
                == 0.4)
        #expect(bimodalThreshold(of: [(0.8...0.95, 99), (0.1...0.35, 1)]).effectiveThreshold(from: 0.4) == 0.4)
        #expect(bimodalThreshold(of: [(0.8...0.95, 50), (0.1...0.35, 2)]).effectiveThreshold(from: 0.4) == 0.4)
        #expect(bimodalThreshold(of: [(0.1...0.3, 9), (0.7...0.9, 9)]).effectiveThreshold(from: 0.4) == 0.4)
        #expect(BimodalScoreThreshold().effectiveThreshold(from: 0.4) == 0.4)
    }

    /// Scores of the same camera are lower by night; the distribution by day must be forgotten.
    @Test func oldScoresAreForgotten() {
        let day = bimodalThreshold(of: [(0.1...0.3, 60), (0.7...0.95, 60)])
        #expect(day.effectiveThreshold(from: 0.4) > 0.4)
        let night = bimodalThreshold(of: [(0.2...0.7, 120)], seconds: 200, after: day, at: 10)
        #expect(night.effectiveThreshold(from: 0.4) == 0.4)
    }

    /// A street with certain detections of people and weak boxes everywhere. A background object repeatedly gives weak
    /// boxes with varying positions, sometimes with half of a person's score. These must not start tracks.
    @Test(arguments: [5.0, 10, 30], [1, 2, 3] as [UInt64])
    func noiseBelowValleyStartsNoTracks(_ rate: Double, _ seed: UInt64) {
        #expect(shareOfNobody(rate, seed, noise: 16) < 0.05)
    }

    /// The same object with a detector without noise is probably real.
    @Test(arguments: [5.0, 10, 30], [1, 2, 3] as [UInt64])
    func weakObjectsAreKeptWithoutNoise(_ rate: Double, _ seed: UInt64) {
        #expect(shareOfNobody(rate, seed, noise: 0) > 0.3)
    }

    /// Returns the share of frames, within 20 s after the start, that report the weak object.
    private func shareOfNobody(_ rate: Double, _ seed: UInt64, noise: Int) -> Double {
        let tracker = Tracker()
        var dice = RandomNumbers(seed)
        var shown = 0.0
        for frame in 0..<Int(24 * rate) {
            let time = Double(frame) / rate
            var found = (0..<8).map { person in
                Detection(
                    box: Box(x: 100 + 120 * Double(person) + 4 * time, y: 60, width: 40, height: 100),
                    score: Double.random(in: 0.75...0.95, using: &dice))
            }
            for _ in 0..<noise {
                found.append(
                    Detection(
                        box: Box(
                            x: Double.random(in: 0...1200, using: &dice),
                            y: Double.random(in: 200...300, using: &dice),
                            width: Double.random(in: 20...60, using: &dice),
                            height: Double.random(in: 50...120, using: &dice)),
                        score: Double.random(in: 0.1...0.35, using: &dice)))
            }
            // The object is absent at first, because all objects of the first frames are reported immediately.
            if time > 4 {
                found.append(
                    Detection(
                        box: Box(x: 600 + 4 * dice.noise(), y: 550 + 4 * dice.noise(), width: 40, height: 100),
                        score: Double.random(in: 0.3...0.52, using: &dice)))
            }
            let tracks = tracker.step(Nanoseconds(time * 1e9), found)
            if tracks.contains(where: { $0.box.minY > 500 && $0.state == .tracked }) { shown += 1 / (20 * rate) }
        }
        return shown
    }
}
