import CCairo

/// A small ARGB picture with a Cairo context on it.
final class CairoSurface {
    let width: Int
    let height: Int
    let context: OpaquePointer
    private let surface: OpaquePointer

    /// Fails where Cairo does: too large, or no memory.
    init?(width: Int, height: Int) {
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height)),
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

    /// Gives what has been drawn: `stride` pixels from row to row, ARGB multiplied with alpha.
    func withPixels(_ body: (_ pixels: UnsafePointer<UInt32>, _ stride: Int) -> Void) {
        cairo_surface_flush(surface)
        guard let data = cairo_image_surface_get_data(surface) else { return }
        let stride = Int(cairo_image_surface_get_stride(surface)) / 4
        data.withMemoryRebound(to: UInt32.self, capacity: stride * height) { body($0, stride) }
    }
}
