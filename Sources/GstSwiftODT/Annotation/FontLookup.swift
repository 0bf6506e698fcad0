import CPango

/// Whether a font is there. Pango draws with another one in silence where it is not.
enum FontLookup: Equatable {
    case found
    /// Another font is drawn with.
    case replaced(by: String)
    /// No font is there at all.
    case nothing

    /// Names for whatever font of a kind there is.
    private static let kinds: Set<String> = [
        "sans", "sansserif", "serif", "mono", "monospace", "cursive", "fantasy", "systemui", "emoji", "math",
    ]

    /// Loads the font of a description and looks what came.
    static func find(_ description: OpaquePointer) -> FontLookup {
        // Any size: without one a font that is made of pictures has Pango complain.
        let sized: OpaquePointer = pango_font_description_copy(description)
        defer { pango_font_description_free(sized) }
        pango_font_description_set_absolute_size(sized, 16 * Double(PANGO_SCALE))
        let names = FontMap.withLockForLookup { map in
            let context = pango_font_map_create_context(map)
            defer { g_object_unref(UnsafeMutableRawPointer(context)) }
            guard let font = pango_context_load_font(context, sized) else { return [String]() }
            defer { g_object_unref(font) }
            return font.withMemoryRebound(to: PangoFcFont.self, capacity: 1) {
                Self.names(of: pango_fc_font_get_pattern($0))
            }
        }
        guard let first = names.first else { return .nothing }
        let there = Set(names.map { bare($0[...]) }).union(kinds)
        let wanted = pango_font_description_get_family(description).map { String(cString: $0) } ?? "Sans"
        return wanted.split(separator: ",").contains { there.contains(bare($0)) } ? .found : .replaced(by: first)
    }

    /// All names of a font's family: some have one in each of several languages.
    private static func names(of pattern: OpaquePointer?) -> [String] {
        var names: [String] = []
        var value: UnsafeMutablePointer<FcChar8>?
        while FcPatternGetString(pattern, FC_FAMILY, Int32(names.count), &value) == FcResultMatch, let name = value {
            names.append(String(cString: name))
        }
        return names
    }

    /// As fontconfig compares names: without blanks, in small letters. Hyphens too, which people put in for blanks.
    private static func bare(_ name: Substring) -> String {
        name.lowercased().filter { !$0.isWhitespace && $0 != "-" }
    }
}
