import CODTGStreamer
import CODTGStreamerCheck
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests imperfect streams: lost frames, invalid timestamps, and events between frames. They must neither end tracks
/// nor drop queued frames nor crash.
@Suite struct StreamBreakTests {
    private func start(_ properties: String = "", source: (@Sendable () -> DetectionSource)? = nil) -> ElementHarness {
        let harness = ElementHarness(
            (source == nil ? "detector=upstream " : "") + "track-min-hits=1 \(properties)", source: source)
        harness.setCaps()
        return harness
    }

    private func passFrame(_ harness: ElementHarness, pts: UInt64, discont: Bool = false) {
        let buffer = harness.buffer(0)
        buffer.pointee.pts = GstClockTime(pts)
        if discont { buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_DISCONT.rawValue }
        harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16)
        ElementHarness.release(harness.pass(buffer))
    }

    private func sendSegment(_ harness: ElementHarness, base: UInt64 = 0, start: UInt64 = 0, stop: UInt64 = .max) {
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        (segment.base, segment.start, segment.stop) = (guint64(base), guint64(start), guint64(stop))
        gst_harness_push_event(harness.harness, gst_event_new_segment(&segment))
    }

    private func ids(_ harness: ElementHarness) -> [UInt64?] {
        harness.messages("swiftodt").map { $0.objects.first?[uint64: "tracking-id"] }
    }

    /// Otherwise the pipeline would never end.
    @Test(arguments: [GST_FLOW_EOS, GST_FLOW_NOT_LINKED, GST_FLOW_ERROR])
    func endOfStreamPassesAfterDownstreamHasRefusedFrames(flow: GstFlowReturn) {
        let harness = ElementHarness(
            "look-ahead=8 strategy=every-frame", source: { .detector(ScriptedDetector { _ in [] }) })
        harness.setCaps()
        harness.refuseBuffers(with: flow)
        for number in 0..<12 { harness.push(harness.buffer(number)) }
        #expect(gst_harness_push_event(harness.harness, gst_event_new_eos()) != 0)
        var hasEnded = false
        while let event = gst_harness_try_pull_event(harness.harness) {
            hasEnded = hasEnded || event.pointee.type == GST_EVENT_EOS
            gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
        }
        #expect(hasEnded)
    }

    /// Upstream cannot receive the flow with an event or query, so the output would be truncated without an error.
    /// The element that returns an error has posted it, and only upstream knows whether unlinked pads are errors.
    @Test(arguments: [
        (GST_FLOW_EOS, false), (GST_FLOW_NOT_LINKED, false), (GST_FLOW_ERROR, false), (GST_FLOW_NOT_NEGOTIATED, true),
    ])
    func framesRefusedWhileDrainingAreAnError(flow: GstFlowReturn, isError: Bool) {
        for isQuery in [false, true] {
            let detector = ControlledDetector(capacity: 8)
            let harness = start("strategy=every-frame", source: { .detector(detector) })
            for number in 0..<3 { harness.push(harness.buffer(number)) }
            detector.answer()
            harness.refuseBuffers(with: flow)
            if isQuery {
                let query = gst_query_new_drain()
                #expect(gst_pad_peer_query(harness.harness.pointee.srcpad, query) == 0)
                gst_query_unref(query)
            } else {
                #expect(gst_harness_push_event(harness.harness, gst_event_new_eos()) != 0)
            }
            #expect((harness.takeMessage(GST_MESSAGE_ERROR) != nil) == isError)
        }
    }

    /// Otherwise GStreamer would send the event again before the next frame, and that frame would return an error.
    @Test(arguments: [GST_FLOW_EOS, GST_FLOW_NOT_LINKED, GST_FLOW_FLUSHING])
    func queuedEventIsAcceptedAfterDownstreamHasRefusedFrame(flow: GstFlowReturn) {
        for isCaps in [false, true] {
            let detector = ControlledDetector(capacity: 8)
            let harness = start("strategy=every-frame draw=false", source: { .detector(detector) })
            for number in 0..<3 { harness.push(harness.buffer(number)) }
            detector.answer()
            harness.refuseBuffers(with: flow)
            if isCaps {
                harness.setCaps(extra: ",colorimetry=bt709")
            } else {
                gst_harness_push_event(harness.harness, gst_event_new_tag(gst_tag_list_new_empty()))
            }
            #expect([GST_FLOW_OK, flow].contains(harness.push(harness.buffer(3))))
            detector.answer()
            #expect(harness.push(harness.buffer(4)) == flow)
        }
    }

    /// The frames behind refused caps must not pass with the earlier caps. The stream continues after accepted caps.
    @Test(arguments: [false, true]) func framesWithRefusedCapsAreDropped(capsFollow: Bool) {
        let detector = ControlledDetector(capacity: 8)
        let harness = start("strategy=every-frame draw=false", source: { .detector(detector) })
        gst_harness_set_sink_caps_str(harness.harness, "video/x-raw,format=I420,width=64")
        harness.push(harness.buffer(0))
        harness.setCaps(width: 128)
        harness.push(harness.buffer(1))
        if capsFollow { harness.setCaps() }
        harness.push(harness.buffer(2))
        #expect(gst_harness_buffers_in_queue(harness.harness) == 0)
        detector.answer()
        #expect(harness.push(harness.buffer(3)) == GST_FLOW_NOT_NEGOTIATED)
        detector.answer()
        #expect(harness.push(harness.buffer(4)) == (capsFollow ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED))
        detector.answer()
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        var frames: [Int] = []
        while let buffer = harness.pull(ifThere: true) {
            #expect(gst_buffer_get_size(buffer) == 64 * 48 * 3 / 2)
            frames.append(Int(buffer.pointee.pts) / 33_333_333)
            ElementHarness.release(buffer)
        }
        #expect(frames == (capsFollow ? [0, 2, 3, 4] : [0]))
    }

    /// Upstream learns from the event that the caps are refused. No frame is lost.
    @Test func refusedCapsEventIsNoError() {
        let detector = ControlledDetector(capacity: 8)
        let harness = start("strategy=every-frame draw=false", source: { .detector(detector) })
        gst_harness_set_sink_caps_str(harness.harness, "video/x-raw,format=I420,width=64")
        harness.push(harness.buffer(0))
        detector.answer()
        harness.setCaps(width: 128)
        #expect(harness.takeFrameNumbers() == [0])
        #expect(harness.takeMessage(GST_MESSAGE_ERROR) == nil)
    }

    /// As with a `capsfilter` whose caps the application changes.
    @Test(arguments: [false, true]) func heldFramesPassAfterDownstreamRequestedQueuedCaps(isAllocationQueried: Bool) {
        let detector = ControlledDetector(capacity: 8)
        let harness = start("strategy=every-frame draw=false", source: { .detector(detector) })
        harness.watchBufferSizes()
        harness.push(harness.buffer(0))
        gst_harness_set_sink_caps_str(harness.harness, "video/x-raw,format=I420,width=128")
        gst_harness_push_upstream_event(harness.harness, gst_event_new_reconfigure())
        harness.setCaps(width: 128)
        if isAllocationQueried { harness.queryAllocation() }
        harness.push(harness.buffer(1))
        detector.answer()
        #expect(harness.push(harness.buffer(2)) == GST_FLOW_OK)
        detector.answer()
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(harness.takeFrameNumbers() == [0, 1, 2])
        #expect(harness.mismatchedBuffers == 0)
    }

    /// The application links an element that accepts only the caps behind the held frames.
    @Test func framesWhoseCapsAreRefusedAfterRelinkingAreDropped() {
        let detector = ControlledDetector(capacity: 8)
        let harness = start("strategy=every-frame draw=false", source: { .detector(detector) })
        harness.watchBufferSizes()
        harness.push(harness.buffer(0))
        harness.setCaps(width: 128)
        harness.push(harness.buffer(1))
        harness.relink("video/x-raw,format=I420,width=128")
        detector.answer()
        #expect(harness.push(harness.buffer(2)) == GST_FLOW_NOT_NEGOTIATED)
        #expect(harness.push(harness.buffer(3)) == GST_FLOW_OK)
        detector.answer()
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(harness.takeFrameNumbers() == [1, 3])
        #expect(harness.mismatchedBuffers == 0)
    }

    @Test func discontKeepsIDs() {
        let harness = start()
        for number in [0, 1, 3, 4, 7, 8] { passFrame(harness, pts: UInt64(number) * 33_333_333, discont: true) }
        #expect(ids(harness) == [1, 1, 1, 1, 1, 1])
    }

    @Test func formatChangeWithSameSizeKeepsIDs() {
        let harness = start()
        for number in 0..<6 {
            harness.setCaps(
                number % 2 == 0 ? "I420" : "NV12", extra: ",colorimetry=\(number % 3 == 0 ? "bt601" : "bt709")")
            passFrame(harness, pts: UInt64(number) * 33_333_333)
        }
        for rate in 7...9 {
            gst_harness_set_src_caps_str(
                harness.harness, "video/x-raw,format=NV12,width=64,height=48,framerate=\(rate)/1")
            passFrame(harness, pts: UInt64(rate) * 33_333_333)
        }
        #expect(ids(harness) == [1, 1, 1, 1, 1, 1, 1, 1, 1])
    }

    @Test func continuousSegmentKeepsIDs() {
        let harness = start()
        passFrame(harness, pts: 1_000_000_000)
        sendSegment(harness, base: 1_033_333_333, start: 500_000_000)
        passFrame(harness, pts: 500_000_000)
        #expect(ids(harness) == [1, 1])
        sendSegment(harness)
        passFrame(harness, pts: 0)
        #expect(ids(harness) == [2])
    }

    @Test func nonFlushingSeekBeginsEpoch() {
        let harness = start()
        passFrame(harness, pts: 0)
        let seek = gst_event_new_seek(
            1, GST_FORMAT_TIME, GstSeekFlags(rawValue: 0), GST_SEEK_TYPE_SET, 9_000_000_000, GST_SEEK_TYPE_NONE, 0)!
        let number = gst_event_get_seqnum(seek)
        gst_harness_push_upstream_event(harness.harness, seek)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        (segment.base, segment.start) = (33_333_333, 9_000_000_000)
        let event = gst_event_new_segment(&segment)!
        gst_event_set_seqnum(event, number)
        gst_harness_push_event(harness.harness, event)
        passFrame(harness, pts: 9_000_000_000)
        #expect(ids(harness) == [1, 2])
    }

    /// A tag, a segment, a custom event and caps (after which the harness sends its segment) stay in order and do not
    /// drain the queue.
    @Test func eventsStayInOrderWithQueuedFrames() {
        let detector = ControlledDetector(capacity: 8)
        let harness = start("strategy=every-frame", source: { .detector(detector) })
        while let event = gst_harness_try_pull_event(harness.harness) { release(event) }
        harness.push(harness.buffer(0))
        gst_harness_push_event(harness.harness, gst_event_new_tag(gst_tag_list_new_empty()))
        harness.push(harness.buffer(1))
        sendSegment(harness)
        gst_harness_push_event(
            harness.harness, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("ours")))
        harness.setCaps(extra: ",colorimetry=bt709")
        harness.push(harness.buffer(2))
        #expect(detector.frames.count == 3)
        #expect(gst_harness_buffers_in_queue(harness.harness) == 0)
        #expect(gst_harness_try_pull_event(harness.harness) == nil)
        detector.answer()
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        var types: [GstEventType] = []
        while let event = gst_harness_try_pull_event(harness.harness) {
            types.append(event.pointee.type)
            release(event)
        }
        #expect(gst_harness_buffers_in_queue(harness.harness) == 3)
        let ours = types.filter { $0 != GST_EVENT_STREAM_START }
        #expect(
            ours.map(\.rawValue)
                == [
                    GST_EVENT_TAG, GST_EVENT_SEGMENT, GST_EVENT_CUSTOM_DOWNSTREAM, GST_EVENT_CAPS, GST_EVENT_SEGMENT,
                    GST_EVENT_EOS,
                ].map(\.rawValue))
    }

    /// Sticky events outlive a flush, because upstream does not send them again. The flush is forwarded before them.
    @Test func flushDropsFramesAndKeepsTags() {
        let detector = ControlledDetector(capacity: 8)
        let harness = start("strategy=every-frame", source: { .detector(detector) })
        while let event = gst_harness_try_pull_event(harness.harness) { release(event) }
        harness.push(harness.buffer(0))
        gst_harness_push_event(harness.harness, gst_event_new_tag(gst_tag_list_new_empty()))
        gst_harness_push_event(harness.harness, gst_event_new_flush_start())
        gst_harness_push_event(harness.harness, gst_event_new_flush_stop(1))
        var types: [UInt32] = []
        while let event = gst_harness_try_pull_event(harness.harness) {
            types.append(event.pointee.type.rawValue)
            release(event)
        }
        #expect(types == [GST_EVENT_FLUSH_START, GST_EVENT_FLUSH_STOP, GST_EVENT_TAG].map(\.rawValue))
        #expect(gst_harness_buffers_in_queue(harness.harness) == 0)
    }

    /// Clipping these frames must not fail, and nothing is drawn on them.
    @Test func framesOutsideSegmentPassUnchanged() {
        let harness = start("draw=true attach-meta=custom")
        sendSegment(harness, start: 1_000_000_000, stop: 2_000_000_000)
        for pts: UInt64 in [0, 500_000_000, 3_000_000_000] {
            let buffer = harness.buffer(0)
            buffer.pointee.pts = GstClockTime(pts)
            let before = ElementHarness.bytes(of: buffer)
            harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16)
            let output = harness.pass(buffer)!
            #expect(ElementHarness.bytes(of: output) == before)
            #expect(gst_buffer_get_custom_meta(output, "SwiftOdtMeta") == nil)
            ElementHarness.release(output)
        }
        #expect(harness.messages("swiftodt").isEmpty)
        passFrame(harness, pts: 1_000_000_000)
        #expect(ids(harness) == [1])
    }

    @Test(arguments: ["30/1", "1/2147483647", "0/1", "2147483647/1"])
    func arbitraryTimestampsPass(_ rate: String) {
        for strategy in ["every-frame", "keep-only-latest"] {
            let harness = ElementHarness(
                "strategy=\(strategy) track-min-hits=1 draw-traces=true",
                source: { .detector(SlowDetector(milliseconds: 0, capacity: 4)) })
            gst_harness_set_src_caps_str(
                harness.harness, "video/x-raw,format=I420,width=64,height=48,framerate=\(rate)")
            harness.readCaps("video/x-raw,format=I420,width=64,height=48,framerate=\(rate)")
            for pts: UInt64 in [0, .max, .max, 1 << 63, .max - 1, (1 << 63) - 1, (1 << 62) + 5, 7, 7, .max, 3] {
                let buffer = harness.buffer(0)
                (buffer.pointee.pts, buffer.pointee.duration) = (GstClockTime(pts), GstClockTime(pts &* 3))
                #expect(harness.push(buffer) == GST_FLOW_OK)
            }
            gst_harness_push_event(harness.harness, gst_event_new_eos())
            _ = gst_harness_query_latency(harness.harness)
            #expect(gst_harness_buffers_in_queue(harness.harness) == 11)
            #expect(harness.takeMessage(GST_MESSAGE_ERROR) == nil)
        }
    }

    /// Motion is detected although all times are equal, or each is earlier than the previous one.
    @Test(arguments: [0, -33_333_333])
    func motionIsDetectedWithInvalidTimestamps(_ step: Int) {
        let harness = ElementHarness("detector=motion track-min-hits=1 strategy=every-frame")
        harness.setCaps(width: 160, height: 120)
        for number in 0..<60 {
            let left = 10 + number * 2
            let buffer = harness.buffer(0) { place in
                let (x, y) = (place % 160, place / 160)
                guard place < 160 * 120 else { return 128 }
                let isBox = (40..<70).contains(y) && (left..<left + 24).contains(x)
                let ground = (x / 8 + y / 8) % 2 == 0 ? 60 : 80
                return UInt8(isBox ? 230 : ground)
            }
            buffer.pointee.pts = GstClockTime(10_000_000_000 + number * step)
            ElementHarness.release(harness.pass(buffer))
        }
        let messages = harness.messages("swiftodt")
        #expect(messages.last?[uint: "epoch"] == 0)
        #expect(messages.contains { $0.objects.contains { $0[uint64: "tracking-id"] != nil } })
    }

    /// Memory that is readable but not writable: nothing is drawn, and one warning is posted.
    @Test func unwritableFrameWarns() {
        let harness = start("draw=true")
        for number in 0..<3 {
            let buffer = harness.buffer(number)
            harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16)
            forbidWriting(to: buffer)
            ElementHarness.release(harness.pass(buffer))
        }
        #expect(harness.takeMessage(GST_MESSAGE_WARNING)?.contains("nothing is drawn") == true)
        #expect(harness.takeMessage(GST_MESSAGE_WARNING) == nil)
    }

    /// If redaction is requested, the frame does not pass.
    @Test func unwritableFrameIsAnErrorIfRedactionIsRequested() {
        for (strict, flow) in [("true", GST_FLOW_ERROR), ("false", GST_FLOW_OK)] {
            let harness = start("box-style=blur strategy=keep-only-latest privacy-strict=\(strict)")
            let buffer = harness.buffer(0)
            harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16)
            forbidWriting(to: buffer)
            #expect(harness.push(buffer) == flow)
            let kind = strict == "true" ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING
            #expect(harness.takeMessage(kind)?.contains("cannot be written to") == true)
        }
    }

    private func release(_ event: UnsafeMutablePointer<GstEvent>) {
        gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
    }

    /// Adds video metadata with planes that can be mapped for reading only.
    private func forbidWriting(to buffer: UnsafeMutablePointer<GstBuffer>) {
        let meta = gst_buffer_add_video_meta(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_I420, 64, 48)!
        meta.pointee.map = { meta, plane, info, data, stride, flags in
            guard let meta, flags.rawValue & GST_MAP_WRITE.rawValue == 0,
                gst_buffer_map(meta.pointee.buffer, info, flags) != 0
            else { return 0 }
            let (offset, step) =
                switch plane {
                case 0: (meta.pointee.offset.0, meta.pointee.stride.0)
                case 1: (meta.pointee.offset.1, meta.pointee.stride.1)
                default: (meta.pointee.offset.2, meta.pointee.stride.2)
                }
            data?.pointee = UnsafeMutableRawPointer(info!.pointee.data + Int(offset))
            stride?.pointee = step
            return 1
        }
        meta.pointee.unmap = { meta, _, info in
            gst_buffer_unmap(meta?.pointee.buffer, info)
            return 1
        }
    }
}
