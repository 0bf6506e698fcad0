import CPango

/// A font as people name one: `Sans`, `DejaVu Sans Bold`, `Serif Italic 14`, or any other description that Pango understands.
final class NamedFont {
    /// Without a size.
    private let description: OpaquePointer
    /// The number at the end, if there is one: in display pixels, as `font-size` is.
    let size: Double?

    /// A text without a family stands for `Sans`; what follows the first thousand characters is no font's name.
    init(_ text: String) {
        var description: OpaquePointer = pango_font_description_from_string(String(text.prefix(1000)))
        // Roman, Black or East at the end is a style to Pango, but for `Times New Roman`: where there is no font `Times New`.
        if let whole = Self.wholeName(in: text), Self.family(of: description) != whole.family,
            FontLookup.find(Self.family(of: description) ?? "Sans") != .found
        {
            pango_font_description_free(description)
            description = pango_font_description_from_string("\(whole.family), \(whole.style)")
        }
        let size = Double(pango_font_description_get_size(description)) / Double(PANGO_SCALE)
        self.size = size > 0 ? size : nil
        // Letters can stand on their heads too, but not in a label. And from 1.56 on what follows a # are switches of the font's own,
        // at whose mistakes Pango stays for ever.
        pango_font_description_unset_fields(description, PangoFontMask(~Self.kept))
        if Self.family(of: description) == nil { pango_font_description_set_family(description, "Sans") }
        self.description = description
    }

    deinit { pango_font_description_free(description) }

    /// The family, or several with commas between them, of which the first that is there is taken.
    var family: String { withExtendedLifetime(self) { Self.family(of: description) ?? "" } }

    /// The description with a size in display units, which the caller frees. Of the families it has those that are there, or the one that
    /// stands in for them: Pango remembers every name that it is asked for.
    func description(size: Double) -> OpaquePointer {
        let sized: OpaquePointer = pango_font_description_copy(description)
        pango_font_description_set_absolute_size(sized, size * Double(PANGO_SCALE))
        let there = family.split(separator: ",").map(String.init).filter { FontLookup.find($0) == .found }
        if !there.isEmpty {
            pango_font_description_set_family(sized, there.joined(separator: ","))
        } else if case .replaced(let other) = find() {
            pango_font_description_set_family(sized, other)
        }
        return sized
    }

    /// Whether the font is there. Takes a moment the first time in a process: fontconfig looks through all fonts then.
    func find() -> FontLookup { FontLookup.find(family) }

    private static func family(of description: OpaquePointer) -> String? {
        pango_font_description_get_family(description).map { String(cString: $0) }
    }

    /// A single name with all its words but the plainest of styles and the size.
    private static func wholeName(in text: String) -> (family: String, style: String)? {
        guard !text.contains(",") else { return nil }
        let words = text.prefix(1000).split(whereSeparator: \.isWhitespace)
        var end = words.count
        while end > 1, plainStyles.contains(words[end - 1].lowercased()) || Double(words[end - 1]) != nil { end -= 1 }
        return (words[..<end].joined(separator: " "), words[end...].joined(separator: " "))
    }

    /// What a label takes of a description.
    private static let kept =
        PANGO_FONT_MASK_FAMILY.rawValue | PANGO_FONT_MASK_STYLE.rawValue | PANGO_FONT_MASK_VARIANT.rawValue
        | PANGO_FONT_MASK_WEIGHT.rawValue | PANGO_FONT_MASK_STRETCH.rawValue | PANGO_FONT_MASK_VARIATIONS.rawValue

    private static let plainStyles: Set<String> = ["bold", "italic", "oblique", "normal", "regular"]
}
