import CODTGStreamer
import SwiftODT

/// The format of frames as specified by the caps.
package struct StreamFormat {
    package var info: GstVideoInfo
    package let format: PixelFormat
    package let width: Int
    package let height: Int
    package let colorSpace: ColorSpace
    package let pixelAspectRatio: Double
    /// The duration of a frame in nanoseconds; `nil` if the frame rate is variable.
    package let frameDuration: Nanoseconds?
    /// The caps feature of the frames' memory, such as `memory:VAMemory`. `nil` for system memory.
    package let deviceMemory: String?

    /// The maximum duration of a frame. A frame rate below one frame per hour is treated as invalid.
    private static let longestFrame: Nanoseconds = 3_600_000_000_000

    /// Returns `nil` for frames in system memory with a format that the element cannot read. Frames in device memory
    /// may have any format, because the element can process them without their pixels. If the element cannot read their
    /// format, `format` is GRAY8 as a placeholder.
    package init?(_ info: GstVideoInfo, in deviceMemory: String? = nil) {
        let known = PixelFormat(info.finfo.pointee.format)
        guard let format = known ?? (deviceMemory == nil ? nil : .gray8), info.width > 0, info.height > 0 else {
            return nil
        }
        self.deviceMemory = deviceMemory
        self.info = info
        self.format = format
        width = Int(info.width)
        height = Int(info.height)
        colorSpace = ColorSpace(info.colorimetry, height: height)
        pixelAspectRatio = info.par_n > 0 && info.par_d > 0 ? Double(info.par_n) / Double(info.par_d) : 1
        let duration = info.fps_n > 0 && info.fps_d > 0 ? 1_000_000_000 * Int64(info.fps_d) / Int64(info.fps_n) : 0
        frameDuration = (1...Self.longestFrame).contains(duration) ? duration : nil
    }

    /// Returns whether the rows of two fields alternate in a buffer. With the interlace mode `mixed`, a flag of the
    /// buffer determines this.
    package func isInterlaced(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        switch info.interlace_mode {
        case GST_VIDEO_INTERLACE_MODE_INTERLEAVED: true
        case GST_VIDEO_INTERLACE_MODE_MIXED:
            buffer.pointee.mini_object.flags & UInt32(GST_VIDEO_BUFFER_FLAG_INTERLACED.rawValue) != 0
        default: false
        }
    }

    /// Whether the rows of two fields alternate in some or all buffers.
    package var mayInterlace: Bool {
        info.interlace_mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED
            || info.interlace_mode == GST_VIDEO_INTERLACE_MODE_MIXED
    }

    /// Whether each view of a multiview stream has its own picture. Either a buffer has several pictures, of which only
    /// the first is mapped, or the views alternate from buffer to buffer.
    package var hasSeparateViews: Bool {
        let mode = info.ABI.abi.multiview_mode
        return mode == GST_VIDEO_MULTIVIEW_MODE_FRAME_BY_FRAME
            || mode == GST_VIDEO_MULTIVIEW_MODE_MULTIVIEW_FRAME_BY_FRAME
            || mode == GST_VIDEO_MULTIVIEW_MODE_SEPARATED && info.views > 1
    }

    /// Maps a buffer and calls `body` with a frame that refers to the mapped planes. The planes are valid only during
    /// the call. Returns `nil` if the buffer cannot be mapped or does not match the caps.
    package func withFrame<Result>(
        of buffer: UnsafeMutablePointer<GstBuffer>, writable: Bool = false, orientation: Orientation,
        time: Nanoseconds, _ body: (Frame) throws -> Result
    ) rethrows -> Result? {
        var mapped = GstVideoFrame()
        var info = info
        let flags = writable ? GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue : GST_MAP_READ.rawValue
        // The `GstVideoMeta` of the buffer must not contradict the caps. This is checked before mapping, because
        // mapping would log a critical warning.
        if let meta = gst_buffer_get_video_meta(buffer)?.pointee {
            guard Int(meta.width) >= width, Int(meta.height) >= height, meta.format == info.finfo.pointee.format,
                meta.n_planes == info.finfo.pointee.n_planes
            else { return nil }
        }
        guard gst_video_frame_map(&mapped, &info, buffer, GstMapFlags(rawValue: flags)) != 0 else { return nil }
        defer { gst_video_frame_unmap(&mapped) }
        guard let frame = frame(mapped, orientation: orientation, time: time), mapped.holds(frame) else { return nil }
        return try body(frame)
    }

    /// Returns `nil` if a plane is missing.
    private func frame(_ mapped: borrowing GstVideoFrame, orientation: Orientation, time: Nanoseconds) -> Frame? {
        let (bases, strides) = (mapped.data, mapped.info.stride)
        func plane(_ number: Int, _ base: UnsafeMutableRawPointer?, _ stride: Int32) -> Frame.Plane? {
            number < format.planeCount ? base.map { Frame.Plane(base: $0, stride: Int(stride)) } : nil
        }
        let planes = (plane(0, bases.0, strides.0), plane(1, bases.1, strides.1), plane(2, bases.2, strides.2))
        let count = (planes.0 == nil ? 0 : 1) + (planes.1 == nil ? 0 : 1) + (planes.2 == nil ? 0 : 1)
        guard let first = planes.0, count == format.planeCount else { return nil }
        return Frame(
            format: format, width: width, height: height, first, planes.1, planes.2, colorSpace: colorSpace,
            orientation: orientation, pixelAspectRatio: pixelAspectRatio, time: time)
    }
}

