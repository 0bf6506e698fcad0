import ODTTestSupport
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests which encoded frames pass the gate, without GStreamer.
@Suite struct GateTests {
    private static let second: Nanoseconds = 1_000_000_000
    private static let rate = 10

    /// A stream of 10 frames per second with a key frame every `distance` frames, and the actions of the gate.
    private struct Stream {
        var gate = Gate()
        var options = Gate.Options()
        var distance = 10
        var number = 0

        /// Begins with a report, without which the gate stays open.
        init() { gate.noteActivity(false, at: nil) }

        /// Passes the next frames to the gate.
        ///
        /// - Returns: the actions as letters: p for pass, s for passStill, k for keep and keepLeading, d for drop, r for release,
        ///   w for rewind.
        mutating func next(_ count: Int, size: Int = 100, discontAt: Int? = nil) -> String {
            (0..<count).map { _ in
                defer { number += 1 }
                return send(
                    number, isKeyFrame: number % distance == 0, size: size, isDiscontinuous: number == discontAt)
            }.joined()
        }

        mutating func send(
            _ time: Int, isKeyFrame: Bool, isLeading: Bool = false, size: Int = 100, isDiscontinuous: Bool = false
        ) -> String {
            let frame = Gate.Frame(
                time: Nanoseconds(time) * second / Nanoseconds(rate), size: size, isKeyFrame: isKeyFrame,
                isLeading: isLeading, isDiscontinuous: isDiscontinuous)
            switch gate.decide(on: frame, options) {
            case .pass: return "p"
            case .passStill: return "s"
            case .keep, .keepLeading: return "k"
            case .drop: return "d"
            case .release: return "r"
            case .rewind: return "w"
            }
        }

        /// Reports the activity of the latest frame.
        mutating func report(_ wantsFrames: Bool, at frame: Int? = nil, rewinds: Bool = false) {
            gate.noteActivity(
                wantsFrames, at: Nanoseconds(frame ?? number - 1) * second / Nanoseconds(rate), rewinds: rewinds)
        }

        /// Passes frames until the gate is calm.
        mutating func becomeCalm() {
            for _ in 0..<1000 where gate.state == .open { _ = next(1) }
            report(false)
        }
    }

    private func repeated(_ letter: Character, _ count: Int) -> String { String(repeating: letter, count: count) }

    @Test func gateIsOpenAtStartAndBecomesCalmAtKeyFrameAfterHoldTime() {
        var stream = Stream()
        #expect(stream.next(21) == repeated("p", 20) + "s")
        stream.report(false)
        #expect(stream.next(10) == repeated("k", 9) + "s")
        stream.report(false)
        #expect(stream.next(10) == repeated("k", 9) + "s")
        #expect(stream.gate.state == .calm && stream.gate.reason == .start)
    }

    @Test func gateStaysOpenWithoutReports() {
        var gate = Gate()
        for number in 0..<100 {
            let frame = Gate.Frame(time: Nanoseconds(number) * Self.second, size: 100, isKeyFrame: true)
            guard case .pass = gate.decide(on: frame, .init()) else {
                Issue.record("frame \(number) is not passed")
                return
            }
        }
    }

    /// Without this, no key frame would pass until the timestamps have caught up.
    @Test func timestampsThatStepBackOpenTheGate() {
        var stream = Stream()
        stream.becomeCalm()
        _ = stream.next(5)
        #expect(stream.send(0, isKeyFrame: true) == "r")
        #expect(stream.gate.reason == .discontinuity)
        // The gate becomes calm again after the hold time.
        var actions = ""
        for time in 1...41 { actions += stream.send(time, isKeyFrame: time % 10 == 0) }
        #expect(actions.contains("s"), "\(actions)")
    }

    /// The timestamp of one frame is 9.4 s too late. Without this, no key frame would pass for this time.
    @Test func keyFrameAfterLateTimestampOpensTheGate() {
        var stream = Stream()
        stream.becomeCalm()
        #expect(stream.send(115, isKeyFrame: false) == "k")
        #expect(stream.next(10) == repeated("k", 9) + "r")
        #expect(stream.gate.reason == .discontinuity)
        #expect(stream.next(20) == repeated("p", 19) + "s")
    }

    @Test func activityReleasesKeptFramesAtNextFrame() {
        var stream = Stream()
        stream.becomeCalm()
        #expect(stream.next(3) == "kkk")
        #expect(stream.gate.keptFrames == 3 && stream.gate.keptBytes == 300)
        stream.report(true, at: 20)
        #expect(stream.next(3) == "rpp")
        #expect(stream.gate.reason == .activity && stream.gate.keptFrames == 0)
        #expect(stream.gate.counters.delay == 3 * Self.second / 10)
    }

