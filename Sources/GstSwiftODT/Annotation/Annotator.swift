import SwiftODT

/// Draws objects into a frame, in the frame's own format and in place.
///
/// Lines are filled as strips; letters, round corners and traces are small Cairo tiles, which are converted to the
/// frame's format once and kept while they stay the same. So the cost follows what is seen, not the size of the frame.
///
/// Not safe to use from two threads at once: it belongs to the streaming thread.
final class Annotator {
    /// What follows from the picture and the options, and stays while they do.
    fileprivate struct Setup {
        let options: AnnotatorOptions
        let blender: Blender
        let sizes: DrawingSizes
        let text: LabelText
        /// `nil` where there is no font at all.
        let labels: LabelPainter?
        let traces: TracePainter?

        var canvas: Canvas { blender.canvas }
    }

    private var setup: Setup?
    private var tiles = TileCache()
    private var texts = LabelTexts()
    private var traces = TraceBook()
    private var slots: [Int: LabelPlacement.Slot] = [:]

    init() {}

    /// Whether ``draw(_:options:into:interlaced:)`` would change anything, so that a buffer is made writable and
    /// mapped for writing only then.
    func needsDrawing(
        _ objects: [AnnotatedObject], options: AnnotatorOptions, width: Int, height: Int, time: Nanoseconds
    ) -> Bool {
        objects.contains { $0.isVisible(width: width, height: height) }
            || options.drawTraces && traces.isVisible(at: time, duration: options.traceDuration)
    }

    /// Draws the objects. Where there is nothing to draw not one byte is touched.
    ///
    /// - Parameters:
    ///   - frame: mapped for writing. Its orientation turns labels upright, its pixel aspect ratio keeps them and
    ///     the lines in shape, its time moves the traces.
    ///   - interlaced: whether two fields are woven into the picture, which decides the rows that share chroma.
    func draw(
        _ objects: [AnnotatedObject], options: AnnotatorOptions, into frame: Frame, interlaced: Bool = false
    ) {
        let setup = prepare(options, canvas: Canvas(frame, interlaced: interlaced))
        traces.record(objects, options: options, time: frame.time, spacing: max(2, setup.canvas.scale / 250))
        drawTraces(setup, in: frame)

        // The most prominent one last, on top; the others as they come.
        let visible = objects.filter { $0.isVisible(width: frame.width, height: frame.height) }
        let ordered = visible.filter { !$0.prominent } + visible.filter(\.prominent)
        guard !ordered.isEmpty else { return slots.removeAll() }
        let boxes = ordered.map { object in
            let pen = self.pen(for: object, among: ordered, setup)
            return (object, pen, setup.outerEdge(of: object.box, pen: pen))
        }
        for (object, pen, rect) in boxes { drawBox(of: object, pen: pen, rect: rect, setup, in: frame) }
        if options.drawLabels { drawLabels(boxes.map { ($0.0, $0.2) }, setup, in: frame) }
    }

    /// Another scene: ways through the one before mean nothing in it.
    func forgetTraces() { traces.removeAll() }

    /// Starts a new epoch: traces, places of labels and cached tiles are forgotten.
    func reset() {
        setup = nil
        tiles.removeAll()
        texts.removeAll()
        traces.removeAll()
        slots.removeAll()
    }

    private func prepare(_ options: AnnotatorOptions, canvas: Canvas) -> Setup {
        if let setup, setup.options == options, setup.canvas == canvas { return setup }
        tiles.removeAll()
        texts.removeAll()
        let font = NamedFont(options.font)
        let sizes = DrawingSizes(options, font: font, canvas: canvas)
        let blender = setup.flatMap { $0.canvas == canvas ? $0.blender : nil } ?? Blender(canvas: canvas)
        let prepared = Setup(
            options: options, blender: blender, sizes: sizes, text: LabelText(options),
            labels: LabelPainter(font: font, fontSize: sizes.fontSize, canvas: canvas),
            traces: options.drawTraces ? TracePainter(blender: blender, lineWidth: sizes.lineWidth) : nil)
        setup = prepared
        return prepared
    }
}

// MARK: - Boxes and traces

extension Annotator {
    /// Lines of a box that is not seen but carried on are this much fainter, besides being dashed.
    private static let coastingFade: Float = 0.65

    private func pen(
        for object: AnnotatedObject, among objects: [AnnotatedObject], _ setup: Setup
    ) -> DrawingSizes.Pen {
        object.prominent && objects.count > 1 ? setup.sizes.strongPen : setup.sizes.pen
    }

