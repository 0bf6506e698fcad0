import CODTGStreamer
import CODTGStreamerCheck
import GstFrames
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests that frames are processed in place: only drawn pixels change, in any format, size and stride.
@Suite struct ElementFormatTests {
    static let formats = PixelFormat.allCases.map { String(cString: gst_video_format_to_string($0.gstreamer)) }
    static let sizes = [(1, 1), (2, 2), (17, 13), (641, 361), (4096, 17)]

    @Test(arguments: formats)
    func frameWithoutObjectsIsUnchanged(_ format: String) {
        for (width, height) in Self.sizes {
            let harness = ElementHarness("detector=upstream")
            harness.setCaps(format, width: width, height: height)
            let before = harness.buffer(0)
            let bytes = ElementHarness.bytes(of: before)
            let after = harness.pass(before)
            #expect(after.map(ElementHarness.bytes) == bytes, "\(format) \(width)x\(height)")
            ElementHarness.release(after)
        }
    }

    @Test(arguments: formats)
    func pixelsAwayFromBoxAreUnchanged(_ format: String) throws {
        let harness = ElementHarness("detector=upstream multiple-objects=true track-min-hits=1 draw-labels=false")
        harness.setCaps(format, width: 641, height: 361)
        let buffer = harness.buffer(0)
        let before = ElementHarness.bytes(of: buffer)
        harness.addRegion(to: buffer, x: 201, y: 101, width: 99, height: 77)
        let output = try #require(harness.pass(buffer))
        let after = ElementHarness.bytes(of: output)
        ElementHarness.release(output)
        let (changed, planes) = changedRows(before, after, info: harness.info)
        #expect(!changed.isEmpty, "a box is drawn")
        #expect(planes == (format.hasPrefix("GRAY") ? 1 : Int(harness.info.finfo.pointee.n_planes)))
        #expect(changed.allSatisfy { (85...195).contains($0) }, "rows \(changed.min() ?? 0) to \(changed.max() ?? 0)")
    }

    /// Returns the rows that changed, and the number of planes in which they did.
    private func changedRows(_ before: [UInt8], _ after: [UInt8], info: GstVideoInfo) -> (Set<Int>, Int) {
        var rows: Set<Int> = []
        var planes: Set<Int> = []
        let count = Int(info.finfo.pointee.n_planes)
        let offsets = (0..<count).map { plane in
            withUnsafeBytes(of: info.offset) { Int($0.bindMemory(to: gsize.self)[plane]) }
        }
        let strides = (0..<count).map { plane in
            withUnsafeBytes(of: info.stride) { Int($0.bindMemory(to: gint.self)[plane]) }
        }
        for index in before.indices where before[index] != after[index] {
            let plane = (0..<count).last { offsets[$0] <= index }!
            planes.insert(plane)
            let row = (index - offsets[plane]) / strides[plane]
            let halved = plane > 0 && PixelFormat(info.finfo.pointee.format)?.components.second.shiftY == 1
            rows.insert(halved ? row * 2 : row)
        }
        return (rows, planes.count)
    }
}

extension FormatTests {
    /// Padded strides and plane offsets are given by a GstVideoMeta. Padding must not change.
    @Test(arguments: ["I420", "NV12", "BGRx"])
    func paddedPlanesAreReadThroughVideoMeta(_ format: String) throws {
        let harness = ElementHarness("detector=upstream multiple-objects=true track-min-hits=1 draw-labels=false")
        harness.setCaps(format, width: 101, height: 67)
        var info = harness.info
        let count = Int(info.finfo.pointee.n_planes)
        var offsets: [gsize] = []
        var strides: [gint] = []
        var size = 64
        for plane in 0..<count {
            let packed = withUnsafeBytes(of: info.stride) { Int($0.bindMemory(to: gint.self)[plane]) }
            offsets.append(gsize(size))
            strides.append(gint(packed + 48))
            size += (packed + 48) * 67 + 32
        }
        let buffer = gst_buffer_new_allocate(nil, gsize(size), nil)!
        gst_buffer_memset(buffer, 0, 0x55, gsize(size))
        buffer.pointee.pts = 0
        gst_buffer_add_video_meta_full(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, info.finfo.pointee.format, 101, 67, guint(count), &offsets, &strides)
        harness.addRegion(to: buffer, x: 20, y: 10, width: 40, height: 30)
        let output = try #require(harness.pass(buffer))
        defer { ElementHarness.release(output) }
        let bytes = ElementHarness.bytes(of: output)
        #expect(bytes.prefix(64).allSatisfy { $0 == 0x55 }, "before the first plane")
        let packed = withUnsafeBytes(of: &info.stride) { Int($0.bindMemory(to: gint.self)[0]) }
        let rowBytes = format == "BGRx" ? 404 : 101
        #expect(packed >= rowBytes)
        var changed = 0
        for row in 0..<67 {
            let start = Int(offsets[0]) + row * Int(strides[0])
            changed += bytes[start..<start + rowBytes].count { $0 != 0x55 }
            #expect(
                bytes[start + rowBytes..<start + Int(strides[0])].allSatisfy { $0 == 0x55 }, "padding of row \(row)")
        }
        #expect(changed > 100)
    }
}