    @Test func gateStaysOpenDuringActivityAndForHoldTimeAfterIt() {
        var stream = Stream()
        stream.becomeCalm()
        stream.report(true)
        #expect(stream.next(60).hasSuffix(repeated("p", 59)))
        stream.report(false, at: 75)
        // Quiet since frame 75, so that frame 100 is the first key frame after the hold time.
        let actions = stream.next(30)
        #expect(actions == repeated("p", 19) + "s" + repeated("k", 10), "\(actions)")
    }

    @Test func keyFramesPassAtMostOncePerCalmInterval() {
        var stream = Stream()
        stream.distance = 4
        stream.becomeCalm()
        stream.gate.noteActivity(false, at: nil)
        var stills = 0
        for _ in 0..<120 {
            if stream.next(1) == "s" {
                stills += 1
                stream.report(false)
            }
        }
        // Every third key frame: 1.2 s.
        #expect(stills == 10)
    }

    @Test func keyFrameWithJitterPasses() {
        var stream = Stream()
        stream.options.calmInterval = 1_050_000_000
        stream.becomeCalm()
        #expect(stream.next(10) == repeated("k", 9) + "s")
    }

    @Test func nextKeyFrameWaitsForReportOnLatestOne() {
        var stream = Stream()
        stream.report(false)
        for _ in 0..<100 where stream.gate.state == .open { _ = stream.next(1) }
        #expect(stream.next(25) == repeated("k", 25))
        stream.report(false, at: 20)
        #expect(stream.next(5) == "kkkks")
        // A late report of activity releases the frames since the key frame that it concerns.
        stream.report(true, at: 50)
        #expect(stream.next(1) == "r")
    }

    @Test func reportOnEarlierFrameIsNoAnswer() {
        var stream = Stream()
        stream.becomeCalm()
        _ = stream.next(10)
        #expect(stream.gate.state == .calm)
        stream.report(false, at: 21)
        #expect(stream.next(10) == repeated("k", 10))
    }

    /// The jitter buffer of a network stream can set timestamps back by some milliseconds.
    @Test func reportOnKeyFrameThatIsEarlierThanFrameBeforeItIsAnswer() {
        var stream = Stream()
        stream.becomeCalm()
        #expect(stream.next(9) == repeated("k", 9))
        #expect(stream.send(28, isKeyFrame: true) == "s")
        stream.report(false, at: 28)
        #expect(stream.gate.keptFrames == 0)
        #expect(stream.send(31, isKeyFrame: false) == "k")
        #expect(stream.send(40, isKeyFrame: true) == "s")
    }

    @Test func discontinuityReleasesKeptFramesAndExtendsHoldTime() {
        var stream = Stream()
        stream.becomeCalm()
        #expect(stream.next(4, discontAt: 23) == "kkr" + "p")
        #expect(stream.gate.reason == .discontinuity)
        #expect(stream.next(16, discontAt: 39) == repeated("p", 16))
        #expect(stream.next(21) == repeated("p", 19) + "sk")
    }

    @Test func applicationOpensGate() {
        var stream = Stream()
        stream.becomeCalm()
        _ = stream.next(2)
        stream.gate.requestOpening()
        #expect(stream.next(1) == "r")
        #expect(stream.gate.reason == .application)
        // A request while the gate is open extends the hold time.
        _ = stream.next(6)
        stream.gate.requestOpening()
        #expect(stream.next(21) == repeated("p", 20) + "s")
    }

    @Test func modeOpenPassesAllFrames() {
        var stream = Stream()
        stream.becomeCalm()
        _ = stream.next(2)
        stream.options.isForcedOpen = true
        #expect(stream.next(60) == "r" + repeated("p", 59))
    }

    @Test func fullBufferOpensGateAndLongGroupsLeaveItOpen() {
        var stream = Stream()
        stream.becomeCalm()
        stream.distance = 1000
        stream.options.maxBytes = 650
        #expect(stream.next(8) == "kkkkkkrp")
        #expect(stream.gate.reason == .bound)
        stream.distance = 10
        // The first group after this has more than 650 bytes, and so have the following ones.
        #expect(stream.next(100) == repeated("p", 100))
        stream.options.maxBytes = 1000
        #expect(stream.next(31).contains("s"))
    }

