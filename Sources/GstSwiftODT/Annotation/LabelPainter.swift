import CCairo

/// Draws labels in one font at one size.
struct LabelPainter {
    private let typeface: Typeface
    private let fontSize: Double
    private let canvas: Canvas

    init?(font: FontDescription, fontSize: Double, canvas: Canvas) {
        guard
            let typeface = Typeface(
                font, size: fontSize, scaleX: 1 / canvas.unitX, scaleY: 1 / canvas.unitY)
        else { return nil }
        self.typeface = typeface
        self.fontSize = fontSize
        self.canvas = canvas
    }

    private var margin: Double { 0.4 * fontSize }

    /// Room for capitals and, as much above as below them, for accents and tails.
    private var height: Double { typeface.capHeight + 0.72 * fontSize }

    /// The size of a label with this text, in upright pixels.
    func size(of text: String) -> (width: Int, height: Int) {
        canvas.tileSize(width: (typeface.width(of: text) + 2 * margin) / canvas.unitX, height: height / canvas.unitY)
    }

    /// The text for an object, shortened until it takes no more than about half of the picture's width: first the
    /// label gets shorter, so that figure and id stay, then all of it. Empty where nothing fits.
    func fitted(_ object: AnnotatedObject, text: LabelText) -> String {
        let whole = text.text(for: object)
        let most = Double(canvas.region.width) * canvas.unitX
        let room = min(most, max(most / 2, 14 * fontSize)) - 2 * margin
        if typeface.width(of: whole) <= room { return whole }
        return longest(upTo: object.label.count, room: room) { text.text(for: object, labelLimit: $0) }
            ?? longest(upTo: whole.count, room: room) { LabelText.shortened(whole, to: $0) } ?? ""
    }

    /// The longest text that fits, of those made for 1, 2, ... `most` characters.
    private func longest(upTo most: Int, room: Double, _ make: (Int) -> String) -> String? {
        var (low, high) = (0, most)
        while low < high {
            let middle = (low + high + 1) / 2
            if typeface.width(of: make(middle)) <= room { low = middle } else { high = middle - 1 }
        }
        return low > 0 ? make(low) : nil
    }

    func draw(_ style: LabelStyle) -> CairoSurface? {
        let (width, height) = size(of: style.text)
        guard let surface = CairoSurface(width: width, height: height) else { return nil }
        let context = surface.context
        cairo_scale(context, 1 / canvas.unitX, 1 / canvas.unitY)
        let size = (width: Double(width) * canvas.unitX, height: Double(height) * canvas.unitY)
        // On whole units: letters that start between pixels are grey where they should be black.
        let baseline = ((size.height + typeface.capHeight) / 2).rounded()
        let start = ((size.width - typeface.width(of: style.text)) / 2).rounded()
        if let panel = style.panel {
            addPanel(width: size.width, height: size.height, rounded: style.rounded, to: context)
            surface.setPaint(panel)
            cairo_fill(context)
        } else {
            cairo_new_path(context)
            typeface.draw(style.text, x: start, baseline: baseline, asPath: true, in: context)
            surface.setPaint(style.ink.contrast.faded(style.ink.alpha * 0.8))
            cairo_set_line_width(context, max(2, 0.2 * fontSize))
            cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
            cairo_stroke(context)
        }
        surface.setPaint(style.ink)
        typeface.draw(style.text, x: start, baseline: baseline, asPath: false, in: context)
        return cairo_status(context) == CAIRO_STATUS_SUCCESS ? surface : nil
    }

    private func addPanel(width: Double, height: Double, rounded: Bool, to context: OpaquePointer) {
        guard rounded else { return cairo_rectangle(context, 0, 0, width, height) }
        let radius = 0.3 * fontSize
        let quarter = Double.pi / 2
        cairo_new_sub_path(context)
        cairo_arc(context, width - radius, radius, radius, -quarter, 0)
        cairo_arc(context, width - radius, height - radius, radius, 0, quarter)
        cairo_arc(context, radius, height - radius, radius, quarter, 2 * quarter)
        cairo_arc(context, radius, radius, radius, 2 * quarter, 3 * quarter)
        cairo_close_path(context)
    }
}
