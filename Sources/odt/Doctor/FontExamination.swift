import CFontconfig

/// Examines the fonts for labels.
@Sendable func examineFonts() -> [Finding] {
    let remedy = "install fonts-dejavu-core; Pipelines/setup lists packages for other scripts"
    guard FcInit() != 0, let fonts = FcConfigGetFonts(nil, FcSetSystem), fonts.pointee.nfont > 0 else {
        return [.missing("fonts", "fontconfig finds no font: labels would be empty", remedy: remedy)]
    }
    return [.fine("fonts", "\(fonts.pointee.nfont)")]
}
