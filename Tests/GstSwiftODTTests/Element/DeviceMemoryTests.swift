import CODTGStreamer
import CODTGStreamerCheck
import Testing

@testable import GstSwiftODT

/// Tests that frames in the memory of a device pass if no pixels are needed, and are an error otherwise.
@Suite struct DeviceMemoryTests {
    private static func harness(_ properties: String, caps: String = DeviceMemory.caps) -> ElementHarness {
        let harness = ElementHarness(properties)
        gst_harness_set_src_caps_str(harness.harness, caps)
        return harness
    }

    private static func outputCaps(_ harness: ElementHarness) -> String? {
        guard let caps = gst_pad_get_current_caps(harness.harness.pointee.sinkpad) else { return nil }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(caps).assumingMemoryBound(to: GstMiniObject.self)) }
        let text = gst_caps_to_string(caps)!
        defer { g_free(text) }
        return String(cString: text)
    }

    @Test(arguments: ["draw=false", "draw-mode=overlay", "draw-mode=auto", "draw=false tracking=false"])
    func frameIsNeverMapped(_ properties: String) throws {
        let device = DeviceMemory()
        let harness = Self.harness("detector=upstream " + properties)
        for number in 0..<3 {
            let buffer = device.buffer(number)
            let memory = gst_buffer_peek_memory(buffer, 0)
            harness.addRegion(to: buffer, x: 8, y: 8, width: 24, height: 24)
            let output = try #require(harness.pass(buffer))
            #expect(gst_buffer_peek_memory(output, 0) == memory)
            let isDrawn = gst_buffer_get_meta(output, gst_video_overlay_composition_meta_api_get_type()) != nil
            #expect(isDrawn == !properties.contains("draw=false"))
            ElementHarness.release(output)
        }
        let messages = harness.messages("swiftodt")
        #expect(messages.count == 3 && messages.allSatisfy { $0.objects.count == 1 })
        #expect(device.mapCount == 0)
        #expect(Self.outputCaps(harness)?.contains("memory:Device") == true)
    }

    /// The format of some device memory is described by other fields than those of system memory.
    @Test func deviceMemoryOfUnknownFormatPassesUnmapped() {
        let device = DeviceMemory()
        let harness = Self.harness(
            "detector=upstream draw=false map-memory=true",
            caps: "video/x-raw(memory:Device),format=Secret,width=64,height=48,framerate=30/1")
        ElementHarness.release(harness.pass(device.buffer(0)))
        #expect(device.mapCount == 0)
        #expect(harness.messages("swiftodt").count == 1)
    }

    @Test(arguments: [true, false]) func mapMemoryReadsFramesOrPassesThem(_ isMappable: Bool) throws {
        let device = DeviceMemory(isMappable: isMappable)
        let harness = Self.harness("detector=upstream draw=false map-memory=true")
        for number in 0..<2 {
            let buffer = device.buffer(number)
            harness.addRegion(to: buffer, x: 8, y: 8, width: 24, height: 24)
            ElementHarness.release(harness.pass(buffer))
        }
        #expect(device.mapCount >= 2)
        #expect(harness.messages("swiftodt").count == 2)
        #expect(try harness.counters()[uint64: "unreadable"] == 0)
    }

    @Test(arguments: [
        "", "draw=false classify=true", "draw=false unknown-objects=moving", "draw-mode=overlay box-style=blur",
    ])
    func neededPixelsRefuseDeviceMemory(_ properties: String) {
        let harness = Self.harness("detector=upstream " + properties)
        #expect(harness.push(DeviceMemory().buffer(0)) == GST_FLOW_NOT_NEGOTIATED)
        let error = harness.takeMessage(GST_MESSAGE_ERROR)
        #expect(
            error?.contains("memory:Device") == true && error?.contains("before swiftodt") == true, "\(error ?? "")")
    }

    @Test(arguments: [("unknown-objects", "moving"), ("box-style", "blur"), ("draw", "true")])
    func propertyThatNeedsPixelsLaterIsError(_ property: String, _ value: String) {
        let device = DeviceMemory()
        let harness = Self.harness("detector=upstream draw=false privacy-strict=false")
        ElementHarness.release(harness.pass(device.buffer(0)))
        harness.set(property, value)
        #expect(harness.push(device.buffer(1)) == GST_FLOW_ERROR)
        let error = harness.takeMessage(GST_MESSAGE_ERROR)
        #expect(
            error?.contains("memory:Device") == true && error?.contains("before swiftodt") == true, "\(error ?? "")")
    }

    @Test func elementThatNeverWritesIsPassthrough() {
        let harness = ElementHarness("detector=upstream draw=false attach-meta=0")
        harness.setCaps()
        let base = UnsafeMutableRawPointer(harness.element).assumingMemoryBound(to: GstBaseTransform.self)
        let buffer = harness.buffer(0)
        #expect(harness.pass(buffer) == buffer)
        #expect(gst_base_transform_is_passthrough(base) != 0)
        ElementHarness.release(buffer)
        harness.set("draw", "true")
        ElementHarness.release(harness.pass(harness.buffer(1)))
        #expect(gst_base_transform_is_passthrough(base) == 0)
    }
}