extension PixelFormat {
    /// Returns `nil` for unsupported formats.
    package init?(_ format: GstVideoFormat) {
        guard let known = PixelFormat.named.first(where: { $0.0 == format }) else { return nil }
        self = known.1
    }

    package var gstreamer: GstVideoFormat {
        PixelFormat.named.first { $0.1 == self }?.0 ?? GST_VIDEO_FORMAT_UNKNOWN
    }

    package static var names: [String] { named.map { String(cString: gst_video_format_to_string($0.0)) } }

    private static let named: [(GstVideoFormat, PixelFormat)] = [
        (GST_VIDEO_FORMAT_I420, .i420), (GST_VIDEO_FORMAT_YV12, .yv12), (GST_VIDEO_FORMAT_NV12, .nv12),
        (GST_VIDEO_FORMAT_NV21, .nv21), (GST_VIDEO_FORMAT_NV16, .nv16), (GST_VIDEO_FORMAT_NV61, .nv61),
        (GST_VIDEO_FORMAT_NV24, .nv24), (GST_VIDEO_FORMAT_Y42B, .y42b), (GST_VIDEO_FORMAT_Y444, .y444),
        (GST_VIDEO_FORMAT_YUY2, .yuy2), (GST_VIDEO_FORMAT_YVYU, .yvyu), (GST_VIDEO_FORMAT_UYVY, .uyvy),
        (GST_VIDEO_FORMAT_VYUY, .vyuy), (GST_VIDEO_FORMAT_AYUV, .ayuv), (GST_VIDEO_FORMAT_VUYA, .vuya),
        (GST_VIDEO_FORMAT_GRAY8, .gray8), (GST_VIDEO_FORMAT_RGB, .rgb), (GST_VIDEO_FORMAT_BGR, .bgr),
        (GST_VIDEO_FORMAT_RGBx, .rgbx), (GST_VIDEO_FORMAT_BGRx, .bgrx), (GST_VIDEO_FORMAT_xRGB, .xrgb),
        (GST_VIDEO_FORMAT_xBGR, .xbgr), (GST_VIDEO_FORMAT_RGBA, .rgba), (GST_VIDEO_FORMAT_BGRA, .bgra),
        (GST_VIDEO_FORMAT_ARGB, .argb), (GST_VIDEO_FORMAT_ABGR, .abgr), (GST_VIDEO_FORMAT_GBR, .gbr),
        (GST_VIDEO_FORMAT_I420_10LE, .i420p10), (GST_VIDEO_FORMAT_I420_12LE, .i420p12),
        (GST_VIDEO_FORMAT_I422_10LE, .i422p10), (GST_VIDEO_FORMAT_I422_12LE, .i422p12),
        (GST_VIDEO_FORMAT_Y444_10LE, .y444p10), (GST_VIDEO_FORMAT_Y444_12LE, .y444p12),
        (GST_VIDEO_FORMAT_Y444_16LE, .y444p16), (GST_VIDEO_FORMAT_P010_10LE, .p010), (GST_VIDEO_FORMAT_P012_LE, .p012),
        (GST_VIDEO_FORMAT_P016_LE, .p016), (GST_VIDEO_FORMAT_Y210, .y210), (GST_VIDEO_FORMAT_Y212_LE, .y212),
        (GST_VIDEO_FORMAT_GRAY16_LE, .gray16), (GST_VIDEO_FORMAT_GBR_10LE, .gbrp10),
        (GST_VIDEO_FORMAT_GBR_12LE, .gbrp12),
        (GST_VIDEO_FORMAT_ARGB64_LE, .argb64), (GST_VIDEO_FORMAT_RGBA64_LE, .rgba64),
        (GST_VIDEO_FORMAT_BGRA64_LE, .bgra64), (GST_VIDEO_FORMAT_ABGR64_LE, .abgr64),
    ]
}