    @Test func maximumTimeOpensGate() {
        var stream = Stream()
        stream.becomeCalm()
        stream.distance = 1000
        stream.options.maxTime = Self.second
        #expect(stream.next(11) == repeated("k", 10) + "r")
        #expect(stream.gate.reason == .bound)
    }

    /// One key frame at most, or groups of 60 s, which exceed `max-time`.
    @Test(arguments: [1_000_000, 600])
    func gateStaysOpenWithoutShortGroupsAndReportsThemAfter3000Frames(distance: Int) {
        var stream = Stream()
        stream.distance = distance
        #expect(stream.next(2999) == repeated("p", 2999))
        #expect(stream.gate.obstacles == [])
        #expect(stream.next(1) == "p")
        #expect(stream.gate.obstacles == [.groups])
    }

    @Test func activityAndModeOpenAreNoObstacles() {
        var stream = Stream()
        stream.report(true)
        #expect(stream.next(4000) == repeated("p", 4000))
        #expect(stream.gate.obstacles == [])
        stream = Stream()
        stream.distance = 600
        stream.options.isForcedOpen = true
        _ = stream.next(4000)
        #expect(stream.gate.obstacles == [])
    }

    /// In decode order, leading pictures follow the key frame of an open group although they are displayed before it.
    @Test func leadingPicturesOfStillKeyFrameAreDropped() {
        var stream = Stream()
        stream.becomeCalm()
        let first = stream.number - 1
        #expect(stream.send(first - 2, isKeyFrame: false, isLeading: true) == "d")
        #expect(stream.send(first - 1, isKeyFrame: false, isLeading: true) == "d")
        #expect(stream.send(first + 3, isKeyFrame: false) == "k")
        stream.report(true)
        #expect(stream.send(first + 1, isKeyFrame: false) == "r")
        // Leading pictures of later key frames have all their references.
        #expect(stream.send(first + 6, isKeyFrame: true) == "p")
        #expect(stream.send(first + 5, isKeyFrame: false, isLeading: true) == "p")
    }

    /// Network streams set timestamps back. Later frames may refer to these frames.
    @Test func framesWithEarlierTimestampsAreKept() {
        var stream = Stream()
        stream.becomeCalm()
        let first = stream.number - 1
        #expect(stream.send(first - 1, isKeyFrame: false) == "k")
        #expect(stream.send(first + 1, isKeyFrame: false) == "k")
        stream.report(true)
        #expect(stream.send(first + 2, isKeyFrame: false) == "r")
        #expect(stream.gate.counters.dropped == 0)
    }

    /// The answer to the event for the key frame has the time of an earlier frame.
    @Test func keyFrameThatDecoderDoesNotOutputOpensGate() {
        var stream = Stream()
        stream.becomeCalm()
        #expect(stream.next(11) == repeated("k", 9) + "sk")
        stream.gate.noteActivity(false, at: 20 * Self.second / 10)
        #expect(stream.next(1) == "k")
        stream.gate.noteActivity(false, at: 20 * Self.second / 10, isAnswer: true)
        #expect(stream.next(2) == "rp")
        #expect(stream.gate.reason == .decoder)
    }

    @Test func leadingPicturesOfKeptKeyFrameAreKept() {
        var stream = Stream()
        stream.becomeCalm()
        let first = stream.number - 1
        #expect(stream.send(first + 3, isKeyFrame: true) == "k")
        #expect(stream.send(first + 2, isKeyFrame: false, isLeading: true) == "k")
    }

    @Test func framesWithoutTimeKeepGateOpen() {
        var stream = Stream()
        for number in 0..<100 {
            let isKeyFrame = number % 10 == 0
            let frame = Gate.Frame(
                time: isKeyFrame ? Nanoseconds(number) * Self.second / 10 : nil, size: 100, isKeyFrame: isKeyFrame,
                isLeading: false, isDiscontinuous: false)
            #expect(stream.gate.decide(on: frame, stream.options) == .pass)
            stream.gate.noteActivity(false, at: nil)
        }
    }

    /// Some containers store timestamps of key frames only.
    @Test func gateStaysOpenIfFramesBetweenKeyFramesHaveNoTimestamps() {
        var stream = Stream()
        for number in 0..<3000 {
            let isKeyFrame = number % 30 == 0
            let frame = Gate.Frame(
                time: isKeyFrame ? Nanoseconds(number) * Self.second / 10 : nil, size: 100, isKeyFrame: isKeyFrame)
            #expect(stream.gate.decide(on: frame, stream.options) == .pass)
        }
        #expect(stream.gate.obstacles == [.missingTimestamps])
    }

