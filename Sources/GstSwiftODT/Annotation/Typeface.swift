import CCairo
import Synchronization

/// A font at one size, with others to help out where it lacks a character.
///
/// Cairo's own text interface knows one font at a time and draws an empty box for what that lacks: a label in Japanese
/// would be a row of boxes though a Japanese font is there. So characters are turned to glyphs one by one, and
/// fontconfig, which Cairo stands on anyway, is asked for a font that has the missing one. There is no shaping:
/// scripts that join their letters (Arabic) or reorder them (Hindi) are drawn letter by letter.
final class Typeface {
    /// The height of a capital letter.
    let capHeight: Double

    private let description: FontDescription
    private let size: Double
    private let scaleX: Double
    private let scaleY: Double
    private var fonts: [OpaquePointer] = []
    private var glyphs: [Unicode.Scalar: Glyph] = [:]

    /// Cairo opens font files with no lock held on the one FreeType library that all threads of a process share,
    /// which FreeType does not allow. Annotators of many elements draw at once: what may open a file takes turns.
    private static let library = Mutex(())

    private struct Glyph {
        let font: Int
        let index: UInt
        let advance: Double
    }

    /// Fails where not a single font can be found.
    ///
    /// - Parameters:
    ///   - size: in display units.
    ///   - scaleX: pixels in a unit across, and `scaleY` down: below 1 where pixels are not square.
    init?(_ description: FontDescription, size: Double, scaleX: Double, scaleY: Double) {
        self.description = description
        self.size = size
        self.scaleX = scaleX
        self.scaleY = scaleY
        let opened = Typeface.library.withLock { _ -> (font: OpaquePointer, capHeight: Double)? in
            Typeface.open(description, size: size, scaleX: scaleX, scaleY: scaleY)
        }
        guard let opened else { return nil }
        fonts = [opened.font]
        capHeight = opened.capHeight
    }

    private static func open(
        _ description: FontDescription, size: Double, scaleX: Double, scaleY: Double
    ) -> (font: OpaquePointer, capHeight: Double)? {
        let face = cairo_toy_font_face_create(
            description.family, description.italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
            description.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL)
        defer { cairo_font_face_destroy(face) }
        guard let font = Typeface.font(face, size: size, scaleX: scaleX, scaleY: scaleY) else { return nil }
        var extents = cairo_text_extents_t()
        cairo_scaled_font_text_extents(font, "H", &extents)
        return (font, extents.height > 0 ? extents.height : 0.7 * size)
    }

    deinit {
        Typeface.library.withLock { _ in fonts.forEach(cairo_scaled_font_destroy) }
    }

    func width(of text: String) -> Double {
        text.unicodeScalars.reduce(0) { $0 + glyph(for: $1).advance }
    }

    /// Adds the text to the context's path, or shows it with the context's colour.
    ///
    /// Letters stand on whole pixels: Cairo sees to that itself before 1.18, and from then on only where pixels are square.
    func draw(_ text: String, x: Double, baseline: Double, asPath: Bool, in context: OpaquePointer) {
        var pen = x
        let line = (baseline * scaleY).rounded() / scaleY
        var run: [cairo_glyph_t] = []
        var runFont = 0
        func show() {
            guard !run.isEmpty else { return }
            Typeface.library.withLock { _ in
                cairo_set_scaled_font(context, fonts[runFont])
                let count = Int32(run.count)
                if asPath { cairo_glyph_path(context, run, count) } else { cairo_show_glyphs(context, run, count) }
            }
            run.removeAll(keepingCapacity: true)
        }
        for scalar in text.unicodeScalars {
            let glyph = glyph(for: scalar)
            if glyph.font != runFont { show() }
            runFont = glyph.font
            run.append(cairo_glyph_t(index: glyph.index, x: (pen * scaleX).rounded() / scaleX, y: line))
            pen += glyph.advance
        }
        show()
    }

    private func glyph(for scalar: Unicode.Scalar) -> Glyph {
        if let known = glyphs[scalar] { return known }
        let glyph = Typeface.library.withLock { _ in find(scalar) }
        if glyphs.count >= 4096 { glyphs.removeAll() }
        glyphs[scalar] = glyph
        return glyph
    }

    private func find(_ scalar: Unicode.Scalar) -> Glyph {
        fonts.indices.lazy.compactMap { self.glyph(for: scalar, font: $0) }.first ?? borrowed(scalar)
            ?? glyph(for: scalar, font: 0, evenMissing: true) ?? Glyph(font: 0, index: 0, advance: size / 2)
    }

    private func glyph(for scalar: Unicode.Scalar, font: Int, evenMissing: Bool = false) -> Glyph? {
        var glyphs: UnsafeMutablePointer<cairo_glyph_t>?
        var count: Int32 = 0
        let status = cairo_scaled_font_text_to_glyphs(
            fonts[font], 0, 0, String(scalar), -1, &glyphs, &count, nil, nil, nil)
        defer { cairo_glyph_free(glyphs) }
        guard status == CAIRO_STATUS_SUCCESS, count == 1, var glyph = glyphs?.pointee, glyph.index != 0 || evenMissing
        else { return nil }
        var extents = cairo_text_extents_t()
        cairo_scaled_font_glyph_extents(fonts[font], &glyph, 1, &extents)
        guard extents.x_advance.isFinite else { return nil }
        return Glyph(font: font, index: glyph.index, advance: extents.x_advance)
    }

    /// Finds a font that has the character, if there is one, and keeps it with the others.
    private func borrowed(_ scalar: Unicode.Scalar) -> Glyph? {
        guard fonts.count < 16, let pattern = FcPatternCreate(), let characters = FcCharSetCreate() else { return nil }
        defer {
            FcCharSetDestroy(characters)
            FcPatternDestroy(pattern)
        }
        FcCharSetAddChar(characters, scalar.value)
        FcPatternAddCharSet(pattern, FC_CHARSET, characters)
        FcPatternAddString(pattern, FC_FAMILY, description.family)
        FcPatternAddInteger(pattern, FC_WEIGHT, description.bold ? FC_WEIGHT_BOLD : FC_WEIGHT_NORMAL)
        let face = cairo_ft_font_face_create_for_pattern(pattern)
        defer { cairo_font_face_destroy(face) }
        guard let font = Typeface.font(face, size: size, scaleX: scaleX, scaleY: scaleY) else { return nil }
        fonts.append(font)
        if let glyph = glyph(for: scalar, font: fonts.count - 1) { return glyph }
        cairo_scaled_font_destroy(fonts.removeLast())
        return nil
    }

    private static func font(
        _ face: OpaquePointer?, size: Double, scaleX: Double, scaleY: Double
    ) -> OpaquePointer? {
        guard let face, let options = cairo_font_options_create() else { return nil }
        defer { cairo_font_options_destroy(options) }
        // Grey edges, never coloured ones: the picture is scaled and turned later on.
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_ON)
        var matrix = cairo_matrix_t()
        var transform = cairo_matrix_t()
        cairo_matrix_init_scale(&matrix, size, size)
        cairo_matrix_init_scale(&transform, scaleX, scaleY)
        let font = cairo_scaled_font_create(face, &matrix, &transform, options)
        guard let font, cairo_scaled_font_status(font) == CAIRO_STATUS_SUCCESS else {
            cairo_scaled_font_destroy(font)
            return nil
        }
        return font
    }
}
