import CODTGStreamer
import GstFrames
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests copies of GStreamer buffers.
@Suite struct FrameCopyTests {
    @Test func copiedBufferKeepsTimestampAndPixels() throws {
        let harness = ElementHarness("detector=upstream")
        harness.setCaps("NV12", width: 34, height: 18)
        let buffer = harness.buffer(3)
        defer { ElementHarness.release(buffer) }
        let frame = try Frame(copying: buffer, info: harness.info)
        #expect(frame.timestamp == MediaTime(nanoseconds: 99_999_999))
        #expect(frame.format == .nv12 && frame.width == 34 && frame.height == 18)
        let bytes = ElementHarness.bytes(of: buffer)
        frame.withUnsafeBytes(ofPlane: 0) { copy, bytesPerRow in #expect(copy[5 * bytesPerRow + 7] == bytes[5 * 36 + 7])
        }
    }

    @Test func tooSmallBufferIsAnError() {
        let harness = ElementHarness("detector=upstream")
        harness.setCaps("I420", width: 64, height: 48)
        let buffer = gst_buffer_new_allocate(nil, 100, nil)!
        defer { ElementHarness.release(buffer) }
        #expect(throws: ODTError.self) { try Frame(copying: buffer, info: harness.info) }
    }

    /// A GstVideoMeta may contain any offsets and strides. Memory outside the buffer must not be read.
    @Test(arguments: [(0, 1 << 20), (3000, 64), (0, -64), (64 * 48 - 1, 64), (100, 64)])
    func planesOutsideBufferAreAnError(_ offset: Int, _ stride: Int) {
        let harness = ElementHarness("detector=upstream")
        harness.setCaps("GRAY8", width: 64, height: 48)
        let buffer = gst_buffer_new_allocate(nil, 64 * 48, nil)!
        defer { ElementHarness.release(buffer) }
        var offsets = [gsize(offset), 0, 0, 0]
        var strides = [gint(stride), 0, 0, 0]
        gst_buffer_add_video_meta_full(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 64, 48, 1, &offsets, &strides)
        #expect(throws: ODTError.self) { try Frame(copying: buffer, info: harness.info) }
    }

    /// The mapping would log a critical warning.
    @Test func otherNumberOfPlanesIsAnError() {
        let harness = ElementHarness("detector=upstream")
        harness.setCaps()
        let buffer = harness.buffer(0)
        defer { ElementHarness.release(buffer) }
        var (offsets, strides): ([gsize], [gint]) = ([0, 0, 0, 0], [64, 0, 0, 0])
        gst_buffer_add_video_meta_full(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_I420, 64, 48, 1, &offsets, &strides)
        let handler = g_log_set_handler(
            "GStreamer-Video", G_LOG_LEVEL_CRITICAL,
            { _, _, text, _ in Issue.record("\(text.map { String(cString: $0) } ?? "a critical warning")") }, nil)
        defer { g_log_remove_handler("GStreamer-Video", handler) }
        #expect(throws: ODTError.self) { try Frame(copying: buffer, info: harness.info) }
    }

    /// Rows in bottom-up order, as some sources produce, are within the buffer.
    @Test func negativeStrideIsAccepted() throws {
        let harness = ElementHarness("detector=upstream")
        harness.setCaps("GRAY8", width: 64, height: 48)
        let buffer = gst_buffer_new_allocate(nil, 64 * 48, nil)!
        defer { ElementHarness.release(buffer) }
        var offsets: [gsize] = [64 * 47, 0, 0, 0]
        var strides: [gint] = [-64, 0, 0, 0]
        gst_buffer_add_video_meta_full(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 64, 48, 1, &offsets, &strides)
        _ = try Frame(copying: buffer, info: harness.info)
    }
}
