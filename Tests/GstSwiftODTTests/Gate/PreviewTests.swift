import CODTGStreamer
import CODTGStreamerCheck
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests the events with which the gate before the decoder announces previews and repeated frames.
@Suite struct PreviewTests {
    private static let duration: UInt64 = 33_333_333
    private static let cup = Detection(
        box: Box(x: 8, y: 6, width: 20, height: 16), score: 0.9, label: Label(index: 0, text: "cup"))

    /// An element with adaptive inference, and the frames that leave it.
    private final class Element {
        private let harness: ElementHarness
        /// The first frame with another brightness in a part of the picture.
        private let changeAt: Int

        init(changeAt: Int = .max, properties: String = "", source: @escaping @Sendable () -> DetectionSource) {
            harness = ElementHarness("draw=false inference-interval=0 \(properties)", source: source)
            harness.setCaps()
            self.changeAt = changeAt
        }

        convenience init(
            changeAt: Int = .max, properties: String = "", finds: @escaping @Sendable (Int) -> [Detection] = { _ in [] }
        ) {
            let detector = ScriptedDetector(script: finds)
            self.init(changeAt: changeAt, properties: properties, source: { .detector(detector) })
        }

        /// Pushes frames and returns the numbers of the frames that leave the element.
        func push(_ frames: some Sequence<Int>) -> [Int] {
            frames.compactMap { number in
                let buffer = harness.buffer(number) { [changeAt] index in
                    index < 64 * 48 && (8..<28).contains(index % 64) && (6..<22).contains(index / 64)
                        && number >= changeAt ? 220 : 128
                }
                if number >= changeAt { harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16) }
                #expect(harness.push(buffer) == GST_FLOW_OK)
                guard let passed = harness.pull(ifThere: true) else { return nil }
                defer { ElementHarness.release(passed) }
                return Int(UInt64(passed.pointee.pts) / PreviewTests.duration)
            }
        }