extension Orientation {
    /// Returns `nil` for the methods "auto" and "custom". The other methods have the raw values of the orientations.
    package init?(_ method: GstVideoOrientationMethod) { self.init(rawValue: Int(method.rawValue)) }

    /// The name of the orientation in messages and as a value of the property `orientation`.
    package var nick: String {
        switch self {
        case .identity: "identity"
        case .rotate90: "90r"
        case .rotate180: "180"
        case .rotate270: "90l"
        case .flipHorizontal: "horiz"
        case .flipVertical: "vert"
        case .transpose: "ul-lr"
        case .transverse: "ur-ll"
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
        let transfer: Transfer =
            switch colorimetry.transfer {
            case GST_VIDEO_TRANSFER_SMPTE2084: .pq
            case GST_VIDEO_TRANSFER_ARIB_STD_B67: .hlg
            default: .gamma
            }
        self.init(
            matrix: matrix, fullRange: colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255, transfer: transfer)
    }
}

extension UnsafeMutablePointer<GstPad> {
    /// Returns whether the source upstream of a sink pad is live; `nil` if the latency query fails, for example because
    /// a decoder has not negotiated yet.
    package func isUpstreamLive() -> Bool? {
        guard let query = gst_query_new_latency() else { return nil }
        defer { gst_query_unref(query) }
        guard gst_pad_peer_query(self, query) != 0 else { return nil }
        var live: gboolean = 0
        gst_query_parse_latency(query, &live, nil, nil)
        return live != 0
    }
}

extension GstVideoFrame {
    /// Returns whether all planes of a frame are within the mapped memory. GStreamer does not validate the offsets and
    /// strides of a `GstVideoMeta`.
    func holds(_ frame: Frame) -> Bool {
        withUnsafeBytes(of: map) { maps in
            let maps = maps.bindMemory(to: GstMapInfo.self)
            return (0..<frame.format.planeCount).allSatisfy { index in
                // Without a `GstVideoMeta` all planes are in the same memory block.
                let map = maps[meta == nil ? 0 : index]
                guard let start = map.data.map(UnsafeRawPointer.init) else { return false }
                let plane = frame.plane(index)
                let extent = frame.format.extent(ofPlane: index, width: frame.width, height: frame.height)
                let first = UnsafeRawPointer(plane.base) - start
                let last = first + (extent.rows - 1) * plane.stride
                return min(first, last) >= 0 && max(first, last) + extent.rowBytes <= Int(map.size)
            }
        }
    }
}

extension Frame {
    /// Copies the frame in a GStreamer buffer.
    ///
    /// - Parameter info: The video format of the buffer's caps.
    /// - Throws: ``ODTError`` if the format is not supported or the buffer cannot be mapped.
    package init(copying buffer: UnsafeMutablePointer<GstBuffer>, info: GstVideoInfo) throws {
        guard let format = StreamFormat(info) else {
            throw ODTError(
                .unsupported,
                "cannot read video of the format "
                    + "\(String(cString: gst_video_format_to_string(info.finfo.pointee.format))); convert it with videoconvert"
            )
        }
        let time = Nanoseconds(clamping: buffer.pointee.pts)
        guard
            let picture = try format.withFrame(
                of: buffer, orientation: .identity, time: time, { try Picture(copying: $0) })
        else {
            throw ODTError(.failed, "cannot map the buffer as described by its caps; check that caps and memory match")
        }
        self.init(picture)
    }
}
