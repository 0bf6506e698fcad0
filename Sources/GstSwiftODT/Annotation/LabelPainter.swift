import CODTCairo

/// Draws labels in one font and font size. Lengths are in display units (see ``Canvas``) unless stated otherwise.
struct LabelPainter {
    private let typesetter: Typesetter
    private let fontSize: Double
    private let blender: Blender

    init?(font: NamedFont, fontSize: Double, blender: Blender) {
        guard let typesetter = Typesetter(font, size: fontSize, pixelWidth: blender.canvas.unitX) else { return nil }
        self.typesetter = typesetter
        self.fontSize = fontSize
        self.blender = blender
    }

    private var canvas: Canvas { blender.canvas }

    /// The space to the left and to the right of the text.
    private var margin: Double { 0.4 * fontSize }

    /// Draws an object's label. A long text is shortened to about half the width of the picture. If the text contains
    /// the classifier's label, the longer of the two labels is shortened. Returns `nil` if not even one character fits,
    /// or if Cairo fails.
    func draw(_ style: LabelStyle, of object: AnnotatedObject, showing text: LabelText) -> Tile? {
        let label = text.label(of: object)
        guard let other = text.classifierLabel(of: object), other.count > label?.count ?? 0 else {
            return draw(style, shortening: label) { text.text(for: object, label: $0) }
        }
        return draw(style, shortening: other) { shorter in
            var object = object
            object.classifierLabel = shorter
            return text.text(for: object)
        }
    }

    /// Draws a text that contains a name. If the text is too long, the name is shortened first, because the numbers
    /// beside it should remain. If this does not suffice, the complete text is truncated. Returns `nil` if not even one
    /// character fits, or if Cairo fails.
    ///
    /// - Parameter text: Returns the text with the given name.
    func draw(_ style: LabelStyle, shortening name: String?, _ text: (_ name: String) -> String) -> Tile? {
        line(style.text, shortening: name, text).flatMap { draw(style, $0) }
    }

    /// Draws a text. A long text is truncated at its end. Returns `nil` if not even one character fits, or if Cairo
    /// fails.
    func draw(_ style: LabelStyle) -> Tile? {
        let line = typesetter.line(style.text, within: room)
        return line.bytesBeforeEllipsis == 0 ? nil : draw(style, line)
    }

    private func draw(_ style: LabelStyle, _ line: TextLine) -> Tile? {
        let place = place(line)
        guard let panel = style.panel else { return drawOutlined(line, at: place, style.ink) }
        guard !style.rounded, !line.hasColors else {
            return drawInColors(line, at: place, style.ink, on: panel, rounded: style.rounded)
        }
        return surface(UInt8.self, place) { surface in
            surface.setPaint(.white)
            show(line, at: place, in: surface.context)
        }.map { blender.tile(from: $0, ground: panel, ink: style.ink) }
    }

    private func drawInColors(
        _ line: TextLine, at place: Place, _ ink: Paint, on panel: Paint, rounded: Bool
    ) -> Tile? {
        surface(UInt32.self, place) { surface in
            addPanel(width: place.width, height: place.height, rounded: rounded, to: surface.context)
            surface.setPaint(panel)
            cairo_fill(surface.context)
            surface.setPaint(ink)
            show(line, at: place, in: surface.context)
        }.map(blender.tile)
    }

    private func drawOutlined(_ line: TextLine, at place: Place, _ ink: Paint) -> Tile? {
        surface(UInt32.self, place) { surface in
            cairo_new_path(surface.context)
            line.draw(x: place.start, baseline: place.baseline, asPath: true, in: surface.context)
            surface.setPaint(ink.contrast.faded(ink.alpha * 0.8))
            cairo_set_line_width(surface.context, max(2, 0.2 * fontSize))
            cairo_set_line_join(surface.context, CAIRO_LINE_JOIN_ROUND)
            cairo_stroke(surface.context)
            surface.setPaint(ink)
            show(line, at: place, in: surface.context)
        }.map(blender.tile)
    }

    private func show(_ line: TextLine, at place: Place, in context: OpaquePointer) {
        line.draw(x: place.start, baseline: place.baseline, asPath: false, in: context)
    }

    /// Creates a surface of a label's size and calls `draw`, which draws in display units. Returns `nil` if Cairo
    /// fails.
    private func surface<Pixel: CairoPixel>(
        _: Pixel.Type, _ place: Place, draw: (CairoSurface<Pixel>) -> Void
    ) -> CairoSurface<Pixel>? {
        guard let surface = CairoSurface<Pixel>(width: place.tile.width, height: place.tile.height) else { return nil }
        cairo_scale(surface.context, 1 / canvas.unitX, 1 / canvas.unitY)
        draw(surface)
        return cairo_status(surface.context) == CAIRO_STATUS_SUCCESS ? surface : nil
    }

    private struct Place {
        /// The size of the panel in pixels.
        let tile: (width: Int, height: Int)
        let width: Double
        let height: Double
        let start: Double
        let baseline: Double
    }

    private func place(_ line: TextLine) -> Place {
        let (above, below) = reach(of: line)
        let tile = canvas.tileSize(
            width: (line.width + 2 * margin) / canvas.unitX, height: (above + below) / canvas.unitY)
        let size = (width: Double(tile.width) * canvas.unitX, height: Double(tile.height) * canvas.unitY)
        // The positions are rounded to whole pixels, because letters at fractional positions are blurred.
        let baseline = (((size.height + above - below) / 2) / canvas.unitY).rounded() * canvas.unitY
        let start = (((size.width - line.width) / 2) / canvas.unitX).rounded() * canvas.unitX
        return Place(tile: tile, width: size.width, height: size.height, start: start, baseline: baseline)
    }

    /// Returns the height of the panel above and below the baseline. The panel has room for capital letters. Above the
    /// letters it has additional space for accents, and below the baseline it has equal space for descenders. Most
    /// labels thus have the same height. If a text needs more room above or below the baseline, this height increases
    /// to at most three times the font size.
    private func reach(of line: TextLine) -> (above: Double, below: Double) {
        func with(_ ink: Double) -> Double { min(ink + 0.1 * fontSize, 3 * fontSize) }
        return (
            max(typesetter.capHeight + 0.36 * fontSize, with(line.above)), max(0.36 * fontSize, with(line.below))
        )
    }

    /// The maximum width of a label's text.
    private var room: Double {
        let maximum = Double(canvas.region.width) * canvas.unitX
        return min(maximum, max(maximum / 2, 14 * fontSize)) - 2 * margin
    }

    private func line(_ whole: String, shortening name: String?, _ text: (_ name: String) -> String) -> TextLine? {
        let line = typesetter.line(whole)
        if line.width <= room { return line }
        var shorter = whole
        if let name {
            let others = line.width - typesetter.line(name).width
            let cut = typesetter.line(name, within: room - others - 1).bytesBeforeEllipsis ?? 0
            if cut > 0 { shorter = text(LabelText.shortened(name, toBytes: cut)) }
        }
        let fitting = typesetter.line(shorter, within: room)
        return fitting.bytesBeforeEllipsis == 0 || fitting.width > room + 1 ? nil : fitting
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

/// The properties that determine the pixels of a label. Labels of equal style share one tile.
struct LabelStyle: Hashable {
    /// A long text is truncated when the label is drawn.
    var text: String
    /// The colour of the panel behind the text; `nil` for outlined text without a panel.
    var panel: Paint?
    var ink: Paint
    var rounded = false
}
