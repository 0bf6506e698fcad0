import SwiftODT

/// The widths of lines and the font size for a frame, in display units.
struct DrawingSizes: Hashable {
    /// The width of the lines of a box, in upright pixels: `across` for vertical lines, `down` for horizontal ones.
    struct Pen: Hashable {
        var across: Int
        var down: Int
    }

    let lineWidth: Double
    let fontSize: Double
    /// Whether the user specified the font size, by the property or in the font's name.
    let isFontSizeGiven: Bool
    let pen: Pen
    /// The pen for the most prominent of several objects.
    let strongPen: Pen

    init(_ options: AnnotatorOptions, font: NamedFont, canvas: Canvas) {
        func usable(_ value: Double, maximum: Double) -> Double? {
            value.isFinite && value > 0 ? min(value, maximum) : nil
        }
        let scale = canvas.scale
        let given = usable(options.lineWidth, maximum: max(1, scale / 4))
        // Even, because subsampled chroma would blur lines of odd width.
        let usual = max(2, 2 * (scale / 800).rounded())
        lineWidth = given ?? usual
        // The style draws little of each box, so its lines are wider.
        let width = given ?? (options.boxStyle == .corners ? 2 * usual : usual)
        let wished = usable(options.fontSize, maximum: 1024) ?? font.size.map { min($0, 1024) }
        fontSize = wished ?? 8 + 0.011 * scale
        isFontSizeGiven = wished != nil
        pen = DrawingSizes.pen(width, canvas)
        strongPen = DrawingSizes.pen(given.map { $0 * 1.5 } ?? max(width + 1, width * 1.5), canvas)
    }

    private static func pen(_ width: Double, _ canvas: Canvas) -> Pen {
        Pen(
            across: max(1, Int((width / canvas.unitX).rounded())),
            down: max(1, Int((width / canvas.unitY).rounded())))
    }
}