    /// Two frames per second, and three frames that are displayed before their reference.
    @Test func reorderedFramesOfSlowStreamAreNoDiscontinuity() {
        var stream = Stream()
        var actions = ""
        for start in stride(from: 0, to: 400, by: 20) {
            actions += stream.send(start, isKeyFrame: start % 40 == 0)
            for frame in [10, 5, 15] where start > 0 { actions += stream.send(start - 20 + frame, isKeyFrame: false) }
            if stream.gate.state == .calm { stream.report(false, at: start) }
        }
        #expect(stream.gate.state == .calm && stream.gate.counters.openings[.discontinuity] == nil, "\(actions)")
    }

    /// Some decoders wait for later frames despite the event for still key frames.
    @Test func gateStaysOpenIfDecoderIgnoresStillKeyFrames() {
        var stream = Stream()
        for expected in 0..<3 {
            let actions = stream.next(60)
            #expect(actions.contains("s") == (expected < 2), "\(actions)")
            stream.gate.noteActivity(false, at: 0, isAnswer: true)
            _ = stream.next(1)
            #expect(stream.gate.state == .open)
        }
        // The key frames may have been damaged, so the gate tries again after ten minutes.
        #expect(!stream.next(580 * Self.rate).contains("s"))
        #expect(stream.next(30 * Self.rate).contains("s"))
    }

    @Test func oneIgnoredStillKeyFrameDoesNotKeepGateOpen() {
        var stream = Stream()
        for isAnswered in [false, true, false, true] {
            #expect(stream.next(60).contains("s"))
            stream.gate.noteActivity(isAnswered, at: isAnswered ? nil : 0, isAnswer: true)
            _ = stream.next(1)
            #expect(stream.gate.state == .open)
            stream.report(false)
        }
    }

    @Test func rewindReleasesFramesBeforeKeyFrame() {
        var stream = Stream()
        stream.becomeCalm()
        #expect(stream.next(11) == repeated("k", 9) + "sk")
        #expect(stream.gate.keptFrames == 10 && stream.gate.keepsEarlier)
        stream.report(true, at: 30, rewinds: true)
        #expect(stream.next(2) == "wp")
        let gate = stream.gate
        #expect(gate.reason == .activity && gate.keptFrames == 0 && gate.counters.delay == 11 * Self.second / 10)
        #expect(gate.counters.passed == 34 && gate.counters.dropped == 0)
    }

    @Test func reportWithoutRewindDropsFramesBeforeKeyFrame() {
        var stream = Stream()
        stream.becomeCalm()
        _ = stream.next(11)
        stream.report(false, at: 30)
        #expect(stream.gate.keptFrames == 1 && stream.gate.counters.dropped == 9)
        // A request that comes too late releases the frames since the key frame.
        stream.report(true, at: 30, rewinds: true)
        #expect(stream.next(1) == "r")
    }

    @Test func eventAfterRequestOfRewindRewinds() {
        var stream = Stream()
        stream.becomeCalm()
        _ = stream.next(10)
        stream.report(true, rewinds: true)
        #expect(stream.gate.interrupt(.endOfStream) == .rewind)
    }

    @Test func firstStillKeyFrameHasNoFramesToRewindTo() {
        var stream = Stream()
        for _ in 0..<1000 where stream.gate.state == .open { _ = stream.next(1) }
        stream.report(true, rewinds: true)
        #expect(stream.next(1) == "r")
    }

    @Test func fullBufferDropsFramesBeforeKeyFrameFirst() {
        var stream = Stream()
        stream.becomeCalm()
        stream.options.maxBytes = 1000
        #expect(stream.next(12) == repeated("k", 9) + "skk")
        #expect(!stream.gate.keepsEarlier && stream.gate.keptFrames == 2)
    }

    /// The references of these leading pictures are before the key frame.
    @Test(arguments: [true, false]) func leadingPicturesPassOnlyAfterRewind(rewinds: Bool) {
        var stream = Stream()
        stream.becomeCalm()
        _ = stream.next(10)
        let first = stream.number - 1
        #expect(stream.send(first - 2, isKeyFrame: false, isLeading: true) == "k")
        stream.report(true, at: first, rewinds: rewinds)
        #expect(stream.send(first + 1, isKeyFrame: false) == (rewinds ? "w" : "r"))
        #expect(stream.gate.counters.dropped == (rewinds ? 0 : 10))
        #expect(stream.send(first - 1, isKeyFrame: false, isLeading: true) == (rewinds ? "p" : "d"))
    }

