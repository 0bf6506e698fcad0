import CODTCairo

protocol CairoPixel: BitwiseCopyable {
    static var format: cairo_format_t { get }
}

/// A pixel with alpha, red, green and blue. The colours are premultiplied with alpha.
extension UInt32: CairoPixel {
    static var format: cairo_format_t { CAIRO_FORMAT_ARGB32 }
}

/// A pixel of a mask. Its only component is alpha, from 0 (not covered by the drawing) to 255 (completely covered).
extension UInt8: CairoPixel {
    static var format: cairo_format_t { CAIRO_FORMAT_A8 }
}

final class CairoSurface<Pixel: CairoPixel> {
    let width: Int
    let height: Int
    let context: OpaquePointer
    private let surface: OpaquePointer

    /// Returns `nil` if Cairo fails, because the size is too large or memory is exhausted.
    init?(width: Int, height: Int) {
        guard let surface = cairo_image_surface_create(Pixel.format, Int32(width), Int32(height)),
            cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let context = cairo_create(surface)
        else { return nil }
        self.width = width
        self.height = height
        self.surface = surface
        self.context = context
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    func setPaint(_ paint: Paint) {
        cairo_set_source_rgba(context, Double(paint.red), Double(paint.green), Double(paint.blue), Double(paint.alpha))
    }

    /// Calls `body` with the pixels and the stride, which is the number of pixels from one row to the next.
    func withPixels(_ body: (_ pixels: UnsafePointer<Pixel>, _ stride: Int) -> Void) {
        cairo_surface_flush(surface)
        guard let data = cairo_image_surface_get_data(surface) else { return }
        let stride = Int(cairo_image_surface_get_stride(surface)) / MemoryLayout<Pixel>.size
        data.withMemoryRebound(to: Pixel.self, capacity: stride * height) { body($0, stride) }
    }
}
