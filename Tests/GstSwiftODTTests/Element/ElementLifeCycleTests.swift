import CODTGStreamer
import CODTGStreamerCheck
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests caps changes, flushes, gaps, end of stream, and restarts.
@Suite struct ElementLifeCycleTests {
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

    @Test func newCapsBeginEpochAndIDsContinue() {
        let harness = start()
        passFrame(harness, 0)
        harness.setCaps("NV12", width: 128, height: 96)
        passFrame(harness, 1)
        let messages = harness.messages("swiftodt")
        #expect(messages.map { $0[uint: "epoch"] } == [0, 1])
        #expect(messages.map { $0[uint: "width"] } == [64, 128])
        #expect(messages.map { $0.objects.first?[uint64: "tracking-id"] } == [1, 2])
    }

    @Test func flushBeginsEpoch() {
        let harness = start()
        passFrame(harness, 5)
        harness.flush()
        passFrame(harness, 0)
        let messages = harness.messages("swiftodt")
        #expect(messages.map { $0[uint: "epoch"] } == [0, 1])
    }

    /// Redaction does not rely on a still picture, because the frame after the gap can show another person.
    @Test(arguments: ["": [0, 0], "box-style=blur": [0, 1]])
    func gapAfterStillPictureBeginsEpochWithRedactionOnly(_ properties: String, _ epochs: [Int]) {
        let harness = ElementHarness(
            "updates=every-frame strategy=every-frame \(properties)",
            source: { .detector(ScriptedDetector { _ in [] }) })
        gst_harness_set_live(harness.harness, 1)
        harness.setCaps()
        passFrame(harness, 0)
        gst_harness_push_event(harness.harness, gst_video_event_new_still_frame(1))
        passFrame(harness, 3000)
        #expect(harness.messages("swiftodt").map { $0[uint: "epoch"] } == epochs)
    }

    /// Applications query the position of a pipeline.
    @Test func positionQueryReturnsLatestFrame() {
        let harness = start()
        var position: gint64 = -1
        for number in 0..<3 { passFrame(harness, number) }
        let pad = gst_element_get_static_pad(harness.element, "src")
        #expect(gst_pad_query_position(pad, GST_FORMAT_TIME, &position) != 0)
        gst_object_unref(pad)
        #expect(position == 3 * 33_333_333)
    }

    /// An event in both directions that comes from downstream must not drain queued frames.
    @Test func downstreamEventsBypassQueue() {
        let detector = SlowDetector(milliseconds: 1, capacity: 3)
        let harness = ElementHarness("strategy=every-frame", source: { .detector(detector) })
        harness.setCaps()
        for number in 0..<3 { harness.push(harness.buffer(number)) }
        let before = gst_harness_upstream_events_received(harness.harness)
        for name in ["one", "other"] {
            gst_harness_push_upstream_event(
                harness.harness, gst_event_new_custom(GST_EVENT_CUSTOM_BOTH, gst_structure_new_empty(name)))
        }
        #expect(gst_harness_upstream_events_received(harness.harness) == before + 2)
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(gst_harness_buffers_in_queue(harness.harness) == 3)
    }

