import CCairo

/// The font that the golden pictures were drawn with.
enum DejaVuSans {
    static let isTheUsualFont: Bool = {
        guard let pattern = FcNameParse("Sans") else { return false }
        defer { FcPatternDestroy(pattern) }
        FcConfigSubstitute(nil, pattern, FcMatchPattern)
        FcDefaultSubstitute(pattern)
        var result = FcResultMatch
        guard let match = FcFontMatch(nil, pattern, &result) else { return false }
        defer { FcPatternDestroy(match) }
        var family: UnsafeMutablePointer<FcChar8>?
        guard FcPatternGetString(match, FC_FAMILY, 0, &family) == FcResultMatch, let family else { return false }
        return String(cString: family) == "DejaVu Sans"
    }()
}
