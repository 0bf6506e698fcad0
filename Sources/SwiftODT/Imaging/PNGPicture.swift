import CODTCairo
import Glibc

/// The longest side of a surface of Cairo, in pixels.
private let longestSide = 32767

extension Picture {
    convenience init(png bytes: [UInt8]) throws {
        // Cairo allocates memory for any size that the header declares. The size is therefore checked first. It is at a
        // fixed position in the file.
        if bytes.count >= 24 {
            let (width, height) = (bytes.big32(at: 16), bytes.big32(at: 20))
            try Self.check(width: width, height: height)
            guard max(width, height) <= longestSide else {
                throw ODTError(
                    .unsupported,
                    "the PNG picture has \(width)x\(height) pixels; a side may have at most \(longestSide): scale it, or "
                        + "save it as JPEG")
            }
        }
        var unread = bytes[...]
        let surface = withUnsafeMutablePointer(to: &unread) { unread in
            cairo_image_surface_create_from_png_stream(
                { closure, target, count in
                    guard let unread = closure?.assumingMemoryBound(to: ArraySlice<UInt8>.self), let target,
                        count <= unread.pointee.count
                    else { return CAIRO_STATUS_READ_ERROR }
                    UnsafeMutableRawBufferPointer(start: target, count: Int(count))
                        .copyBytes(from: unread.pointee.prefix(Int(count)))
                    unread.pointee = unread.pointee.dropFirst(Int(count))
                    return CAIRO_STATUS_SUCCESS
                }, unread)
        }
        defer { cairo_surface_destroy(surface) }
        let status = cairo_surface_status(surface)
        guard status == CAIRO_STATUS_SUCCESS else {
            let why = String(cString: cairo_status_to_string(status))
            throw ODTError(.invalidFile, "the PNG picture is corrupt or truncated (\(why)); export it again")
        }
        let width = Int(cairo_image_surface_get_width(surface))
        let height = Int(cairo_image_surface_get_height(surface))
        try self.init(width: width, height: height, orientation: .identity) { memory in
            // Cairo decodes PNG files to different formats, for example with transparency or with 16 bits per channel.
            // Painting on a white BGRx surface converts all of them to opaque pixels with 8 bits per channel.
            let target = cairo_image_surface_create_for_data(
                memory.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_RGB24, Int32(width), Int32(height),
                Int32(width * 4))
            defer { cairo_surface_destroy(target) }
            let context = cairo_create(target)
            defer { cairo_destroy(context) }
            cairo_set_source_rgb(context, 1, 1, 1)
            cairo_paint(context)
            cairo_set_source_surface(context, surface, 0, 0)
            cairo_paint(context)
            cairo_surface_flush(target)
            let status = cairo_status(context)
            guard status == CAIRO_STATUS_SUCCESS else {
                let why = String(cString: cairo_status_to_string(status))
                throw ODTError(.failed, "the PNG picture cannot be drawn (\(why))")
            }
        }
    }
}

extension [UInt8] {
    fileprivate func big32(at place: Int) -> Int { self[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
}
