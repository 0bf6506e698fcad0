import CODTGStreamer
import GstFrames
import SwiftODT

extension StreamFormat {
    /// Reads the format of caps. Returns `nil` if the caps do not describe a supported format. Frames in device memory
    /// may have any format. If `GstVideoInfo` cannot describe the format, for example because the caps contain it in
    /// the field `drm-format`, it is stored as `GST_VIDEO_FORMAT_ENCODED`.
    init?(caps: UnsafeMutablePointer<GstCaps>) {
        var info = GstVideoInfo()
        let deviceMemory = CapsNegotiation.deviceMemory(caps)
        if gst_video_info_from_caps(&info, caps) == 0 {
            guard deviceMemory != nil, let structure = gst_caps_get_structure(caps, 0) else { return nil }
            var (width, height): (gint, gint) = (0, 0)
            gst_structure_get_int(structure, "width", &width)
            gst_structure_get_int(structure, "height", &height)
            guard width > 0, height > 0,
                gst_video_info_set_format(&info, GST_VIDEO_FORMAT_ENCODED, guint(width), guint(height)) != 0
            else { return nil }
            gst_structure_get_fraction(structure, "framerate", &info.fps_n, &info.fps_d)
            gst_structure_get_fraction(structure, "pixel-aspect-ratio", &info.par_n, &info.par_d)
        }
        self.init(info, in: deviceMemory)
    }

    /// Maps a buffer like ``withFrame(of:writable:orientation:time:_:)``. For a buffer in device memory that is not
    /// mapped or cannot be mapped, calls `body` with a black frame.
    ///
    /// - Parameters:
    ///   - mapsDeviceMemory: whether device memory is mapped, which copies the frame on many devices.
    ///   - body: receives the frame. `hasPixels` is `false` for the black frame.
    func withFrame<Result>(
        of buffer: UnsafeMutablePointer<GstBuffer>, mapsDeviceMemory: Bool, orientation: Orientation,
        time: Nanoseconds, _ body: (Frame, _ hasPixels: Bool) throws -> Result
    ) rethrows -> Result? {
        if deviceMemory == nil || mapsDeviceMemory && PixelFormat(info.finfo.pointee.format) != nil {
            let result = try withFrame(of: buffer, orientation: orientation, time: time) { try body($0, true) }
            if result != nil || deviceMemory == nil { return result }
        }
        // With a stride of 0, one row of memory stands for all rows of the black frame.
        return try withUnsafeTemporaryAllocation(byteCount: width, alignment: 1) { row in
            row.initializeMemory(as: UInt8.self, repeating: 0)
            let plane = Frame.Plane(base: row.baseAddress!, stride: 0)
            return try body(
                Frame(
                    format: .gray8, width: width, height: height, plane, nil, nil, colorSpace: colorSpace,
                    orientation: orientation, pixelAspectRatio: pixelAspectRatio, time: time), false)
        }
    }
}
