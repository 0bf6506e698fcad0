import CCairo

/// Whether a font is there. Cairo draws with another one in silence where it is not.
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

    /// Asks fontconfig, which Cairo asks when it draws. Takes a moment the first time in a process.
    static func find(_ family: String) -> FontLookup {
        guard let pattern = FcPatternCreate() else { return .nothing }
        defer { FcPatternDestroy(pattern) }
        FcPatternAddString(pattern, FC_FAMILY, family)
        FcConfigSubstitute(nil, pattern, FcMatchPattern)
        FcDefaultSubstitute(pattern)
        var result = FcResultNoMatch
        guard let match = FcFontMatch(nil, pattern, &result) else { return .nothing }
        defer { FcPatternDestroy(match) }
        let names = names(of: match)
        guard let first = names.first else { return .nothing }
        let wanted = bare(family)
        return kinds.contains(wanted) || names.contains { bare($0) == wanted } ? .found : .replaced(by: first)
    }

    private static func names(of match: OpaquePointer) -> [String] {
        var names: [String] = []
        var value: UnsafeMutablePointer<FcChar8>?
        while FcPatternGetString(match, FC_FAMILY, Int32(names.count), &value) == FcResultMatch, let name = value {
            names.append(String(cString: name))
        }
        return names
    }

    /// As fontconfig compares names: without blanks, in small letters. Hyphens too, which people put in for blanks.
    private static func bare(_ name: String) -> String {
        name.lowercased().filter { !$0.isWhitespace && $0 != "-" }
    }
}
