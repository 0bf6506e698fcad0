import CODTGStreamer
import GstFrames

@testable import GstSwiftODT
@testable import SwiftODT

/// The memory of a frame in any pixel format, in GStreamer's layout or with additional padding.
final class FormatPicture {
    let format: PixelFormat
    let width: Int
    let height: Int
    let colorSpace: ColorSpace
    private var info: GstVideoInfo
    private let offsets: [Int]
    private let strides: [Int]
    private let memory: UnsafeMutableRawBufferPointer

    private static let gstreamer: Void = {
        gst_init(nil, nil)
        // Registers the enumeration type that the converter's options refer to by name.
        _ = gst_video_chroma_mode_get_type()
    }()

    /// - Parameter padding: the number of additional bytes after each row and before each plane.
    init(
        _ format: PixelFormat, width: Int, height: Int, padding: Int = 0,
        colorSpace: ColorSpace = .standardDefinition
    ) {
        FormatPicture.gstreamer
        self.format = format
        self.width = width
        self.height = height
        self.colorSpace = colorSpace
        var info = GstVideoInfo()
        gst_video_info_set_format(&info, format.gstreamer, guint(width), guint(height))
        if format.isYUV {
            info.colorimetry.matrix = FormatPicture.matrix(colorSpace.matrix)
            info.colorimetry.range = colorSpace.fullRange ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235
        }
        var (size, strides, offsets) = (0, [Int](), [Int]())
        withUnsafeMutableBytes(of: &info.stride) { bytes in
            let known = bytes.bindMemory(to: Int32.self)
            for plane in 0..<format.planeCount {
                known[plane] += Int32(padding)
                strides.append(Int(known[plane]))
                offsets.append(size + padding)
                size += padding + strides[plane] * format.extent(ofPlane: plane, width: width, height: height).rows
            }
        }
        withUnsafeMutableBytes(of: &info.offset) { bytes in
            for (plane, offset) in offsets.enumerated() { bytes.bindMemory(to: Int.self)[plane] = offset }
        }
        info.size = gsize(size)
        self.info = info
        self.strides = strides
        self.offsets = offsets
        memory = .allocate(byteCount: size, alignment: 16)
    }

    deinit { memory.deallocate() }

    private static func matrix(_ matrix: ColorSpace.Matrix) -> GstVideoColorMatrix {
        switch matrix {
        case .bt601: GST_VIDEO_COLOR_MATRIX_BT601
        case .bt709: GST_VIDEO_COLOR_MATRIX_BT709
        case .bt2020: GST_VIDEO_COLOR_MATRIX_BT2020
        case .smpte240m: GST_VIDEO_COLOR_MATRIX_SMPTE240M
        case .fcc: GST_VIDEO_COLOR_MATRIX_FCC
        }
    }

    var bytes: [UInt8] { [UInt8](memory) }

    /// Returns the index in ``bytes`` of a component of a pixel; of its first byte if it has two.
    func index(_ component: PixelComponent, _ x: Int, _ y: Int) -> Int {
        offsets[component.plane] + (y >> component.shiftY) * strides[component.plane]
            + ((x >> component.shiftX) * component.step + component.offset) * format.depth.bytes
    }

    /// Returns a component of a pixel, 0 to the format's white.
    func sample(_ component: PixelComponent, _ x: Int, _ y: Int) -> Int {
        let (start, depth) = (index(component, x, y), format.depth)
        if depth.bytes == 1 { return Int(memory[start]) }
        return Int(memory.loadUnaligned(fromByteOffset: start, as: UInt16.self)) >> depth.shift & depth.white
    }

    func set(_ component: PixelComponent, _ x: Int, _ y: Int, to sample: Int) {
        let (start, depth) = (index(component, x, y), format.depth)
        if depth.bytes == 1 {
            memory[start] = UInt8(sample)
        } else {
            memory.storeBytes(of: UInt16(sample << depth.shift), toByteOffset: start, as: UInt16.self)
        }
    }

    /// Fills all bytes, padding included, with noise.
    func fillWithNoise(opaque: Bool = true) {
        var state: UInt32 = 12345
        for index in memory.indices {
            state = state &* 1_664_525 &+ 1_013_904_223
            memory[index] = UInt8(state >> 24)
        }
        if opaque { setAlpha(255) }
    }

