import ODTTestSupport
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests which discontinuities end all tracks. A stream that loses frames keeps its IDs.
@Suite struct EpochRuleTests {
    private static let second: Nanoseconds = 1_000_000_000
    private static let frame: Nanoseconds = 33_333_333

    private func frameInfo(
        _ time: Nanoseconds?, lasting duration: Nanoseconds = frame, width: Int = 64,
        orientation: Orientation = .identity
    ) -> EpochRule.FrameInfo {
        EpochRule.FrameInfo(time: time, duration: duration, width: width, height: 48, orientation: orientation)
    }

    /// Returns the reasons for a new epoch at each of the times, with a maximum track age of 1 s.
    private func breaks(_ times: [Nanoseconds?], lasting duration: Nanoseconds = frame) -> [EpochRule.Break?] {
        var rule = EpochRule()
        return times.map { rule.check(at: frameInfo($0, lasting: duration), maxAge: Self.second) }
    }

    @Test func lostFramesKeepEpoch() {
        #expect(breaks([0, 1, 2, 5, 6, 20, 21].map { $0 * Self.frame }).allSatisfy { $0 == nil })
    }

    @Test func gapLongerThanMaxAgeBeginsEpoch() {
        #expect(breaks([0, 1, 30].map { $0 * Self.frame }) == [nil, nil, nil])
        #expect(breaks([0, 1, 40].map { $0 * Self.frame }) == [nil, nil, .gap])
    }

    /// One frame every two seconds, with and without a duration in the caps.
    @Test func lowFrameRateKeepsEpoch() {
        let times = (0..<5).map { $0 * 2 * Self.second }
        #expect(breaks(times, lasting: 2 * Self.second).allSatisfy { $0 == nil })
        #expect(breaks(times) == [nil, .gap, nil, nil, nil])
    }

    @Test func stillPictureExplainsGap() {
        var rule = EpochRule()
        #expect(rule.check(at: frameInfo(0), maxAge: Self.second) == nil)
        rule.noteStill(true)
        #expect(rule.check(at: frameInfo(5 * Self.second), maxAge: Self.second) == nil)
        #expect(rule.check(at: frameInfo(5 * Self.second, width: 65), maxAge: Self.second) == .size)
        rule.noteStill(false)
        #expect(rule.check(at: frameInfo(30 * Self.second, width: 65), maxAge: Self.second) == .gap)
    }

    @Test func reorderedFramesKeepEpochBackwardTimeBeginsOne() {
        #expect(breaks([0, 1, 3, 2, 4, 5].map { $0 * Self.frame }).allSatisfy { $0 == nil })
        #expect(breaks((0..<20).map { (40 - $0) * Self.frame }).allSatisfy { $0 == nil })
        #expect(breaks([9, 10, 0, 1].map { $0 * Self.frame }) == [nil, nil, .backwards, nil])
    }

    @Test func equalOrMissingTimesKeepEpoch() {
        #expect(breaks([7, 7, 7]).allSatisfy { $0 == nil })
        #expect(breaks([nil, nil, nil]).allSatisfy { $0 == nil })
        #expect(breaks([0, nil, nil, 3 * Self.frame]).allSatisfy { $0 == nil })
    }

    @Test func sizeOrOrientationChangeBeginsEpoch() {
        var rule = EpochRule()
        #expect(rule.check(at: frameInfo(0), maxAge: Self.second) == nil)
        #expect(rule.check(at: frameInfo(Self.frame, width: 65), maxAge: Self.second) == .size)
        #expect(rule.check(at: frameInfo(2 * Self.frame, width: 65), maxAge: Self.second) == nil)
        let turned = frameInfo(3 * Self.frame, width: 65, orientation: .rotate90)
        #expect(rule.check(at: turned, maxAge: Self.second) == .orientation)
    }

    @Test func seekAndFlushBeginEpochAfterFirstFrame() {
        var rule = EpochRule()
        rule.announce(.seek)
        #expect(rule.flush() == nil)
        #expect(rule.check(at: frameInfo(0), maxAge: Self.second) == nil)
        rule.announce(.seek)
        #expect(rule.check(at: frameInfo(Self.frame), maxAge: Self.second) == .seek)
        #expect(rule.check(at: frameInfo(2 * Self.frame), maxAge: Self.second) == nil)
        #expect(rule.flush() == .flush)
        #expect(rule.flush() == nil)
        #expect(rule.check(at: frameInfo(0), maxAge: Self.second) == nil)
    }

    @Test func arbitraryTimesAreAccepted() {
        var random = SeededGenerator(seed: testSeed())
        var rule = EpochRule()
        for _ in 0..<10_000 {
            let ends: [Nanoseconds] = [.min, .max, .farthest, -.farthest, 0]
            func any() -> Nanoseconds {
                Bool.random(using: &random)
                    ? ends.randomElement(using: &random)! : .random(in: .min ... .max, using: &random)
            }
            _ = rule.check(at: frameInfo(any().clampedToRange, lasting: any()), maxAge: any())
        }
    }
}
