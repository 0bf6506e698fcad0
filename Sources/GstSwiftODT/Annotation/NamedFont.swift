import CODTPango
import Synchronization

/// A font given by a Pango description, for example `Sans`, `DejaVu Sans Bold` or `Serif Italic 14`.
final class NamedFont {
    /// The Pango description without a size.
    private let description: OpaquePointer
    /// The font size in display units (see ``Canvas``), which is the number at the end of the description. `nil` if the
    /// description contains no size.
    let size: Double?

    /// Creates a font from a description. If the description has no family, the family is `Sans`. Characters after the
    /// first 1,000 are ignored.
    init(_ text: String) {
        var description: OpaquePointer = pango_font_description_from_string(String(text.prefix(1000)))
        // Pango interprets `Roman`, `Black` and `East` at the end as a style. In `Times New Roman`, `Roman` belongs to
        // the name of the family. The complete name is therefore used if no font `Times New` is installed.
        if let whole = Self.wholeName(in: text), Self.family(of: description) != whole.family,
            FontLookup.find(Self.family(of: description) ?? "Sans") != .found
        {
            pango_font_description_free(description)
            description = pango_font_description_from_string("\(whole.family), \(whole.style)")
        }
        let size = Double(pango_font_description_get_size(description)) / Double(PANGO_SCALE)
        self.size = size > 0 ? size : nil
        // Gravity has no meaning in a label. Font features (after `#`, in Pango 1.56 and later) are removed, because
        // Pango hangs on malformed features.
        pango_font_description_unset_fields(description, PangoFontMask(~Self.kept))
        if Self.family(of: description) == nil { pango_font_description_set_family(description, "Sans") }
        self.description = description
    }

    deinit { pango_font_description_free(description) }

    /// The family, or several families separated by commas. The first family that is installed is used.
    var family: String { withExtendedLifetime(self) { Self.family(of: description) ?? "" } }

    /// Returns the Pango description with a size in display units. The caller frees it. The description names only
    /// installed families. If none of the families is installed, the description names the font that replaces them.
    /// Other names are removed, because Pango keeps every name in its cache until the process ends.
    func description(size: Double) -> OpaquePointer {
        let sized: OpaquePointer = pango_font_description_copy(description)
        pango_font_description_set_absolute_size(sized, size * Double(PANGO_SCALE))
        let installed = family.split(separator: ",").map(String.init).filter { FontLookup.find($0) == .found }
        if !installed.isEmpty {
            pango_font_description_set_family(sized, installed.joined(separator: ","))
        } else if case .replaced(let other) = find() {
            pango_font_description_set_family(sized, other)
        }
        return sized
    }

    /// Returns whether the font is installed. The first call in a process is slow, because fontconfig scans all fonts.
    func find() -> FontLookup { FontLookup.find(family) }

    private static func family(of description: OpaquePointer) -> String? {
        pango_font_description_get_family(description).map { String(cString: $0) }
    }

    /// Splits a description into the name of the family, and the styles and the size at its end. Only the most common
    /// styles count as styles; all other words belong to the name. Returns `nil` for a list of families.
    private static func wholeName(in text: String) -> (family: String, style: String)? {
        guard !text.contains(",") else { return nil }
        let words = text.prefix(1000).split(whereSeparator: \.isWhitespace)
        var end = words.count
        while end > 1, plainStyles.contains(words[end - 1].lowercased()) || Double(words[end - 1]) != nil { end -= 1 }
        return (words[..<end].joined(separator: " "), words[end...].joined(separator: " "))
    }

    /// The fields of a Pango description that apply to labels.
    private static let kept =
        PANGO_FONT_MASK_FAMILY.rawValue | PANGO_FONT_MASK_STYLE.rawValue | PANGO_FONT_MASK_VARIANT.rawValue
        | PANGO_FONT_MASK_WEIGHT.rawValue | PANGO_FONT_MASK_STRETCH.rawValue | PANGO_FONT_MASK_VARIATIONS.rawValue

    private static let plainStyles: Set<String> = ["bold", "italic", "oblique", "normal", "regular"]
}

/// The result of a search for a font. If a font is not installed, Pango would silently use another font.
enum FontLookup: Equatable {
    case found
    /// The font is not installed, and another font is used.
    case replaced(by: String)
    /// No font is installed.
    case nothing

    /// Generic family names, which match any font of their kind.
    private static let kinds: Set<String> = [
        "sans", "sansserif", "serif", "mono", "monospace", "cursive", "fantasy", "systemui", "emoji", "math",
    ]

    /// Returns the font that fontconfig selects for a list of families, separated by commas without blanks. Fontconfig
    /// is called directly, because Pango caches every name until the process ends, and clearing Pango's cache would be
    /// unsafe while Pango's own threads use it.
    static func find(_ families: String) -> FontLookup {
        guard let pattern = FcPatternCreate() else { return .nothing }
        defer { FcPatternDestroy(pattern) }
        let wanted = families.split(separator: ",")
        for family in wanted { FcPatternAddString(pattern, FC_FAMILY, String(family)) }
        // These are the font formats that Pango can draw.
        for format in ["TrueType", "CFF"] { FcPatternAddString(pattern, FC_FONTFORMAT, format) }
        FcConfigSubstitute(nil, pattern, FcMatchPattern)
        FcDefaultSubstitute(pattern)
        var result = FcResultNoMatch
        guard let match = FcFontMatch(nil, pattern, &result) else { return .nothing }
        defer { FcPatternDestroy(match) }
        let names = Self.names(of: match)
        guard let first = names.first else { return .nothing }
        let installed = Set(names.map { normalized($0[...]) }).union(kinds)
        return wanted.contains { installed.contains(normalized($0)) } ? .found : .replaced(by: first)
    }

    /// A font may have names in several languages.
    private static func names(of pattern: OpaquePointer?) -> [String] {
        var names: [String] = []
        var value: UnsafeMutablePointer<FcChar8>?
        while FcPatternGetString(pattern, FC_FAMILY, Int32(names.count), &value) == FcResultMatch, let name = value {
            names.append(String(cString: name))
        }
        return names
    }

    /// Normalises a family name for comparison. It becomes lower case without blanks, as in fontconfig, and without
    /// hyphens, which users may write in place of blanks.
    private static func normalized(_ name: Substring) -> String {
        name.lowercased().filter { !$0.isWhitespace && $0 != "-" }
    }
}

/// Pango's font map. All elements share it, and it exists until the process ends.
///
/// Pango requires that only one thread at a time uses a font map and the objects created from it, so typesetting and
/// drawing text take a lock. The lock is held briefly, and only for new labels. With a font map per element, each
/// element would scan all fonts again. With a font map per thread, Pango's default, each start of a stream would scan
/// all fonts again.
enum FontMap {
    private static let turn = Mutex(())
    /// `nonisolated(unsafe)`: used only while `turn` is locked.
    private nonisolated(unsafe) static let fonts = pango_cairo_font_map_new()

    static func withLock<Answer>(_ body: (UnsafeMutablePointer<PangoFontMap>?) -> Answer) -> Answer {
        turn.withLock { _ in
            // `nonisolated(unsafe)`: the value is used only by the caller, after the lock has been released.
            nonisolated(unsafe) let answer = body(fonts)
            return answer
        }
    }
}
