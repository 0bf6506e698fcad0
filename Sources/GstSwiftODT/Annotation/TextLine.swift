import CCairo
import CPango

/// A line of text, set and ready to be drawn. All lengths are in display units.
final class TextLine {
    let width: Double
    /// How far the ink reaches above the line that letters stand on, and how far below it.
    let above: Double
    let below: Double
    /// How many bytes of the text stand before the ellipsis; `nil` where all of it is there.
    let bytesBeforeEllipsis: Int?
    /// Whether a font brings colours of its own, as those for emoji do.
    let hasColors: Bool
    private let layout: OpaquePointer

    /// - Parameters:
    ///   - context: of the ``Typesetter``, with its font.
    ///   - room: what would be longer ends in an ellipsis.
    init(_ text: String, in context: OpaquePointer, pixelWidth: Double, within room: Double? = nil) {
        let made = FontMap.withLock { _ in
            let layout: OpaquePointer = pango_layout_new(context)
            pango_layout_set_single_paragraph_mode(layout, 1)
            // The pattern says the order of the parts; words of a label run as they are written.
            pango_layout_set_auto_dir(layout, 0)
            if let room {
                pango_layout_set_width(layout, Int32(min(max(room, 0), 1e6) * Double(PANGO_SCALE)))
                pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
            }
            pango_layout_set_text(layout, text, -1)
            var (ink, logical) = (PangoRectangle(), PangoRectangle())
            let line = pango_layout_get_line(layout, 0)
            var cut: Int?
            var hasColors = false
            Self.forEachRun(of: line) { run in
                if Int32(run.item.pointee.analysis.flags) & PANGO_ANALYSIS_FLAG_IS_ELLIPSIS != 0 {
                    cut = Int(run.item.pointee.offset)
                }
                if Self.isColored(run.item.pointee.analysis.font) { hasColors = true }
                // Pango puts letters on whole units itself.
                if pixelWidth != 1 { Self.round(run.glyphs, to: pixelWidth * Double(PANGO_SCALE)) }
            }
            pango_layout_line_get_extents(line, &ink, &logical)
            return (layout: layout, ink: ink, logical: logical, cut: cut, hasColors: hasColors)
        }
        func units(_ length: Int32) -> Double { Double(length) / Double(PANGO_SCALE) }
        layout = made.layout
        width = units(made.logical.width)
        above = -units(made.ink.y)
        below = units(made.ink.y) + units(made.ink.height)
        bytesBeforeEllipsis = made.cut
        hasColors = made.hasColors
    }

    deinit { FontMap.withLock { _ in g_object_unref(UnsafeMutableRawPointer(layout)) } }

    /// Adds the line to the context's path, or shows it with the context's colour.
    func draw(x: Double, baseline: Double, asPath: Bool, in context: OpaquePointer) {
        FontMap.withLock { _ in
            let line = pango_layout_get_line_readonly(layout, 0)
            cairo_move_to(context, x, baseline)
            let render = asPath ? pango_cairo_layout_line_path : pango_cairo_show_layout_line
            render(context, line)
        }
    }

    /// Calls `body` for each stretch of one font; the ellipsis is one, which stands for the bytes that it hides.
    private static func forEachRun(of line: UnsafeMutablePointer<PangoLayoutLine>?, _ body: (PangoGlyphItem) -> Void) {
        var next = line?.pointee.runs
        while let run = next {
            body(run.pointee.data.load(as: PangoGlyphItem.self))
            next = run.pointee.next
        }
    }

    private static func isColored(_ font: UnsafeMutablePointer<PangoFont>?) -> Bool {
        guard let font else { return false }
        // Those of Cairo are such, wherever fontconfig finds the fonts.
        let found = UnsafeMutableRawPointer(font).assumingMemoryBound(to: PangoFcFont.self)
        guard let pattern = pango_fc_font_get_pattern(found) else { return false }
        var isColored: FcBool = 0
        return FcPatternGetBool(pattern, FC_COLOR, 0, &isColored) == FcResultMatch && isColored != 0
    }

    private static func round(_ string: UnsafeMutablePointer<PangoGlyphString>, to step: Double) {
        for index in 0..<Int(string.pointee.num_glyphs) {
            let steps = (Double(string.pointee.glyphs[index].geometry.width) / step).rounded()
            string.pointee.glyphs[index].geometry.width = Int32(clamping: Int(steps * step))
        }
    }
}
