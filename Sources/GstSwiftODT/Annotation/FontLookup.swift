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

    /// Looks which font fontconfig gives for families as a description has them, with commas between and no blanks. Pango is not
    /// asked: it keeps some kilobytes of each name that it ever heard, and what it keeps cannot be taken from it while threads of
    /// its own may be at work on it.
    static func find(_ families: String) -> FontLookup {
        guard let pattern = FcPatternCreate() else { return .nothing }
        defer { FcPatternDestroy(pattern) }
        let wanted = families.split(separator: ",")
        for family in wanted { FcPatternAddString(pattern, FC_FAMILY, String(family)) }
        // What Pango can draw with.
        for format in ["TrueType", "CFF"] { FcPatternAddString(pattern, FC_FONTFORMAT, format) }
        FcConfigSubstitute(nil, pattern, FcMatchPattern)
        FcDefaultSubstitute(pattern)
        var result = FcResultNoMatch
        guard let match = FcFontMatch(nil, pattern, &result) else { return .nothing }
        defer { FcPatternDestroy(match) }
        let names = Self.names(of: match)
        guard let first = names.first else { return .nothing }
        let there = Set(names.map { bare($0[...]) }).union(kinds)
        return wanted.contains { there.contains(bare($0)) } ? .found : .replaced(by: first)
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
