import CODTCairo
import CODTPango

/// Lays out lines of text in one font and font size.
///
/// Pango substitutes other fonts for missing glyphs, and shapes and reorders letters as their script requires.
/// Right-to-left words keep their own direction within the line.
final class Typesetter {
    /// The height of a capital letter in display units.
    let capHeight: Double
    private let context: OpaquePointer
    private let pixelWidth: Double

    /// Returns `nil` if no font is installed. The font size and the width of a pixel are in display units. Glyphs are
    /// placed at multiples of the width of a pixel.
    init?(_ font: NamedFont, size: Double, pixelWidth: Double) {
        guard let context = Self.context(font, size: size) else { return nil }
        self.context = context
        self.pixelWidth = pixelWidth
        let height = TextLine("H", in: context, pixelWidth: pixelWidth).above
        capHeight = height > 0 ? height : 0.7 * size
    }

    deinit { FontMap.withLock { _ in g_object_unref(UnsafeMutableRawPointer(context)) } }

    /// - Parameter width: The maximum width in display units. A longer text ends in an ellipsis. `nil` for no limit.
    func line(_ text: String, within width: Double? = nil) -> TextLine {
        TextLine(text, in: context, pixelWidth: pixelWidth, within: width)
    }

    private static func context(_ font: NamedFont, size: Double) -> OpaquePointer? {
        let options = cairo_font_options_create()
        defer { cairo_font_options_destroy(options) }
        // Subpixel antialiasing would cause coloured fringes, because the picture may be scaled or rotated later.
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_ON)
        let description = font.description(size: size)
        defer { pango_font_description_free(description) }
        return FontMap.withLock { map in
            let context: OpaquePointer = pango_font_map_create_context(map)
            pango_cairo_context_set_font_options(context, options)
            pango_context_set_base_dir(context, PANGO_DIRECTION_LTR)
            pango_context_set_font_description(context, description)
            guard let loaded = pango_context_load_font(context, description) else {
                g_object_unref(UnsafeMutableRawPointer(context))
                return nil
            }
            g_object_unref(loaded)
            return context
        }
    }
}

/// A line of text whose glyphs have been positioned. All lengths are in display units.
final class TextLine {
    let width: Double
    /// The height of the ink above the baseline.
    let above: Double
    let below: Double
    /// The number of bytes of the text before the ellipsis; `nil` if the text is complete.
    let bytesBeforeEllipsis: Int?
    /// Whether at least one glyph has its own colours, as in emoji fonts.
    let hasColors: Bool
    private let layout: OpaquePointer

    /// - Parameter room: The maximum width. A longer text ends in an ellipsis. `nil` for no limit.
    init(_ text: String, in context: OpaquePointer, pixelWidth: Double, within room: Double? = nil) {
        let made = FontMap.withLock { _ in
            let layout: OpaquePointer = pango_layout_new(context)
            pango_layout_set_single_paragraph_mode(layout, 1)
            // The line runs from left to right, so the parts of a text keep their order. The words keep the direction
            // of their script.
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
                // If a pixel is one display unit wide, Pango itself rounds the positions of glyphs to whole pixels.
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

    /// Draws the line with the context's colour or, if `asPath` is true, adds the outlines of its glyphs to the
    /// context's path.
    func draw(x: Double, baseline: Double, asPath: Bool, in context: OpaquePointer) {
        FontMap.withLock { _ in
            let line = pango_layout_get_line_readonly(layout, 0)
            cairo_move_to(context, x, baseline)
            let render = asPath ? pango_cairo_layout_line_path : pango_cairo_show_layout_line
            render(context, line)
        }
    }

    /// Calls `body` for each run of glyphs in one font. The ellipsis is a run of its own, in place of the hidden text.
    private static func forEachRun(of line: UnsafeMutablePointer<PangoLayoutLine>?, _ body: (PangoGlyphItem) -> Void) {
        var next = line?.pointee.runs
        while let run = next {
            body(run.pointee.data.load(as: PangoGlyphItem.self))
            next = run.pointee.next
        }
    }

    private static func isColored(_ font: UnsafeMutablePointer<PangoFont>?) -> Bool {
        guard let font else { return false }
        // Cairo's fonts are instances of `PangoFcFont`, because fontconfig is used.
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
