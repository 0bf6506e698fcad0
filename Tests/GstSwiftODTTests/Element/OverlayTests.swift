import CODTGStreamer
import CODTGStreamerCheck
import GstFrames
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests drawing as overlay compositions, which leaves frames unchanged.
@Suite struct OverlayTests {
    typealias Buffer = ElementHarness.Buffer

    private static func composition(of buffer: Buffer) -> OpaquePointer? {
        gst_buffer_get_meta(buffer, gst_video_overlay_composition_meta_api_get_type()).map {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: GstVideoOverlayCompositionMeta.self).pointee.overlay
        }
    }

    private static func rectangles(of buffer: Buffer) -> [OpaquePointer] {
        guard let composition = composition(of: buffer) else { return [] }
        return (0..<gst_video_overlay_composition_n_rectangles(composition)).compactMap {
            gst_video_overlay_composition_get_rectangle(composition, $0)
        }
    }

    private static func hasOverlayCaps(_ harness: ElementHarness) -> Bool {
        guard let caps = gst_pad_get_current_caps(harness.harness.pointee.sinkpad) else { return false }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(caps).assumingMemoryBound(to: GstMiniObject.self)) }
        return CapsNegotiation.hasOverlay(caps)
    }

    private static func announceOverlays(_ harness: ElementHarness) {
        gst_harness_add_propose_allocation_meta(
            harness.harness, gst_video_overlay_composition_meta_api_get_type(), nil)
    }

    private static func harness(
        _ properties: String, format: String = "I420", announces: Bool = true
    ) -> ElementHarness {
        let harness = ElementHarness("detector=upstream " + properties)
        if announces { announceOverlays(harness) }
        harness.setCaps(format, width: 160, height: 120)
        return harness
    }

    private static func frame(_ harness: ElementHarness, _ number: Int = 0) -> Buffer {
        let buffer = harness.buffer(number)
        harness.addRegion(to: buffer, x: 40, y: 40, width: 60, height: 50)
        return buffer
    }

    /// The frame is referenced elsewhere, so drawing into it would copy it.
    @Test(arguments: ["overlay", "auto"]) func overlayNeitherChangesNorCopiesFrame(_ mode: String) throws {
        let harness = Self.harness("draw-mode=\(mode)")
        let buffer = Self.frame(harness)
        let (bytes, memory) = (ElementHarness.bytes(of: buffer), gst_buffer_peek_memory(buffer, 0))
        let output = try #require(harness.pass(gst_buffer_copy(buffer)))
        #expect(gst_buffer_peek_memory(output, 0) == memory)
        #expect(ElementHarness.bytes(of: output) == bytes)
        #expect(Self.rectangles(of: output).count > 4)
        #expect(Self.hasOverlayCaps(harness))
        #expect(try harness.counters()[structure: "times"]?[structure: "copy"]?[uint64: "max"] == 0)
        #expect(harness.takeMessage(GST_MESSAGE_WARNING) == nil)
        ElementHarness.release(output)
        ElementHarness.release(buffer)
    }

    @Test func autoBlendsWhereNothingAnnouncesOverlays() throws {
        let harness = Self.harness("draw-mode=auto", announces: false)
        let buffer = Self.frame(harness)
        let bytes = ElementHarness.bytes(of: buffer)
        let output = try #require(harness.pass(buffer))
        #expect(Self.composition(of: output) == nil && ElementHarness.bytes(of: output) != bytes)
        #expect(!Self.hasOverlayCaps(harness))
        ElementHarness.release(output)
    }

    /// Another element downstream may be able to blend.
    @Test(arguments: [true, false]) func autoNegotiatesAgainAfterReconfiguration(queriesAllocation: Bool) throws {
        let harness = Self.harness("draw-mode=auto", announces: false)
        ElementHarness.release(harness.pass(Self.frame(harness)))
        Self.announceOverlays(harness)
        gst_harness_push_upstream_event(harness.harness, gst_event_new_reconfigure())
        if queriesAllocation { harness.queryAllocation() }
        let output = try #require(harness.pass(Self.frame(harness, 1)))
        #expect(Self.composition(of: output) != nil && Self.hasOverlayCaps(harness))
        ElementHarness.release(output)
    }

    /// While downstream flushes, it does not answer whether it blends overlays.
    @Test(arguments: ["overlay", "auto"]) func flushDuringNegotiationKeepsOverlays(_ mode: String) throws {
        let harness = Self.harness("draw-mode=\(mode)")
        ElementHarness.release(harness.pass(Self.frame(harness)))
        gst_pad_add_probe(
            harness.harness.pointee.sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
            { _, info, data in
                guard gst_pad_probe_info_get_query(info)?.pointee.type == GST_QUERY_ALLOCATION else {
                    return GST_PAD_PROBE_OK
                }
                gst_harness_push_event(data?.assumingMemoryBound(to: GstHarness.self), gst_event_new_flush_start())
                return GST_PAD_PROBE_REMOVE
            }, harness.harness, nil)
        gst_harness_push_upstream_event(harness.harness, gst_event_new_reconfigure())
        harness.push(Self.frame(harness, 1))
        harness.endFlush()
        while let output = harness.pull(ifThere: true) { ElementHarness.release(output) }
        let output = try #require(harness.pass(Self.frame(harness, 2)))
        #expect(Self.composition(of: output) != nil && Self.hasOverlayCaps(harness))
        #expect(harness.takeMessage(GST_MESSAGE_WARNING) == nil)
        ElementHarness.release(output)
    }

    /// The application links an element without support for overlays while frames are held, with or without a frame
    /// after that.
    @Test(arguments: [true, false]) func heldFramesPassToElementWithoutOverlaySupport(hasFrame: Bool) {
        let harness = Self.harness("draw-mode=auto box-style=blur strategy=every-frame")
        gst_harness_set_live(harness.harness, 0)
        for number in 0..<5 { harness.push(Self.frame(harness, number)) }
        #expect(Self.hasOverlayCaps(harness))
        #expect(gst_harness_buffers_in_queue(harness.harness) == 0)
        gst_harness_set_sink_caps_str(harness.harness, "video/x-raw,format=I420,width=160,height=120")
        if hasFrame { #expect(harness.push(Self.frame(harness, 5)) == GST_FLOW_OK) }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(!Self.hasOverlayCaps(harness))
        #expect(gst_harness_buffers_in_queue(harness.harness) == (hasFrame ? 6 : 5))
        while let output = harness.pull(ifThere: true) {
            #expect(Self.composition(of: output) == nil)
            ElementHarness.release(output)
        }
        #expect(harness.takeMessage(GST_MESSAGE_ERROR) == nil)
    }

    /// The application links an element without support for overlays while other caps are queued behind held frames.
    /// The next frame, allocation query or EOS event negotiates the held frames with their own caps.
    @Test(arguments: ["frame", "query", "end"])
    func heldFramesBeforeQueuedCapsPassToElementWithoutOverlaySupport(next: String) {
        let harness = Self.harness("draw-mode=auto box-style=blur strategy=every-frame")
        gst_harness_set_live(harness.harness, 0)
        harness.watchBufferSizes()
        for number in 0..<5 { harness.push(Self.frame(harness, number)) }
        harness.setCaps(width: 128, height: 96)
        harness.push(Self.frame(harness, 5))
        #expect(gst_harness_buffers_in_queue(harness.harness) == 0)
        harness.relink("video/x-raw,format=I420")
        if next == "frame" { #expect(harness.push(Self.frame(harness, 6)) == GST_FLOW_OK) }
        if next == "query" { harness.queryAllocation() }
        #expect(gst_harness_buffers_in_queue(harness.harness) == 0, "frames are still held")
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        #expect(gst_harness_buffers_in_queue(harness.harness) == (next == "frame" ? 7 : 6))
        #expect(harness.mismatchedBuffers == 0)
        #expect(!Self.hasOverlayCaps(harness))
        while let output = harness.pull(ifThere: true) {
            #expect(Self.composition(of: output) == nil)
            ElementHarness.release(output)
        }
        #expect(harness.takeMessage(GST_MESSAGE_ERROR) == nil)
    }

    @Test func overlayWarnsOnceIfNothingAnnouncesOverlays() throws {
        let harness = Self.harness("draw-mode=overlay", announces: false)
        let output = try #require(harness.pass(Self.frame(harness)))
        #expect(Self.composition(of: output) != nil)
        #expect(harness.takeMessage(GST_MESSAGE_WARNING)?.contains("draw-mode=auto") == true)
        ElementHarness.release(output)
        harness.setCaps("I420", width: 200, height: 150)
        ElementHarness.release(harness.pass(Self.frame(harness)))
        #expect(harness.takeMessage(GST_MESSAGE_WARNING) == nil)
    }

    @Test func overlayOfUpstreamStaysBelow() throws {
        let harness = Self.harness("draw-mode=overlay")
        let buffer = Self.frame(harness)
        let pixels = gst_buffer_new_allocate(nil, 64, nil)!
        gst_buffer_memset(pixels, 0, 0xFF, 64)
        gst_buffer_add_video_meta(pixels, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_BGRA, 4, 4)
        let rectangle = gst_video_overlay_rectangle_new_raw(
            pixels, 0, 0, 4, 4, GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA)
        let composition = gst_video_overlay_composition_new(rectangle)
        gst_buffer_add_video_overlay_composition_meta(buffer, composition)
        let output = try #require(harness.pass(buffer))
        let all = Self.rectangles(of: output)
        #expect(all.count > 5 && all.first == rectangle)
        ElementHarness.release(output)
        gst_video_overlay_composition_unref(composition)
        gst_video_overlay_rectangle_unref(rectangle)
        ElementHarness.release(pixels)
    }

    /// The picture blended downstream equals what the element would have drawn itself.
    @Test(arguments: [
        "", "box-style=rounded", "box-style=corners", "box-style=filled", "orientation=90r", "label-background=false",
        "draw-traces=true draw-inference-regions=true",
        #"zones="[{\"name\":\"z\",\"points\":[[0.1,0.1],[0.9,0.1],[0.9,0.9]]}]""#,
    ])
    func blendedOverlayEqualsDrawing(_ properties: String) throws {
        var pictures: [[UInt8]] = []
        for mode in ["blend", "overlay"] {
            let harness = Self.harness("draw-mode=\(mode) " + properties, format: "BGR")
            for number in 0..<2 { ElementHarness.release(harness.pass(Self.frame(harness, number))) }
            var output = try #require(harness.pass(Self.frame(harness, 2)))
            if let composition = Self.composition(of: output) {
                output = GstBufferReference.makeWritable(output)
                var (mapped, info) = (GstVideoFrame(), harness.info)
                let flags = GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
                #expect(gst_video_frame_map(&mapped, &info, output, flags) != 0)
                #expect(gst_video_overlay_composition_blend(composition, &mapped) != 0)
                gst_video_frame_unmap(&mapped)
            }
            pictures.append(ElementHarness.bytes(of: output))
            ElementHarness.release(output)
        }
        let original = ElementHarness.bytes(of: Self.frame(Self.harness("", format: "BGR")))
        let changed = original.indices.filter { pictures[0][$0] != original[$0] }
        let different = original.indices.filter { abs(Int(pictures[0][$0]) - Int(pictures[1][$0])) > 3 }
        #expect(changed.count > 500)
        #expect(different.isEmpty, "\(different.count) of \(changed.count) differ")
    }

    /// Redaction must not depend on an element downstream.
    @Test func redactionIsWrittenIntoPixels() throws {
        let harness = Self.harness("draw-mode=overlay box-style=pixelate")
        let buffer = Self.frame(harness)
        let kept = gst_buffer_copy(buffer)!
        let output = try #require(harness.pass(buffer))
        let (before, after) = (ElementHarness.bytes(of: kept), ElementHarness.bytes(of: output))
        let inside = (50..<80).flatMap { y in (50..<90).map { y * 160 + $0 } }
        #expect(inside.filter { before[$0] != after[$0] }.count > inside.count / 2)
        #expect(before[5 * 160 + 5] == after[5 * 160 + 5])
        #expect(Self.composition(of: output) != nil)
        #expect(try harness.counters()[uint64: "redacted"] == 1)
        ElementHarness.release(output)
        ElementHarness.release(kept)
    }

    // MARK: Reuse

    /// Draws with one annotator on buffers without pixels.
    private static func draw(_ objects: [AnnotatedObject], with annotator: Annotator, at time: Nanoseconds) -> Buffer {
        _ = ElementHarness.isReady
        var info = GstVideoInfo()
        gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, 640, 480)
        let buffer = gst_buffer_new()!
        let canvas = Canvas(overlayOn: StreamFormat(info)!, orientation: .identity, interlaced: false)
        annotator.attach(objects, options: AnnotatorOptions(), to: buffer, canvas: canvas, time: time)
        return buffer
    }

    private static let boxes = [
        AnnotatedObject(id: 1, box: Box(x: 100, y: 100, width: 80, height: 60), label: "cat"),
        AnnotatedObject(id: 2, box: Box(x: 300, y: 200, width: 80, height: 60), label: "dog"),
    ]

    @Test func unchangedDrawingIsSameComposition() {
        let annotator = Annotator()
        let buffers = (0..<3).map { Self.draw(Self.boxes, with: annotator, at: Nanoseconds($0) * 40_000_000) }
        #expect(Self.composition(of: buffers[0]) == Self.composition(of: buffers[2]))
        for buffer in buffers { ElementHarness.release(buffer) }
    }

    @Test func movedRectanglesShareTheirPixels() {
        let annotator = Annotator()
        func pixels(_ rectangle: OpaquePointer) -> Buffer? {
            gst_video_overlay_rectangle_get_pixels_unscaled_raw(
                rectangle, GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA)
        }
        let first = Self.draw(Self.boxes, with: annotator, at: 0)
        var moved = Self.boxes
        moved[1].box.x += 8
        let second = Self.draw(moved, with: annotator, at: 40_000_000)
        let (before, after) = (Self.rectangles(of: first), Self.rectangles(of: second))
        #expect(before.count == after.count && before.map(pixels) == after.map(pixels))
        // Four lines and the label of the object that has not moved.
        #expect(Set(before).intersection(after).count == 5)
        ElementHarness.release(first)
        ElementHarness.release(second)
    }
}
