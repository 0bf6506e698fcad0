import CODTGStreamer
import CODTGStreamerCheck
import ODTTestSupport
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests the answer to allocation queries: the number of held frames and the supported metadata. A pool without enough
/// buffers would block upstream forever.
@Suite struct AllocationTests {
    /// Downstream's answer.
    private struct Downstream {
        var answers = true
        /// The limits of downstream's pool.
        var buffers: (minimum: guint, maximum: guint)?
        var size: guint = 64 * 48 * 3 / 2
        var crops = false
        var readsPadded = false
    }

    /// The answer that upstream receives.
    private struct Proposal {
        var isAnswered = false
        var hasPool = false
        var minimum: guint = 0
        var maximum: guint = 0
        var crops = false
        var isPadded = false
    }

    /// - Parameter held: the number of frames that the element holds.
    private func ask(_ downstream: Downstream, held: Int = 3) throws -> Proposal {
        let detector = SlowDetector(milliseconds: 0, capacity: held)
        let harness = ElementHarness("strategy=every-frame", source: { .detector(detector) })
        harness.setCaps()
        let answer = Answer(downstream)
        gst_pad_add_probe(
            harness.harness.pointee.sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, Answer.give,
            Unmanaged.passUnretained(answer).toOpaque(), nil)
        let caps = gst_pad_get_current_caps(harness.harness.pointee.srcpad)
        let query = try #require(gst_query_new_allocation(caps, 1))
        defer {
            gst_mini_object_unref(UnsafeMutableRawPointer(query).assumingMemoryBound(to: GstMiniObject.self))
            gst_mini_object_unref(UnsafeMutableRawPointer(caps)?.assumingMemoryBound(to: GstMiniObject.self))
        }
        var proposal = Proposal()
        proposal.isAnswered = gst_pad_peer_query(harness.harness.pointee.srcpad, query) != 0
        #expect(gst_query_get_n_allocation_pools(query) == 1)
        var pool: UnsafeMutablePointer<GstBufferPool>?
        var size: guint = 0
        gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &proposal.minimum, &proposal.maximum)
        // Downstream proposes the size of earlier frames while the caps of larger ones are queued.
        #expect(size == max(downstream.size, 64 * 48 * 3 / 2))
        proposal.hasPool = pool != nil
        if let pool { gst_object_unref(pool) }
        proposal.crops = gst_query_find_allocation_meta(query, gst_video_crop_meta_api_get_type(), nil) != 0
        proposal.isPadded = gst_query_find_allocation_meta(query, gst_video_meta_api_get_type(), nil) != 0
        withExtendedLifetime(answer) {}
        return proposal
    }

    private final class Answer {
        let downstream: Downstream

        init(_ downstream: Downstream) { self.downstream = downstream }

        static let give: GstPadProbeCallback = { _, info, data in
            guard let info, let data, let query = gst_pad_probe_info_get_query(info),
                query.pointee.type == GST_QUERY_ALLOCATION,
                info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_PUSH.rawValue != 0
            else { return GST_PAD_PROBE_OK }
            let downstream = Unmanaged<Answer>.fromOpaque(data).takeUnretainedValue().downstream
            guard downstream.answers else { return GST_PAD_PROBE_DROP }
            if let buffers = downstream.buffers {
                let pool = gst_video_buffer_pool_new()
                gst_query_add_allocation_pool(
                    query, pool, downstream.size, buffers.minimum, buffers.maximum)
                gst_object_unref(pool)
            }
            if downstream.readsPadded {
                gst_query_add_allocation_meta(query, gst_video_meta_api_get_type(), nil)
            }
            if downstream.crops {
                gst_query_add_allocation_meta(query, gst_video_crop_meta_api_get_type(), nil)
            }
            return GST_PAD_PROBE_HANDLED
        }
    }

    @Test(arguments: [true, false]) func allocationQueryAddsHeldFrames(_ answers: Bool) throws {
        let proposal = try ask(Downstream(answers: answers))
        #expect(proposal.isAnswered)
        #expect(!proposal.hasPool)
        #expect(proposal.minimum == 3)
        #expect(proposal.maximum == 0)
    }

    @Test(arguments: [100, 10_000] as [guint]) func proposedSizeHoldsFrame(_ size: guint) throws {
        #expect(try ask(Downstream(buffers: (2, 0), size: size)).hasPool)
    }

    @Test func downstreamPoolIsEnlargedByHeldFrames() throws {
        let wide = try ask(Downstream(buffers: (2, 0)))
        #expect(wide.hasPool)
        #expect(wide.minimum == 5)
        let enough = try ask(Downstream(buffers: (2, 8)))
        #expect(enough.hasPool)
        #expect(enough.minimum == 5)
        #expect(enough.maximum == 8)
    }

    /// The element would hold all buffers of the pool, and upstream would wait forever for another one.
    @Test(arguments: [(2, 2), (2, 4), (0, 2)] as [(guint, guint)])
    func tooSmallPoolIsNotProposed(_ minimum: guint, _ maximum: guint) throws {
        let proposal = try ask(Downstream(buffers: (minimum, maximum)))
        #expect(!proposal.hasPool)
        #expect(proposal.minimum == minimum + 3)
        #expect(proposal.maximum == 0)
    }

    /// Padded frames pass unchanged, so they are proposed only if downstream supports them.
    @Test(arguments: [true, false]) func videoMetaIsProposedWhenDownstreamSupportsIt(_ can: Bool) throws {
        #expect(try ask(Downstream(readsPadded: can)).isPadded == can)
        #expect(try !ask(Downstream(answers: false)).isPadded)
    }

    /// The base class negotiates the latest caps before it answers the query. These caps must not precede the held frames.
    @Test func allocationQueryAfterRelinkingKeepsCapsOfHeldFrames() {
        let detector = ControlledDetector(capacity: 8)
        let harness = ElementHarness("strategy=every-frame draw=false", source: { .detector(detector) })
        harness.setCaps()
        harness.watchBufferSizes()
        for number in 0..<2 { harness.push(harness.buffer(number)) }
        harness.setCaps(width: 128, height: 96)
        harness.relink("video/x-raw")
        harness.queryAllocation()
        #expect(gst_harness_buffers_in_queue(harness.harness) == 0)
        harness.push(harness.buffer(2))
        detector.answer()
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(gst_harness_buffers_in_queue(harness.harness) == 3)
        #expect(harness.mismatchedBuffers == 0)
    }

    /// Like `GstTensorMeta`, this metadata has no transform function, so a copy of the buffer would lose it.
    @Test func bufferWithMetaThatCannotBeCopiedIsKept() throws {
        let buffer = try #require(BoundedPool(bufferSize: 16, count: 1).acquire())
        var tags: [UnsafePointer<gchar>?] = [nil]
        let api = gst_meta_api_type_register("SwiftODTTestMetaAPI", &tags)
        let info = gst_meta_register(
            api, "SwiftODTTestMeta", gsize(MemoryLayout<GstMeta>.size), { _, _, _ in 1 }, nil, nil)
        gst_buffer_add_meta(buffer, info, nil)
        let kept = GstBufferReference.withoutPool(buffer)
        #expect(kept == buffer)
        gst_buffer_unref(kept)
    }

    /// Upstream's pool has too few buffers for the frames that are held after redaction was switched on.
    @Test func framesAreCopiedUntilAllocationIsQueriedAgain() throws {
        let harness = ElementHarness("detector=upstream strategy=every-frame look-ahead=1")
        gst_harness_set_live(harness.harness, 0)
        harness.setCaps()
        harness.queryAllocation()
        let pool = BoundedPool(bufferSize: Int(harness.info.size), count: 2)
        let largerPool = BoundedPool(bufferSize: Int(harness.info.size), count: 100)
        func push(_ number: Int, from pool: BoundedPool) -> Bool {
            guard let buffer = pool.acquire() else { return false }
            buffer.pointee.pts = GstClockTime(number) * 33_333_333
            harness.addRegion(to: buffer, x: 8, y: 6, width: 20, height: 16)
            return harness.push(buffer) == GST_FLOW_OK
        }
        func requests() -> Int {
            var count = 0
            while let event = gst_harness_try_pull_upstream_event(harness.harness) {
                if event.pointee.type == GST_EVENT_RECONFIGURE { count += 1 }
                gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
            }
            return count
        }
        #expect(push(0, from: pool))
        ElementHarness.release(harness.pull(ifThere: true))
        _ = requests()
        harness.set("box-style", "blur")
        for number in 1..<20 { #expect(push(number, from: pool), "\(number)") }
        #expect(gst_harness_buffers_in_queue(harness.harness) == 0)
        #expect(requests() == 1)
        harness.queryAllocation()
        #expect(push(20, from: largerPool))
        #expect(largerPool.freeCount == 99, "frames are still copied")
        #expect(push(21, from: pool))
        #expect(requests() == 0)
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(gst_harness_buffers_in_queue(harness.harness) == 21)
        while let buffer = harness.pull(ifThere: true) { ElementHarness.release(buffer) }
    }

    /// An application that pushes the buffers of its own pool into `appsrc` does not use the answer to a query.
    @Test(arguments: [true, false]) func framesOfSmallPoolAreCopied(isQueried: Bool) {
        let detector = ControlledDetector(capacity: 8)
        let harness = ElementHarness("strategy=every-frame draw=false", source: { .detector(detector) })
        gst_harness_set_live(harness.harness, 0)
        harness.setCaps()
        if isQueried { harness.queryAllocation() }
        let pool = BoundedPool(bufferSize: Int(harness.info.size), count: 2)
        for number in 0..<4 {
            guard let buffer = pool.acquire() else {
                Issue.record("the pool has no buffer for frame \(number)")
                break
            }
            buffer.pointee.pts = GstClockTime(number) * 33_333_333
            #expect(harness.push(buffer) == GST_FLOW_OK)
        }
        detector.answer()
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(gst_harness_buffers_in_queue(harness.harness) == 4)
        while let buffer = harness.pull(ifThere: true) { ElementHarness.release(buffer) }
    }

    /// A source that does not clip pushes the rest of its video behind the last frame of the segment.
    @Test func framesOutsideSegmentCountAsHeldFrames() {
        let detector = SlowDetector(milliseconds: 0, capacity: 8, inputSize: InputSize(width: 32, height: 32))
        let harness = ElementHarness("strategy=every-frame zoom=auto draw=false", source: { .detector(detector) })
        gst_harness_set_live(harness.harness, 0)
        harness.setCaps()
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.stop = 33_333_333
        gst_harness_push_event(harness.harness, gst_event_new_segment(&segment))
        let pool = BoundedPool(bufferSize: Int(harness.info.size), count: 2)
        var passed = 0
        for number in 0..<40 {
            guard let buffer = pool.acquire() else {
                Issue.record("the pool has no buffer for frame \(number)")
                break
            }
            buffer.pointee.pts = GstClockTime(number) * 33_333_333
            #expect(harness.push(buffer) == GST_FLOW_OK)
            passed += harness.takeFrameNumbers().count
        }
        #expect(detector.frames == [0])
        // The frame in the segment is not held until the end of the stream.
        #expect(passed > 20)
    }

    /// If upstream applied downstream's cropping by metadata, inference would run on another picture.
    @Test func cropMetaIsNotProposed() throws { #expect(try !ask(Downstream(crops: true)).crops) }
}
