import CCairo

/// One corner of a rounded box: a quarter of a ring. Equal corners share one tile.
struct RoundedCorner: Hashable {
    let width: Int
    let height: Int
    let pen: DrawingSizes.Pen
    let right: Bool
    let bottom: Bool
    var paint: Paint

    func draw() -> CairoSurface<UInt32>? {
        guard let surface = CairoSurface<UInt32>(width: width, height: height) else { return nil }
        let context = surface.context
        cairo_translate(context, right ? 0 : Double(width), bottom ? 0 : Double(height))
        cairo_scale(context, right ? 1 : -1, bottom ? 1 : -1)
        addQuarter(width: Double(width), height: Double(height), to: context)
        addQuarter(width: Double(width - pen.across), height: Double(height - pen.down), to: context)
        cairo_set_fill_rule(context, CAIRO_FILL_RULE_EVEN_ODD)
        surface.setPaint(paint)
        cairo_fill(context)
        return surface
    }

    /// Adds a quarter of an ellipse around the origin.
    private func addQuarter(width: Double, height: Double, to context: OpaquePointer) {
        guard width > 0, height > 0 else { return }
        cairo_save(context)
        cairo_scale(context, width, height)
        cairo_move_to(context, 0, 0)
        cairo_arc(context, 0, 0, 1, 0, .pi / 2)
        cairo_close_path(context)
        cairo_restore(context)
    }
}
