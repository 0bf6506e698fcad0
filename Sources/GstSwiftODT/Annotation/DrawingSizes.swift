import SwiftODT

/// How thick lines and how large letters are in a picture, in display units.
struct DrawingSizes: Hashable {
    /// How thick the lines of a box are, in upright pixels: vertical ones across, horizontal ones down.
    struct Pen: Hashable {
        var across: Int
        var down: Int
    }

    let lineWidth: Double
    let fontSize: Double
    /// Whether the user said how large letters are, as a size or in the font's name.
    let isFontSizeGiven: Bool
    let pen: Pen
    /// For the one object that stands out among several.
    let strongPen: Pen

    init(_ options: AnnotatorOptions, font: NamedFont, canvas: Canvas) {
        func usable(_ value: Double, maximum: Double) -> Double? {
            value.isFinite && value > 0 ? min(value, maximum) : nil
        }
        let scale = canvas.scale
        let given = usable(options.lineWidth, maximum: max(1, scale / 4))
        // Even, so that chroma, which many formats have for every other pixel only, is as sharp as luma.
        let usual = max(2, 2 * (scale / 800).rounded())
        lineWidth = given ?? usual
        // Little is drawn of a box whose corners stand for all of it: that has to be seen.
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
