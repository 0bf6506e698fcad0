import CGStreamer
import CGStreamerCheck
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Protects what happens around the frames: caps changes, flushes, gaps, the end and the beginning again.
@Suite struct LifeCycleTests {
    private func start(_ properties: String = "") -> ElementHarness {
        let harness = ElementHarness("detector=upstream track-min-hits=1 \(properties)")
        harness.setCaps()
        return harness
    }

    private func passFrame(_ harness: ElementHarness, _ number: Int, discont: Bool = false) {
        let buffer = harness.buffer(number)
        if discont { buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_DISCONT.rawValue }
        harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16)
        ElementHarness.release(harness.pass(buffer))
    }

    @Test func newCapsBeginANewEpochAndIdsGoOn() {
        let harness = start()
        passFrame(harness, 0)
        harness.setCaps("NV12", width: 128, height: 96)
        passFrame(harness, 1)
        let messages = harness.messages("swiftodt")
        #expect(messages.map { $0[uint: "epoch"] } == [0, 1])
        #expect(messages.map { $0[uint: "width"] } == [64, 128])
        #expect(messages.map { $0.objects.first?[uint64: "tracking-id"] } == [1, 2])
    }

    @Test func aFlushBeginsANewEpoch() {
        let harness = start()
        passFrame(harness, 5)
        gst_harness_push_event(harness.harness, gst_event_new_flush_start())
        gst_harness_push_event(harness.harness, gst_event_new_flush_stop(1))
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        gst_harness_push_event(harness.harness, gst_event_new_segment(&segment))
        passFrame(harness, 0)
        let messages = harness.messages("swiftodt")
        #expect(messages.map { $0[uint: "epoch"] } == [0, 1])
    }

    @Test func aGapBeginsANewEpochButNotAtTheStart() {
        let harness = start()
        passFrame(harness, 0, discont: true)
        passFrame(harness, 1)
        passFrame(harness, 50, discont: true)
        let messages = harness.messages("swiftodt")
        #expect(messages.map { $0[uint: "epoch"] } == [0, 0, 1])
    }

    @Test func aFrameMarkedAsGapIsNotLookedAt() {
        let harness = start("updates=every-frame")
        passFrame(harness, 0)
        let buffer = harness.buffer(1)
        buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_GAP.rawValue
        ElementHarness.release(harness.pass(buffer))
        let messages = harness.messages("swiftodt")
        #expect(messages.map { $0[uint64: "detection-timestamp"] } == [0, 0])
    }

    @Test func buffersWithoutTimesPass() {
        let harness = start()
        for number in 0..<3 {
            let buffer = harness.buffer(number)
            buffer.pointee.pts = .max
            harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16)
            ElementHarness.release(harness.pass(buffer))
        }
        #expect(harness.messages("swiftodt").map { $0.objects.first?[uint64: "tracking-id"] } == [1, 1, 1])
    }

    @Test func upAndDownAndAgain() {
        let harness = start()
        for round in 0..<20 {
            passFrame(harness, round)
            gst_element_set_state(harness.element, GST_STATE_NULL)
            gst_element_set_state(harness.element, GST_STATE_PLAYING)
            harness.setCaps(round % 2 == 0 ? "RGB" : "I420")
        }
        #expect(harness.messages("swiftodt").count == 20)
    }

    @Test func nonsenseFromUpstreamIsHarmless() {
        let harness = start("multiple-objects=true")
        let buffer = harness.buffer(0)
        harness.addRegion(to: buffer, x: 4_000_000_000, y: 4_000_000_000, width: 4_000_000_000, height: 4_000_000_000)
        harness.addRegion(to: buffer, x: 0, y: 0, width: 0, height: 0)
        harness.addRegion(to: buffer, x: 1, y: 1, width: 4_294_967_295, height: 4_294_967_295, confidence: .nan)
        harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16, confidence: 7)
        for _ in 0..<2000 { harness.addRegion(to: buffer, x: 30, y: 30, width: 3, height: 3) }
        ElementHarness.release(harness.pass(buffer))
        let objects = harness.messages("swiftodt").first?.objects ?? []
        #expect((1...5).contains(objects.count))
        #expect(objects.allSatisfy { $0[uint: "x"]! + $0[uint: "width"]! <= 64 })
    }

    @Test func aDetectorThatFailsEndsTheStreamWithASentence() {
        let harness = ElementHarness("", source: { .detector(FailingDetector(after: 2)) })
        harness.setCaps()
        #expect(harness.push(harness.buffer(0)) == GST_FLOW_OK)
        #expect(harness.push(harness.buffer(1)) == GST_FLOW_OK)
        #expect(harness.push(harness.buffer(2)) == GST_FLOW_ERROR)
        #expect(harness.takeMessage(GST_MESSAGE_ERROR)?.contains("restart it") == true)
    }

    @Test(arguments: [
        ("detector=motion min-area=0.5 max-area=0.1", GST_MESSAGE_ERROR, "min-area"),
        ("detector=neural model-file=/nowhere.onnx", GST_MESSAGE_ERROR, "/nowhere.onnx"),
        ("detector=auto model-file=/nowhere.onnx", GST_MESSAGE_ERROR, "/nowhere.onnx"),
        ("detector=motion model-file=/nowhere.onnx", GST_MESSAGE_WARNING, "model-file"),
        ("detector=upstream label-allowlist=cup label-denylist=cup", GST_MESSAGE_WARNING, "denylist"),
        ("detector=motion mode=single-image", GST_MESSAGE_WARNING, "single picture"),
    ])
    func badCombinationsAreToldWhenTheElementStarts(_ properties: String, _ type: GstMessageType, _ word: String) {
        let element = StartedElement(properties)
        #expect(element.hasStarted == (type == GST_MESSAGE_WARNING))
        #expect(element.takeMessage(type)?.contains(word) == true)
    }
}
