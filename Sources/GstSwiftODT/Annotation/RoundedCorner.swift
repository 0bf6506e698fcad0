import CCairo

/// A quarter of a ring: one corner of a rounded box. Equal ones look the same, and are drawn once.
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

    /// A quarter of an ellipse about the origin.
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
