import CCairo
import CPango

/// Lays out lines of text with one font and font size.
///
/// Pango selects other fonts for missing glyphs, shapes and reorders letters as their script requires, and sets
/// right-to-left words in their own direction within the line.
final class Typesetter {
    /// The height of a capital letter, in display units.
    let capHeight: Double
    private let context: OpaquePointer
    private let pixelWidth: Double

    /// Returns `nil` if no font is installed.
    ///
    /// - Parameters:
    ///   - size: the font size in display units.
    ///   - pixelWidth: the width of a pixel in display units. Glyphs are placed on whole pixels.
    init?(_ font: NamedFont, size: Double, pixelWidth: Double) {
        guard let context = Self.context(font, size: size) else { return nil }
        self.context = context
        self.pixelWidth = pixelWidth
        let height = TextLine("H", in: context, pixelWidth: pixelWidth).above
        capHeight = height > 0 ? height : 0.7 * size
    }

    deinit { FontMap.withLock { _ in g_object_unref(UnsafeMutableRawPointer(context)) } }

    /// - Parameter width: the maximum width in display units; a longer text ends in an ellipsis.
    func line(_ text: String, within width: Double? = nil) -> TextLine {
        TextLine(text, in: context, pixelWidth: pixelWidth, within: width)
    }

    private static func context(_ font: NamedFont, size: Double) -> OpaquePointer? {
        let options = cairo_font_options_create()
        defer { cairo_font_options_destroy(options) }
        // Subpixel antialiasing would produce coloured fringes, because the picture may be scaled and rotated later.
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
