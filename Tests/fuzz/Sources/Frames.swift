import CODTGStreamer
import GstFrames

@testable import GstSwiftODT
@testable import SwiftODT

private let isReady: Bool = {
    gst_init(nil, nil)
    return true
}()

/// Maps buffers of any format and size, with any offsets and strides in their metadata. A frame that is accepted is
/// copied, reduced and converted to a network's input, and some are drawn on.
func fuzzFrame(_ bytes: FuzzedBytes) -> CInt {
    precondition(isReady)
    var bytes = bytes
    let format = PixelFormat.allCases[bytes.next(below: PixelFormat.allCases.count)]
    let known = format.gstreamer
    let (width, height) = (UInt32(1 + bytes.next(below: 70)), UInt32(1 + bytes.next(below: 70)))
    var info = GstVideoInfo()
    guard gst_video_info_set_format(&info, known, width, height) != 0, let stream = StreamFormat(info) else { return 0 }
    let full = Int(info.size)
    let size = bytes.next(UInt8.self) & 3 == 0 ? bytes.next(below: full + 1) : full
    guard let buffer = gst_buffer_new_allocate(nil, gsize(max(1, size)), nil) else { return 0 }
    defer { gst_mini_object_unref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self)) }
    gst_buffer_memset(buffer, 0, bytes.next(), gsize(max(1, size)))
    if bytes.next(UInt8.self) & 3 != 0 {
        var offsets = withUnsafeBytes(of: info.offset) { Array($0.bindMemory(to: gsize.self)) }
        var strides = withUnsafeBytes(of: info.stride) { Array($0.bindMemory(to: gint.self)) }
        for plane in 0..<4 where bytes.next(UInt8.self) & 1 == 1 {
            switch bytes.next(UInt8.self) & 3 {
            case 0: strides[plane] = bytes.next()
            case 1: strides[plane] = gint(bytes.next(Int8.self))
            case 2: offsets[plane] = gsize(bytes.next(UInt16.self))
            default: offsets[plane] = bytes.next()
            }
        }
        gst_buffer_add_video_meta_full(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, known, width &+ guint(bytes.next(below: 3)), height,
            UInt32(format.planeCount), &offsets, &strides)
    }
    let orientation = Orientation.allCases[bytes.next(below: 8)]
    let box = Box(
        x: Double(bytes.next(Int16.self)), y: Double(bytes.next(Int16.self)), width: Double(bytes.next(UInt16.self)),
        height: Double(bytes.next(UInt16.self)))
    let isDrawn = bytes.next(UInt8.self) & 3 == 0
    _ = try? stream.withFrame(of: buffer, writable: isDrawn, orientation: orientation, time: 0) { frame in
        _ = try Picture(copying: frame)
        _ = LumaPlane.reduce(frame, maximumSide: 16)
        let input = NetworkInput(width: 24, height: 16, fit: .letterboxCentered(fill: 9))
        var tensor = [Float](repeating: 0, count: 3 * 24 * 16)
        try tensor.withUnsafeMutableBytes { tensor in
            guard let base = tensor.baseAddress else { return }
            _ = try InputFiller(input: input, bytes: false).fill(base, from: frame, region: box)
        }
        if isDrawn {
            let object = AnnotatedObject(
                id: 1, box: box, label: "x", category: .unknown, confidence: nil, score: 0.5)
            var options = AnnotatorOptions()
            options.drawLabels = false
            Annotator().draw([object], options: options, into: frame)
        }
    }
    return 0
}
