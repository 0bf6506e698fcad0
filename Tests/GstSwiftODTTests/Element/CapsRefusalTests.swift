import CODTGStreamer
import CODTGStreamerCheck
import Testing

@testable import GstSwiftODT

/// Tests that caps in device memory post an error that names the missing converter.
@Suite struct CapsRefusalTests {
    /// Sends caps without a query first; returns whether they were accepted, and the posted error.
    private static func send(_ text: String) throws -> (taken: Bool, error: String?) {
        let harness = ElementHarness("detector=upstream")
        gst_harness_play(harness.harness)
        gst_harness_push_event(harness.harness, gst_event_new_stream_start("stream"))
        let caps = try #require(gst_caps_from_string(text))
        gst_harness_push_event(harness.harness, gst_event_new_caps(caps))
        gst_mini_object_unref(UnsafeMutableRawPointer(caps).assumingMemoryBound(to: GstMiniObject.self))
        let pad = try #require(gst_element_get_static_pad(harness.element, "sink"))
        defer { gst_object_unref(pad) }
        let taken = gst_pad_has_current_caps(pad) != 0
        return (taken, harness.takeMessage(GST_MESSAGE_ERROR))
    }

    @Test(arguments: [
        ("video/x-raw(memory:VAMemory),format=NV12", "vapostproc ! video/x-raw"),
        ("video/x-raw(memory:DMABuf),format=NV12", "vapostproc"),
        ("video/x-raw(memory:GLMemory),format=RGBA,texture-target=2D", "gldownload"),
        ("video/x-raw(memory:CUDAMemory),format=P010_10LE", "cudadownload"),
        ("video/x-raw(memory:D3D11Memory),format=NV12", "d3d11download"),
        ("video/x-raw(memory:NVMM),format=NV12", "nvvidconv"),
        ("video/x-raw(memory:Elsewhere),format=I420", "into system memory"),
        ("video/x-raw,format=v210", "videoconvert"),
    ])
    func errorNamesConverterElement(_ caps: String, _ remedy: String) throws {
        let (taken, error) = try Self.send(caps + ",width=64,height=48,framerate=30/1")
        #expect(!taken)
        #expect(error?.contains("put \(remedy)") == true || error?.contains(remedy) == true, "\(error ?? "no error")")
    }

    /// Some elements send refused caps again with every frame.
    @Test func repeatedCapsPostOneError() throws {
        let harness = ElementHarness("detector=upstream")
        gst_harness_play(harness.harness)
        gst_harness_push_event(harness.harness, gst_event_new_stream_start("stream"))
        let caps = try #require(
            gst_caps_from_string("video/x-raw(memory:GLMemory),format=RGBA,width=64,height=48,framerate=30/1"))
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(caps).assumingMemoryBound(to: GstMiniObject.self)) }
        for _ in 0..<3 { gst_harness_push_event(harness.harness, gst_event_new_caps(caps)) }
        #expect(harness.takeMessage(GST_MESSAGE_ERROR)?.contains("gldownload") == true)
        #expect(harness.takeMessage(GST_MESSAGE_ERROR) == nil)
    }

    @Test func systemMemoryCapsAreAccepted() throws {
        for features in ["", "(memory:SystemMemory)", "(memory:SystemMemory, meta:GstVideoOverlayComposition)"] {
            let (taken, error) = try Self.send(
                "video/x-raw\(features),format=P010_10LE,width=64,height=48,framerate=30/1")
            #expect(taken)
            #expect(error == nil)
        }
    }

    /// Converters probe with accept-caps queries, which must not post an error.
    @Test func acceptCapsQueryPostsNoError() throws {
        let harness = ElementHarness("detector=upstream")
        let caps = try #require(
            gst_caps_from_string("video/x-raw(memory:VAMemory),format=NV12,width=64,height=48,framerate=30/1"))
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(caps).assumingMemoryBound(to: GstMiniObject.self)) }
        let pad = try #require(gst_element_get_static_pad(harness.element, "sink"))
        defer { gst_object_unref(pad) }
        #expect(gst_pad_query_accept_caps(pad, caps) == 0)
        #expect(harness.takeMessage(GST_MESSAGE_ERROR) == nil)
        harness.setCaps("I420")
        let output = harness.pass(harness.buffer(0))
        #expect(output != nil)
        ElementHarness.release(output)
    }
}