    private func drawBox(
        of object: AnnotatedObject, pen: DrawingSizes.Pen, rect: PixelRect, _ setup: Setup, in frame: Frame
    ) {
        let paint = Palette.paint(for: object, options: setup.options)
            .faded(object.coasting ? Annotator.coastingFade : 1)
        let style = setup.options.boxStyle
        let outline = BoxOutline(rect, style: style, pen: pen, dashed: object.coasting, canvas: setup.canvas)
        if style == .filled {
            let inside = rect.inset(x: pen.across, y: pen.down)
            setup.blender.fill(inside, with: paint.faded(object.coasting ? 0.2 : 0.28), in: frame)
        }
        for strip in outline.strips { setup.blender.fill(strip, with: paint, in: frame) }
        for (place, corner) in outline.corners {
            var painted = corner
            painted.paint = paint
            let tile = tiles.tile(.corner(painted)) { painted.draw().map { setup.blender.tile(from: $0) } }
            if let tile { setup.blender.draw(tile, atBuffer: setup.canvas.buffer(place), in: frame) }
        }
    }

    private func drawTraces(_ setup: Setup, in frame: Frame) {
        guard let painter = setup.traces else { return }
        // In order of their ids, so that a crossing looks the same in each frame.
        for (_, trace) in traces.traces.sorted(by: { $0.key < $1.key }) {
            painter.draw(trace, time: frame.time, duration: setup.options.traceDuration, in: frame)
        }
    }
}

// MARK: - Labels

extension Annotator {
    private func drawLabels(
        _ boxes: [(object: AnnotatedObject, rect: PixelRect)], _ setup: Setup, in frame: Frame
    ) {
        guard let painter = setup.labels else { return }
        var placement = LabelPlacement(region: setup.canvas.region, boxes: boxes.map(\.rect))
        var kept: [Int: LabelPlacement.Slot] = [:]
        var panels: [(tile: Tile, place: PixelRect)] = []
        // The most prominent one chooses its place first and is drawn last.
        for (index, (object, _)) in boxes.enumerated().reversed() {
            guard let style = style(for: object, setup) else { continue }
            let tile = tiles.tile(.label(style)) {
                painter.draw(style, of: object, saying: setup.text).map { setup.blender.tile(from: $0) }
            }
            guard let tile else { continue }
            let found = placement.place(
                width: tile.width, height: tile.height, box: index, before: object.id.flatMap { slots[$0] })
            guard let found else { continue }
            if let id = object.id { kept[id] = found.slot }
            panels.append((tile, found.place))
        }
        slots = kept
        for (tile, place) in panels.reversed() {
            setup.blender.draw(tile, atBuffer: setup.canvas.buffer(place), in: frame)
        }
    }

    private func style(for object: AnnotatedObject, _ setup: Setup) -> LabelStyle? {
        let text = texts.text(for: object) { setup.text.text(for: object) }
        guard !text.isEmpty else { return nil }
        let options = setup.options
        let paint = Palette.paint(for: object, options: options)
        let given = options.labelColor
        let chosen = given == 0 ? nil : Paint(argb: given >> 24 == 0 ? given | 0xFF00_0000 : given)
        guard options.labelBackground else {
            return LabelStyle(text: text, panel: nil, ink: (chosen ?? paint).faded(object.coasting ? 0.7 : 1))
        }
        return LabelStyle(
            text: text, panel: paint.faded(object.coasting ? Annotator.coastingFade : 1), ink: chosen ?? paint.contrast,
            rounded: options.boxStyle == .rounded)
    }
}

extension Annotator.Setup {
    /// The rectangle that the outer edge of a box's line follows: the line lies half outside the box.
    fileprivate func outerEdge(of box: Box, pen: DrawingSizes.Pen) -> PixelRect {
        let picture = Box(x: 0, y: 0, width: Double(canvas.width), height: Double(canvas.height))
        let upright = canvas.orientation.upright(
            box.intersection(picture), bufferWidth: picture.width, bufferHeight: picture.height)
        let (dx, dy) = (Double(pen.across) / 2, Double(pen.down) / 2)
        return canvas.snapped(
            Box(x: upright.x - dx, y: upright.y - dy, width: upright.width + 2 * dx, height: upright.height + 2 * dy))
    }
}

extension AnnotatedObject {
    fileprivate func isVisible(width: Int, height: Int) -> Bool {
        box.isFinite && !box.clipped(width: width, height: height).isEmpty
    }
}
