import CGStreamer
import SwiftODT

/// What the caps say of the frames to come.
struct StreamFormat {
    var info: GstVideoInfo
    let format: PixelFormat
    let width: Int
    let height: Int
    let colorSpace: ColorSpace
    let pixelAspectRatio: Double
    /// From the frame rate; `nil` where that varies.
    let frameDuration: Nanoseconds?

    /// `nil` for formats that the pad templates do not let in.
    init?(_ info: GstVideoInfo) {
        guard let format = PixelFormat(info.finfo.pointee.format), info.width > 0, info.height > 0 else { return nil }
        self.info = info
        self.format = format
        width = Int(info.width)
        height = Int(info.height)
        colorSpace = ColorSpace(info.colorimetry, height: height)
        pixelAspectRatio = info.par_n > 0 && info.par_d > 0 ? Double(info.par_n) / Double(info.par_d) : 1
        frameDuration =
            info.fps_n > 0 && info.fps_d > 0 ? 1_000_000_000 * Int64(info.fps_d) / Int64(info.fps_n) : nil
    }

    /// Whether the rows of two fields alternate in a buffer; with mixed interlacing each buffer says so itself.
    func isInterlaced(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        switch info.interlace_mode {
        case GST_VIDEO_INTERLACE_MODE_INTERLEAVED: true
        case GST_VIDEO_INTERLACE_MODE_MIXED:
            buffer.pointee.mini_object.flags & UInt32(GST_VIDEO_BUFFER_FLAG_INTERLACED.rawValue) != 0
        default: false
        }
    }

    /// Maps a buffer's planes and lends them for the duration of the call; `nil` where it cannot be mapped.
    func withFrame<Result>(
        of buffer: UnsafeMutablePointer<GstBuffer>, writable: Bool = false, orientation: Orientation,
        time: Nanoseconds, _ body: (Frame) throws -> Result
    ) rethrows -> Result? {
        var mapped = GstVideoFrame()
        var info = info
        let flags = writable ? GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue : GST_MAP_READ.rawValue
        guard gst_video_frame_map(&mapped, &info, buffer, GstMapFlags(rawValue: flags)) != 0 else { return nil }
        defer { gst_video_frame_unmap(&mapped) }
        // A GstVideoMeta speaks for its buffer, but not against the caps.
        guard Int(mapped.info.width) >= width, Int(mapped.info.height) >= height,
            mapped.info.finfo.pointee.format == info.finfo.pointee.format
        else { return nil }
        var planes: [Frame.Plane] = []
        planes.reserveCapacity(format.planeCount)
        withUnsafeBytes(of: mapped.data) { data in
            withUnsafeBytes(of: mapped.info.stride) { strides in
                let bases = data.bindMemory(to: UnsafeMutableRawPointer?.self)
                let steps = strides.bindMemory(to: Int32.self)
                for index in 0..<format.planeCount {
                    guard let base = bases[index] else { return }
                    planes.append(Frame.Plane(base: base, stride: Int(steps[index])))
                }
            }
        }
        guard planes.count == format.planeCount else { return nil }
        return try body(
            Frame(
                format: format, width: width, height: height, planes: planes, colorSpace: colorSpace,
                orientation: orientation, pixelAspectRatio: pixelAspectRatio, time: time))
    }
}

extension PixelFormat {
    init?(_ format: GstVideoFormat) {
        switch format {
        case GST_VIDEO_FORMAT_I420: self = .i420
        case GST_VIDEO_FORMAT_YV12: self = .yv12
        case GST_VIDEO_FORMAT_NV12: self = .nv12
        case GST_VIDEO_FORMAT_NV21: self = .nv21
        case GST_VIDEO_FORMAT_Y42B: self = .y42b
        case GST_VIDEO_FORMAT_Y444: self = .y444
        case GST_VIDEO_FORMAT_YUY2: self = .yuy2
        case GST_VIDEO_FORMAT_UYVY: self = .uyvy
        case GST_VIDEO_FORMAT_GRAY8: self = .gray8
        case GST_VIDEO_FORMAT_RGB: self = .rgb
        case GST_VIDEO_FORMAT_BGR: self = .bgr
        case GST_VIDEO_FORMAT_RGBx: self = .rgbx
        case GST_VIDEO_FORMAT_BGRx: self = .bgrx
        case GST_VIDEO_FORMAT_xRGB: self = .xrgb
        case GST_VIDEO_FORMAT_xBGR: self = .xbgr
        case GST_VIDEO_FORMAT_RGBA: self = .rgba
        case GST_VIDEO_FORMAT_BGRA: self = .bgra
        case GST_VIDEO_FORMAT_ARGB: self = .argb
        case GST_VIDEO_FORMAT_ABGR: self = .abgr
        default: return nil
        }
    }
}

extension ColorSpace {
    init(_ colorimetry: GstVideoColorimetry, height: Int) {
        let matrix: Matrix =
            switch colorimetry.matrix {
            case GST_VIDEO_COLOR_MATRIX_BT601: .bt601
            case GST_VIDEO_COLOR_MATRIX_BT709: .bt709
            case GST_VIDEO_COLOR_MATRIX_BT2020: .bt2020
            case GST_VIDEO_COLOR_MATRIX_SMPTE240M: .smpte240m
            case GST_VIDEO_COLOR_MATRIX_FCC: .fcc
            default: height > 576 ? .bt709 : .bt601
            }
        self.init(matrix: matrix, fullRange: colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255)
    }
}