    @Test func frameThatCannotBeRedactedIsReleasedOnce() throws {
        let harness = start("box-style=pixelate strategy=keep-only-latest")
        passFrame(harness, 0)
        let buffer = harness.buffer(1)
        // The planes do not fit into the memory.
        var (offsets, strides): ([gsize], [gint]) = ([0, 4096, 8192, 0], [64, 32, 32, 0])
        gst_buffer_add_video_meta_full(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_I420, 64, 48, 3, &offsets, &strides)
        harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16)
        gst_mini_object_ref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self))
        #expect(harness.push(buffer) == GST_FLOW_ERROR)
        #expect(harness.takeMessage(GST_MESSAGE_ERROR)?.contains("cannot be mapped") == true)
        #expect(buffer.pointee.mini_object.refcount == 1)
        ElementHarness.release(buffer)
    }

    @Test(arguments: ["end", "flush", "reset"]) func eosFlushAndResetEndAllTracks(_ end: String) throws {
        let harness = start()
        passFrame(harness, 0)
        #expect(try harness.counters()[uint: "active-tracks"] == 1)
        switch end {
        case "end": gst_harness_push_event(harness.harness, gst_event_new_eos())
        case "flush":
            gst_harness_push_event(harness.harness, gst_event_new_flush_start())
            gst_harness_push_event(harness.harness, gst_event_new_flush_stop(1))
        default:
            harness.session.signals.requestReset()
            ElementHarness.release(harness.pass(harness.buffer(1)))
        }
        #expect(try harness.counters()[uint: "active-tracks"] == 0)
    }

    @Test func timeGapBeginsEpochButFirstFrameDoesNot() {
        let harness = start()
        passFrame(harness, 0, discont: true)
        passFrame(harness, 1)
        passFrame(harness, 50, discont: true)
        let messages = harness.messages("swiftodt")
        #expect(messages.map { $0[uint: "epoch"] } == [0, 0, 1])
    }

    @Test func gapBufferIsNotInferred() {
        let harness = start("updates=every-frame")
        passFrame(harness, 0)
        let buffer = harness.buffer(1)
        buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_GAP.rawValue
        ElementHarness.release(harness.pass(buffer))
        let messages = harness.messages("swiftodt")
        #expect(messages.map { $0[uint64: "detection-timestamp"] } == [0, 0])
    }

    @Test func buffersWithoutTimestampsPass() {
        let harness = start()
        for number in 0..<3 {
            let buffer = harness.buffer(number)
            buffer.pointee.pts = .max
            harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16)
            ElementHarness.release(harness.pass(buffer))
        }
        #expect(harness.messages("swiftodt").map { $0.objects.first?[uint64: "tracking-id"] } == [1, 1, 1])
    }

    @Test func elementRestartsRepeatedly() {
        let harness = start()
        for round in 0..<20 {
            passFrame(harness, round)
            gst_element_set_state(harness.element, GST_STATE_NULL)
            gst_element_set_state(harness.element, GST_STATE_PLAYING)
            harness.setCaps(round % 2 == 0 ? "RGB" : "I420")
        }
        #expect(harness.messages("swiftodt").count == 20)
    }

    @Test func invalidUpstreamMetaIsIgnored() {
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

    @Test func detectorFailurePostsError() {
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
        ("detector=motion mode=single-image", GST_MESSAGE_WARNING, "single image"),
        ("detector=motion label-format={speed}", GST_MESSAGE_WARNING, "{speed}"),
        ("detector=motion font=Nobodys", GST_MESSAGE_WARNING, "Nobodys"),
        ("detector=motion draw=false draw-traces=true", GST_MESSAGE_WARNING, "draw-traces"),
        ("detector=motion tracking=false draw-traces=true", GST_MESSAGE_WARNING, "tracking=true"),
        ("detector=motion track-max-age=2", GST_MESSAGE_WARNING, "2 seconds are 2000000000"),
        ("detector=motion trace-duration=1500", GST_MESSAGE_WARNING, "1500 milliseconds are 1500000000"),
        ("detector=motion message-interval=5", GST_MESSAGE_WARNING, "message-interval=5"),
        ("detector=motion max-objects=9", GST_MESSAGE_WARNING, "multiple-objects"),
        ("detector=motion box-color=0xff0000ff", GST_MESSAGE_WARNING, "color-mode"),
        ("detector=motion classifier-file=x.tflite", GST_MESSAGE_WARNING, "classify=true"),
    ])
    func conflictingPropertiesWarnAtStart(_ properties: String, _ type: GstMessageType, _ word: String) {
        let element = StartedElement(properties)
        #expect(element.hasStarted == (type == GST_MESSAGE_WARNING))
        #expect(element.takeMessage(type)?.contains(word) == true)
    }

    /// Valid settings do not warn with any set of installed fonts.
    @Test(arguments: ["Sans", "monospace", "sans-serif", "DejaVu Sans Bold 12"])
    func installedFontsCauseNoWarning(_ font: String) {
        let element = StartedElement("detector=motion font=\"\(font)\" track-max-age=0 draw-traces=true")
        #expect(element.takeMessage(GST_MESSAGE_WARNING) == nil)
    }

    /// A conflicting change while the element is playing warns once, as at start.
    @Test func conflictingChangesWarnWhilePlaying() {
        let harness = start()
        passFrame(harness, 0)
        func set(_ property: String, _ value: String) -> String? {
            gst_util_set_object_arg(
                UnsafeMutableRawPointer(harness.element).assumingMemoryBound(to: GObject.self), property, value)
            return harness.takeMessage(GST_MESSAGE_WARNING)
        }
        #expect(set("label-format", "{speed}")?.contains("{speed}") == true)
        #expect(set("label-format", "{speed}") == nil)
        #expect(set("label-format", "{height}")?.contains("{height}") == true)
        #expect(set("label-format", "{label}") == nil)
        #expect(set("font", "Nobodys")?.contains("Nobodys") == true)
        #expect(set("track-max-age", "3")?.contains("nanoseconds") == true)
        #expect(set("draw-traces", "true") == nil)
        #expect(set("draw", "false")?.contains("draw-traces") == true)
        #expect(set("min-area", "0.5") == nil)
        #expect(set("max-area", "0.2")?.contains("min-area") == true)
    }

    /// A program that continually sets invalid values must not fill an unread bus.
    @Test func warningsAreRateLimited() {
        let harness = start()
        passFrame(harness, 0)
        for number in 1...1000 {
            gst_util_set_object_arg(
                UnsafeMutableRawPointer(harness.element).assumingMemoryBound(to: GObject.self), "track-max-age",
                String(number))
        }
        var count = 0
        while harness.takeMessage(GST_MESSAGE_WARNING) != nil { count += 1 }
        #expect((1...100).contains(count))
    }
}