        func announce(_ name: String, _ frame: Int, latest: Int? = nil) {
            let structure = StructureWriter.structure(
                name,
                [
                    ("timestamp", .time(UInt64(frame) * PreviewTests.duration)),
                    ("latest", .time(latest.map { UInt64($0) * PreviewTests.duration } ?? .max)),
                ])
            gst_harness_push_event(harness.harness, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, structure))
        }

        func setStill(_ isStill: Bool) {
            gst_harness_push_event(harness.harness, gst_video_event_new_still_frame(isStill ? 1 : 0))
        }

        func flush() { harness.flush() }

        /// Returns whether the latest activity event requests the frames before a preview.
        func requestsRewind() -> Bool { harness.takeActivities().last?[flag: "rewind"] == true }

        /// Passes frame 60 as a still picture, and frame 200 as a preview.
        ///
        /// - Returns: whether frame 200 leaves the element.
        func passesPreview() -> Bool {
            #expect(push(0..<4) == [0, 1, 2, 3] && push([60]) == [60])
            setStill(true)
            announce("swiftodt-preview", 200)
            defer { setStill(true) }
            return push([200]) == [200]
        }
    }

    @Test func previewWithoutChangePasses() {
        let element = Element()
        #expect(element.passesPreview() && !element.requestsRewind())
        #expect(element.push([220]) == [220])
    }

    /// The frames before the preview, and the preview itself, follow later. Each of them leaves the element once.
    @Test func previewWithMotionIsDroppedAndRequestsFramesBefore() {
        let element = Element(changeAt: 150)
        #expect(!element.passesPreview() && element.requestsRewind())
        element.setStill(false)
        element.announce("swiftodt-rewind", 60)
        #expect(element.push(60..<210) == Array(61..<210))
        #expect(!element.requestsRewind())
    }

    /// The third inference belongs to the preview.
    @Test func previewWithNewObjectIsDropped() {
        let element = Element { $0 >= 2 ? [Self.cup] : [] }
        #expect(!element.passesPreview() && element.requestsRewind())
    }

    @Test func previewWithoutDetectedObjectIsDropped() {
        let element = Element { $0 >= 2 ? [] : [Self.cup] }
        #expect(!element.passesPreview() && element.requestsRewind())
    }

    @Test func previewWithObjectOfExcludedLabelPasses() {
        let element = Element(properties: "label-denylist=cup") { $0 >= 2 ? [Self.cup] : [] }
        #expect(element.passesPreview() && !element.requestsRewind())
    }

    @Test func previewWithKnownObjectPasses() {
        let element = Element { _ in [Self.cup] }
        #expect(element.passesPreview() && !element.requestsRewind())
    }

    /// These detections need no adaptive inference, so motion in the preview is not measured.
    @Test func previewWithNewUpstreamObjectIsDropped() {
        let element = Element(changeAt: 150, properties: "detector=upstream", source: { .upstream })
        #expect(!element.passesPreview() && element.requestsRewind())
    }

    @Test func frameAtOtherTimeThanAnnouncedIsNoPreview() {
        let element = Element(changeAt: 150)
        #expect(element.push(0..<4) == [0, 1, 2, 3])
        element.announce("swiftodt-preview", 201)
        #expect(element.push([200]) == [200])
    }

    /// A second element behind the gate has processed the preview, while the first one requests the frames before it.
    @Test func repeatedFramesAreDropped() {
        let element = Element()
        #expect(element.passesPreview())
        element.setStill(false)
        element.announce("swiftodt-rewind", 60)
        #expect(element.push(60..<210) == Array(201..<210))
    }

    /// The decoder had not output the key frame before the gate passed it again.
    @Test func keyFrameThatDecoderOutputsTwiceIsProcessedOnce() {
        let element = Element()
        #expect(element.push(0..<4) == [0, 1, 2, 3])
        element.announce("swiftodt-rewind", 60)
        #expect(element.push([60, 60, 61, 62]) == [60, 61, 62])
    }

    /// Decoders can give several frames the same timestamp.
    @Test func atMostOneFrameWithTimestampOfRepeatedKeyFrameIsDropped() {
        let element = Element()
        #expect(element.push(0..<4) == [0, 1, 2, 3])
        element.announce("swiftodt-rewind", 60)
        #expect(element.push([60, 60, 60]) == [60, 60])
        #expect(element.push([61, 61]) == [61, 61])
    }

    /// The timestamp of one frame was too late, and the decoder raises lower timestamps to it.
    @Test func releasedFramesWithRaisedTimestampsAreProcessed() {
        let element = Element()
        #expect(element.push(0..<4) == [0, 1, 2, 3] && element.push([200]) == [200])
        element.announce("swiftodt-rewind", 60, latest: 61)
        #expect(element.push([200, 200, 201]) == [200, 200, 201])
    }

    /// The gate opens at frame 300. The released frames arrive faster than inference runs.
    @Test func releasedFramesOfLiveStreamWaitForTheirResults() {
        let detector = SlowDetector(milliseconds: 20)
        let element = Element(properties: "inference-interval=1", source: { .detector(detector) })
        #expect(element.push(0..<4) == [0, 1, 2, 3])
        detector.waitForResults()
        let before = detector.frames.count
        element.announce("swiftodt-rewind", 3, latest: 300)
        #expect(element.push(3..<12) == Array(4..<12))
        #expect(detector.frames.count == before + 8)
    }

    @Test func releasedFramesAreLateUntilTheyHaveCaughtUp() throws {
        var catchUp = try #require(CatchUp(latest: 10 * UInt64(Self.second), at: 0))
        // The frames from 6 s on are processed at twice the frame rate. The times are in 0.1 s.
        let isLate = ([(60, 0), (120, 30), (136, 38), (140, 40)] as [(UInt64, Nanoseconds)]).map { frame, now in
            catchUp.isLate(frame * UInt64(Self.second) / 10, at: now * Self.second / 10)
        }
        #expect(isLate == [true, true, true, false])
    }

    /// The machine is too slow, or the decoder adds this delay.
    @Test func framesThatDoNotCatchUpAreLateForOneSecond() throws {
        var catchUp = try #require(CatchUp(latest: 0, at: 0))
        let late = (0..<60).prefix { frame in
            catchUp.isLate(UInt64(frame) * Self.duration, at: Nanoseconds(frame) * 33_333_333 + 300_000_000)
        }
        #expect(late.count == 31)
    }

    private static let second: Nanoseconds = 1_000_000_000

    @Test func flushEndsRepetition() {
        let element = Element()
        #expect(element.passesPreview())
        element.announce("swiftodt-rewind", 60)
        element.flush()
        #expect(element.push(60..<70) == Array(60..<70))
    }
}