    /// - Parameter alpha: 0 to 255.
    func setAlpha(_ alpha: UInt8) {
        guard let component = format.layout.alpha else { return }
        for y in 0..<height {
            for x in 0..<width { set(component, x, y, to: Int(alpha) * format.depth.white / 255) }
        }
    }

    /// Fills the picture with a grey that is the same in all formats except for rounding.
    func fill(grey: UInt8) {
        memory.initializeMemory(as: UInt8.self, repeating: grey)
        let (components, white) = (format.components, Double(format.depth.white))
        let neutral = 1 << (format.depth.bits - 1)
        let limited = format.isYUV && !colorSpace.fullRange
        let share = Double(grey) / 255
        let level = limited ? (16 + 219 * share) * Double(neutral) / 128 : white * share
        for y in 0..<height {
            for x in 0..<width {
                set(components.first, x, y, to: Int(level + 0.5))
                for other in [components.second, components.third] where !format.isGray {
                    set(other, x, y, to: format.isYUV ? neutral : Int(level + 0.5))
                }
            }
        }
        setAlpha(255)
    }

    func withFrame<Answer>(
        orientation: Orientation = .identity, pixelAspectRatio: Double = 1, time: Nanoseconds = 0,
        _ body: (Frame) throws -> Answer
    ) rethrows -> Answer {
        let planes = zip(offsets, strides).map { Frame.Plane(base: memory.baseAddress! + $0, stride: $1) }
        return try withExtendedLifetime(self) {
            try body(
                Frame(
                    format: format, width: width, height: height, planes: planes, colorSpace: colorSpace,
                    orientation: orientation, pixelAspectRatio: pixelAspectRatio, time: time))
        }
    }

    /// Converts the picture to BGRx with GStreamer. Each chroma sample is copied to all pixels that share it.
    ///
    /// - Parameter asFields: whether even and odd rows are treated as two pictures of half the height.
    func convertedByGStreamer(asFields: Bool = false) -> [UInt8]? {
        guard asFields else { return converted(from: 0, every: 1) }
        guard let upper = converted(from: 0, every: 2), let lower = converted(from: 1, every: 2) else { return nil }
        let row = width * 4
        return (0..<height).flatMap { y in
            (y % 2 == 0 ? upper : lower)[(y / 2 * row)..<(y / 2 * row + row)]
        }
    }

    private func converted(from first: Int, every step: Int) -> [UInt8]? {
        var source = info
        source.height = Int32(height / step)
        withUnsafeMutableBytes(of: &source.stride) { bytes in
            for plane in strides.indices { bytes.bindMemory(to: Int32.self)[plane] *= Int32(step) }
        }
        withUnsafeMutableBytes(of: &source.offset) { bytes in
            for plane in strides.indices { bytes.bindMemory(to: Int.self)[plane] += first * strides[plane] }
        }
        var target = GstVideoInfo()
        gst_video_info_set_format(&target, GST_VIDEO_FORMAT_BGRx, guint(width), guint(height / step))
        var pixels = [UInt8](repeating: 0, count: width * height / step * 4)
        let config = gst_structure_new_from_string(
            "GstVideoConverter, GstVideoConverter.chroma-mode=(GstVideoChromaMode)none")
        guard let converter = gst_video_converter_new(&source, &target, config) else { return nil }
        defer { gst_video_converter_free(converter) }
        let done = pixels.withUnsafeMutableBytes { output in
            FormatPicture.mapped(memory, &source, GST_MAP_READ) { from in
                FormatPicture.mapped(output, &target, GST_MAP_WRITE) { into in
                    gst_video_converter_frame(converter, from, into)
                    return true
                }
            }
        }
        return done ? pixels : nil
    }

    private static func mapped(
        _ bytes: UnsafeMutableRawBufferPointer, _ info: inout GstVideoInfo, _ flags: GstMapFlags,
        _ body: (UnsafeMutablePointer<GstVideoFrame>) -> Bool
    ) -> Bool {
        guard
            let buffer = gst_buffer_new_wrapped_full(
                GstMemoryFlags(rawValue: 0), bytes.baseAddress, gsize(bytes.count), 0, gsize(bytes.count), nil, nil)
        else { return false }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self)) }
        var frame = GstVideoFrame()
        guard gst_video_frame_map(&frame, &info, buffer, flags) != 0 else { return false }
        defer { gst_video_frame_unmap(&frame) }
        return body(&frame)
    }
}