    /// The leading picture is dropped or kept, and the gate opens at the frame after it.
    @Test func requestIsServedAtFrameAfterLeadingPicture() {
        var stream = Stream()
        stream.becomeCalm()
        _ = stream.next(10)
        let first = stream.number - 1
        stream.gate.requestOpening()
        #expect(stream.send(first - 1, isKeyFrame: false, isLeading: true) == "k")
        #expect(stream.send(first + 1, isKeyFrame: false) == "r")
        #expect(stream.gate.reason == .application)
    }

    /// Decoders derive missing timestamps from the frames before.
    @Test func gateStaysOpenWithoutTimestamps() {
        var stream = Stream()
        for number in 0..<3000 {
            let frame = Gate.Frame(time: nil, size: 100, isKeyFrame: number % 10 == 0)
            guard case .pass = stream.gate.decide(on: frame, stream.options) else {
                Issue.record("frame \(number) did not pass")
                return
            }
        }
        #expect(stream.gate.obstacles == [.missingTimestamps])
        stream = Stream()
        stream.becomeCalm()
        let frame = Gate.Frame(time: nil, size: 100, isKeyFrame: false)
        guard case .release = stream.gate.decide(on: frame, stream.options) else {
            Issue.record("the gate did not open")
            return
        }
    }

    /// The report belongs to the time before the clock of the camera was set back.
    @Test func lateReportOfEarlierTimelineDoesNotKeepGateOpen() {
        var stream = Stream()
        stream.number = 3600 * 5
        _ = stream.next(10)
        stream.report(true)
        stream.number = 0
        _ = stream.next(10)
        stream.report(false, at: 3600 * 5 + 9)
        stream.becomeCalm()
        #expect(stream.gate.state == .calm && stream.number < 60)
    }

    @Test func headerPassesWithoutEffect() {
        var gate = Gate()
        let header = Gate.Frame(time: nil, size: 40, isKeyFrame: false, isHeader: true)
        guard case .pass = gate.decide(on: header, Gate.Options()) else {
            Issue.record("the header did not pass")
            return
        }
        #expect(gate.keptFrames == 0)
    }

    @Test func eventsReleaseKeptFramesOnlyWhileCalm() {
        var stream = Stream()
        let whileOpen = stream.gate.interrupt(.streamChange)
        stream.becomeCalm()
        _ = stream.next(2)
        let whileCalm = stream.gate.interrupt(.endOfStream)
        #expect(whileOpen == nil && whileCalm == .release)
        #expect(stream.gate.reason == .endOfStream && stream.gate.state == .open && stream.gate.keptFrames == 0)
    }

    @Test func newSegmentMayBeginEarlier() {
        var stream = Stream()
        stream.becomeCalm()
        _ = stream.gate.interrupt(.streamChange)
        stream.gate.beginSegment()
        var later = Stream()
        later.gate = stream.gate
        #expect(later.next(21) == repeated("p", 20) + "s")
    }

    @Test func flushDropsKeptFramesAndKeepsCounters() {
        var stream = Stream()
        stream.becomeCalm()
        _ = stream.next(3)
        stream.gate.flush()
        let counters = stream.gate.counters
        #expect(stream.gate.state == .open && stream.gate.keptFrames == 0)
        #expect(counters.received == 24 && counters.passed == 21 && counters.dropped == 3)
        #expect(counters.openings[.start] == 2)
    }

    @Test func everyFrameIsPassedKeptOrDropped() {
        var generator = SeededGenerator(seed: 7)
        var stream = Stream()
        stream.options.maxBytes = 3000
        for number in 0..<20_000 {
            switch Int.random(in: 0..<40, using: &generator) {
            case 0: stream.report(true, rewinds: Bool.random(using: &generator))
            case 1, 2, 3: stream.report(false)
            case 4: stream.gate.requestOpening()
            case 5: _ = stream.gate.interrupt(.streamChange)
            case 6: stream.distance = Int.random(in: 1...60, using: &generator)
            default: break
            }
            _ = stream.next(
                1, size: Int.random(in: 0...300, using: &generator),
                discontAt: Int.random(in: 0..<200, using: &generator) == 0 ? number : nil)
            let counters = stream.gate.counters
            #expect(counters.received == counters.passed + counters.dropped + UInt64(stream.gate.keptFrames))
            #expect(stream.gate.keptBytes <= 3000)
            #expect(stream.gate.state == .calm || stream.gate.keptFrames == 0)
        }
    }
}
