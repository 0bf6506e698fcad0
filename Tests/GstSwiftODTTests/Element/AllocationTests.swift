import CGStreamer
import CGStreamerCheck
import TestSupport
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Protects what upstream is told of buffers: that some wait here, and what may be in them. A pool too small for both never gives another one.
@Suite struct AllocationTests {
    /// What downstream answers.
    private struct Downstream {
        var answers = true
        /// Of its pool.
        var buffers: (minimum: guint, maximum: guint)?
        var crops = false
        var readsPadded = false
    }

    /// What upstream is told.
    private struct Told {
        var isAnswered = false
        var hasPool = false
        var minimum: guint = 0
        var maximum: guint = 0
        var crops = false
        var isPadded = false
    }

    /// - Parameter held: how many frames wait in the element.
    private func ask(_ downstream: Downstream, held: Int = 3) throws -> Told {
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
        var told = Told()
        told.isAnswered = gst_pad_peer_query(harness.harness.pointee.srcpad, query) != 0
        #expect(gst_query_get_n_allocation_pools(query) == 1)
        var pool: UnsafeMutablePointer<GstBufferPool>?
        var size: guint = 0
        gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &told.minimum, &told.maximum)
        #expect(size >= 64 * 48 * 3 / 2)
        told.hasPool = pool != nil
        if let pool { gst_object_unref(pool) }
        told.crops = gst_query_find_allocation_meta(query, gst_video_crop_meta_api_get_type(), nil) != 0
        told.isPadded = gst_query_find_allocation_meta(query, gst_video_meta_api_get_type(), nil) != 0
        withExtendedLifetime(answer) {}
        return told
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
                gst_query_add_allocation_pool(query, pool, 64 * 48 * 3 / 2, buffers.minimum, buffers.maximum)
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
        let told = try ask(Downstream(answers: answers))
        #expect(told.isAnswered)
        #expect(!told.hasPool)
        #expect(told.minimum == 3)
        #expect(told.maximum == 0)
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

    /// All its buffers would wait here, and upstream for the next one, for ever.
    @Test(arguments: [(2, 2), (2, 4), (0, 2)] as [(guint, guint)])
    func tooSmallPoolIsNotProposed(_ minimum: guint, _ maximum: guint) throws {
        let told = try ask(Downstream(buffers: (minimum, maximum)))
        #expect(!told.hasPool)
        #expect(told.minimum == minimum + 3)
        #expect(told.maximum == 0)
    }

    /// Who takes frames as they lie in memory is not to get them padded: they go on as they came.
    @Test(arguments: [true, false]) func videoMetaIsProposedWhenDownstreamSupportsIt(_ can: Bool) throws {
        #expect(try ask(Downstream(readsPadded: can)).isPadded == can)
        #expect(try !ask(Downstream(answers: false)).isPadded)
    }

    /// Where downstream crops what it is given, upstream does not: the picture that is looked at would be another one.
    @Test func cropMetaIsNotProposed() throws { #expect(try !ask(Downstream(crops: true)).crops) }
}
