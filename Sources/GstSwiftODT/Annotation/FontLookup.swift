import CPango

/// Whether a font is installed. Pango silently substitutes another font otherwise.
enum FontLookup: Equatable {
    case found
    /// Another font is substituted.
    case replaced(by: String)
    /// No font is installed.
    case nothing

    /// Generic names, which match any font of their kind.
    private static let kinds: Set<String> = [
        "sans", "sansserif", "serif", "mono", "monospace", "cursive", "fantasy", "systemui", "emoji", "math",
    ]

    /// Asks fontconfig which font it selects for a comma-separated list of families without blanks. Pango is not asked,
    /// because it caches every name for the life of the process, and the cache cannot be cleared while Pango's own
    /// threads may use it.
    static func find(_ families: String) -> FontLookup {
        guard let pattern = FcPatternCreate() else { return .nothing }
        defer { FcPatternDestroy(pattern) }
        let wanted = families.split(separator: ",")
        for family in wanted { FcPatternAddString(pattern, FC_FAMILY, String(family)) }
        // The formats that Pango can draw.
        for format in ["TrueType", "CFF"] { FcPatternAddString(pattern, FC_FONTFORMAT, format) }
        FcConfigSubstitute(nil, pattern, FcMatchPattern)
        FcDefaultSubstitute(pattern)
        var result = FcResultNoMatch
        guard let match = FcFontMatch(nil, pattern, &result) else { return .nothing }
        defer { FcPatternDestroy(match) }
        let names = Self.names(of: match)
        guard let first = names.first else { return .nothing }
        let there = Set(names.map { normalized($0[...]) }).union(kinds)
        return wanted.contains { there.contains(normalized($0)) } ? .found : .replaced(by: first)
    }

    /// Returns all names of a font's family; a font may have names in several languages.
    private static func names(of pattern: OpaquePointer?) -> [String] {
        var names: [String] = []
        var value: UnsafeMutablePointer<FcChar8>?
        while FcPatternGetString(pattern, FC_FAMILY, Int32(names.count), &value) == FcResultMatch, let name = value {
            names.append(String(cString: name))
        }
        return names
    }

    /// Normalises a name for comparison: lower case without blanks, as fontconfig does, and without hyphens, which
    /// users write in place of blanks.
    private static func normalized(_ name: Substring) -> String {
        name.lowercased().filter { !$0.isWhitespace && $0 != "-" }
    }
}
