import CFontconfig

/// Fonts for labels.
@Sendable func examineFonts() -> [Finding] {
    let remedy = "install fonts-dejavu-core; for other scripts Pipelines/setup has a list"
    guard FcInit() != 0, let fonts = FcConfigGetFonts(nil, FcSetSystem), fonts.pointee.nfont > 0 else {
        return [.missing("fonts", "fontconfig knows none: labels would be empty", remedy: remedy)]
    }
    return [.fine("fonts", "\(fonts.pointee.nfont)")]
}
