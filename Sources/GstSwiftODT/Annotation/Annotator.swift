import CODTGStreamer
import SwiftODT

/// Draws objects into a frame, in place and in the frame's pixel format, or as an overlay composition that an element
/// downstream blends.
///
/// Straight lines are filled as strips of pixels. Text, rounded corners and traces are drawn with Cairo into small
/// tiles. A tile is converted to the frame's pixel format once and is cached until its content changes. The cost
/// therefore depends on the area that is drawn, not on the size of the frame.
///
/// Not thread-safe. An annotator is used only by the streaming thread.
final class Annotator {
    /// Values derived from the frame format and the options. They are kept until one of them changes.
    fileprivate struct Setup {
        let options: AnnotatorOptions
        let blender: Blender
        let font: NamedFont
        let sizes: DrawingSizes
        let text: LabelText
        /// `nil` if no font is installed.
        let labels: LabelPainter?
        /// `nil` if traces are not drawn.
        let traces: TracePainter?

        var canvas: Canvas { blender.canvas }

        /// Returns the outer edge of a box's line. The middle of the line is on the edge of the box.
        func outerEdge(of box: Box, pen: DrawingSizes.Pen) -> PixelRect {
            let picture = Box(x: 0, y: 0, width: Double(canvas.width), height: Double(canvas.height))
            let upright = canvas.orientation.upright(
                box.intersection(picture), bufferWidth: picture.width, bufferHeight: picture.height)
            let (dx, dy) = (Double(pen.across) / 2, Double(pen.down) / 2)
            return canvas.snapped(
                Box(
                    x: upright.x - dx, y: upright.y - dy, width: upright.width + 2 * dx,
                    height: upright.height + 2 * dy))
        }
    }

    private struct DrawnBox {
        let object: AnnotatedObject
        /// The outer edge of the box's line.
        let rect: PixelRect
        let pen: DrawingSizes.Pen
        let paint: Paint
    }

    private var setup: Setup?
    private var tiles = TileCache()
    private var texts = LabelTextCache()
    private var traces = TraceHistory()
    private var colors = TrackColors()
    /// The label positions of tracked objects, by tracking ID.
    private var positions: [Int: LabelPosition] = [:]
    private var latest: Nanoseconds?
    private(set) var placedLabels: [PlacedLabel] = []
    /// The zones, their painters for progressive and for interlaced frames, and the places of their texts.
    private var zones: (drawn: [Zone], painters: [Bool: ZonePainter], texts: ZoneTextPlacement)?
    private let overlay = OverlayRectangles()

    /// If there is nothing to draw, the buffer need not be made writable.
    func needsDrawing(
        _ objects: [AnnotatedObject], hiding places: [Box] = [], zones: [AnnotatedZone] = [],
        inferenceRegions: [AnnotatedRegion] = [], options: AnnotatorOptions, width: Int, height: Int, time: Nanoseconds
    ) -> Bool {
        !places.isEmpty || !inferenceRegions.isEmpty || options.drawZones && !zones.isEmpty
            || (options.drawBoxes || options.drawLabels)
                && objects.contains { $0.isVisible(width: width, height: height) }
            // Traces are recorded while drawing, so a tracked object requires drawing even if its trace is not visible
            // yet.
            || options.drawTraces && objects.contains { $0.id != nil }
            || options.drawTraces && traces.isVisible(at: time, duration: options.traceDuration)
    }

    /// If there is nothing to draw, the frame is not written to.
    ///
    /// - Parameters:
    ///   - places: The boxes to redact before drawing. They are ignored unless the box style is `blur` or `pixelate`.
    ///   - frame: A frame that is mapped for writing. Its orientation determines the direction of text. Its pixel
    ///     aspect ratio determines the proportions of labels and lines. Its time determines the age of traces.
    ///   - interlaced: Whether the rows of the two fields alternate in the frame. It determines which rows share a
    ///     chroma sample.
    ///   - mayInterlace: Whether other frames of the stream may be interlaced. It determines the alignment of drawings.
    func draw(
        _ objects: [AnnotatedObject], hiding places: [Box] = [], zones: [AnnotatedZone] = [],
        inferenceRegions: [AnnotatedRegion] = [], options: AnnotatorOptions, into frame: Frame,
        interlaced: Bool = false, mayInterlace: Bool = false
    ) {
        redact(places, options: options, in: frame)
        draw(
            objects, zones: zones, inferenceRegions: inferenceRegions, options: options.adapted(to: frame.format),
            canvas: Canvas(frame, interlaced: interlaced || mayInterlace), interlaced: interlaced, time: frame.time,
            on: .frame(frame))
    }

    func redact(_ places: [Box], options: AnnotatorOptions, in frame: Frame) {
        if let method = options.boxStyle.redaction { for box in places { Redaction.apply(method, to: box, in: frame) } }
    }

    /// Draws the objects as an overlay composition on a buffer, whose pixels are neither read nor written.
    ///
    /// - Parameters:
    ///   - buffer: a writable buffer.
    ///   - canvas: the canvas of an overlay, see ``Canvas/init(overlayOn:orientation:interlaced:)``.
    func attach(
        _ objects: [AnnotatedObject], zones: [AnnotatedZone] = [], inferenceRegions: [AnnotatedRegion] = [],
        options: AnnotatorOptions, to buffer: UnsafeMutablePointer<GstBuffer>, canvas: Canvas, time: Nanoseconds
    ) {
        overlay.begin()
        draw(
            objects, zones: zones, inferenceRegions: inferenceRegions, options: options, canvas: canvas,
            interlaced: canvas.interlaced, time: time, on: .overlay(overlay))
        overlay.attach(to: buffer)
    }

    private func draw(
        _ objects: [AnnotatedObject], zones: [AnnotatedZone], inferenceRegions: [AnnotatedRegion],
        options: AnnotatorOptions, canvas: Canvas, interlaced: Bool, time: Nanoseconds, on target: DrawingTarget
    ) {
        let setup = prepare(options, canvas: canvas)
        setup.blender.interlaced = interlaced
        tiles.interlaced = interlaced
        tiles.beginFrame()
        if options.colorMode == .trackingID { colors.assign(objects, at: time) }
        traces.record(
            objects, options: options, colors: colors, time: time, spacing: max(2, setup.canvas.scale / 250))
        let counts = options.drawZones ? drawZones(zones, setup, on: target) : []
        // The counts of zones are drawn last, so that nothing covers them.
        defer {
            for count in counts {
                setup.blender.draw(count.tile, atBuffer: setup.canvas.buffer(count.place), on: target)
            }
        }
        drawInferenceRegions(inferenceRegions, setup, on: target)
        drawTraces(setup, at: time, on: target)

        // The most prominent object is drawn last, on top of the others.
        let visible = objects.filter { $0.isVisible(width: canvas.width, height: canvas.height) }
        let ordered = visible.filter { !$0.prominent } + visible.filter(\.prominent)
        placedLabels.removeAll(keepingCapacity: true)
        let elapsed = elapsed(until: time)
        guard !ordered.isEmpty else { return forgetLabels(but: [], elapsed) }
        let boxes = ordered.map { object in
            let pen = object.prominent && ordered.count > 1 ? setup.sizes.strongPen : setup.sizes.pen
            return DrawnBox(
                object: object, rect: setup.outerEdge(of: object.box, pen: pen), pen: pen,
                paint: Palette.paint(for: object, options: options, colors: colors))
        }
        if options.drawBoxes {
            for box in boxes where !options.redacts(box.object.label) { draw(box, setup, on: target) }
        }
        if options.drawLabels { drawLabels(boxes, setup, elapsed, reserved: counts.map(\.place), on: target) }
    }

    /// Returns the seconds since the previously drawn frame. They count towards the delays of label placement, such as
    /// the time before a full label replaces a short one.
    private func elapsed(until time: Nanoseconds) -> Double {
        defer { latest = time }
        guard let latest, time > latest else { return 0 }
        return Double(time) / 1e9 - Double(latest) / 1e9
    }

    func forgetTraces() { traces.removeAll() }

    private func prepare(_ options: AnnotatorOptions, canvas: Canvas) -> Setup {
        if let setup, setup.options == options, setup.canvas == canvas { return setup }
        if setup?.canvas.region != canvas.region { positions.removeAll() }
        tiles.removeAll()
        texts.removeAll()
        // Finding a font is slow, so the font is looked up again only if its option has changed. Other options, such as
        // colours, may change with every frame.
        let font = setup.flatMap { $0.options.font == options.font ? $0.font : nil } ?? NamedFont(options.font)
        let sizes = DrawingSizes(options, font: font, canvas: canvas)
        let known = setup.flatMap { $0.canvas == canvas ? $0 : nil }
        if known?.sizes.lineWidth != sizes.lineWidth { zones = nil }
        let isSameText = known?.font === font && known?.sizes.fontSize == sizes.fontSize
        // The size of a label determines whether there is room for the label. If it changes, the stored positions are
        // invalid.
        if !isSameText { positions.removeAll() }
        let blender = known?.blender ?? Blender(canvas: canvas)
        let prepared = Setup(
            options: options, blender: blender, font: font, sizes: sizes, text: LabelText(options),
            labels: isSameText
                ? known?.labels : LabelPainter(font: font, fontSize: sizes.fontSize, blender: blender),
            traces: options.drawTraces ? TracePainter(blender: blender, lineWidth: sizes.lineWidth) : nil)
        setup = prepared
        return prepared
    }
}

// MARK: - Zones

extension Annotator {
    /// Draws zones and lines. Everything else is drawn on top of them.
    ///
    /// - Returns: The tiles with the counts of the zones, and the places at which to draw them.
    private func drawZones(
        _ annotated: [AnnotatedZone], _ setup: Setup, on target: DrawingTarget
    ) -> [(tile: Tile, place: PixelRect)] {
        guard !annotated.isEmpty else { return [] }
        let (blender, lineWidth) = (setup.blender, max(2, setup.sizes.lineWidth))
        if zones?.drawn.elementsEqual(annotated.lazy.map(\.zone)) != true {
            let drawn = annotated.map(\.zone)
            zones = (drawn, [:], ZoneTextPlacement(drawn, canvas: setup.canvas, lineWidth: lineWidth))
        }
        let painter =
            zones?.painters[blender.interlaced]
            ?? ZonePainter(annotated.map(\.zone), blender: blender, lineWidth: lineWidth)
        zones?.painters[blender.interlaced] = painter
        painter.draw(with: blender, on: target)
        guard let labels = setup.labels else { return [] }
        let texts = annotated.map { one in
            let paint = ZonePainter.paint(of: one.zone)
            let style = LabelStyle(text: one.text, panel: paint.faded(0.8), ink: paint.contrast)
            return tiles.tile(.label(style)) { labels.draw(style, shortening: one.name, one.text(named:)) }
        }
        let places = zones?.texts.places(of: texts.map { ($0?.width ?? 0, $0?.height ?? 0) }) ?? []
        return zip(texts, places).compactMap { tile, place in tile.map { ($0, place) } }
    }
}

// MARK: - Inference regions

extension Annotator {
    /// Draws a frame around each region. Draws the magnification into the latest region that is smaller than the full
    /// frame.
    private func drawInferenceRegions(_ inferenceRegions: [AnnotatedRegion], _ setup: Setup, on target: DrawingTarget) {
        for inferenceRegion in inferenceRegions { drawFrame(of: inferenceRegion, setup, on: target) }
        guard setup.options.drawLabels, let labels = setup.labels,
            let latest = inferenceRegions.last(where: { $0.magnification != nil }),
            let magnification = latest.magnification
        else { return }
        let style = LabelStyle(
            text: "inference \u{D7}\(DecimalText.text(magnification, decimals: 1))", panel: Paint.black.faded(0.63),
            ink: .white)
        guard let tile = tiles.tile(.label(style), draw: { labels.draw(style) }) else { return }
        let rect = setup.outerEdge(of: latest.box, pen: setup.sizes.pen)
        let (step, inset, top) = (setup.canvas.step, setup.sizes.strongPen, setup.canvas.region.y)
        // The text is in the lower left corner, because labels of objects are rarely there.
        let place = PixelRect(
            x: rect.x + (inset.across + step.x - 1) / step.x * step.x,
            y: max(rect.y, top + (rect.maxY - inset.down - tile.height - top) / step.y * step.y), width: tile.width,
            height: tile.height)
        setup.blender.draw(tile, atBuffer: setup.canvas.buffer(place), on: target)
    }

    /// Draws white corners and, around a region that is smaller than the full frame, a thin line between the corners.
    /// Beside each white line there is a dark line, so that the outline is visible on a bright background, too.
    private func drawFrame(of inferenceRegion: AnnotatedRegion, _ setup: Setup, on target: DrawingTarget) {
        let pen = setup.sizes.pen
        let rect = setup.outerEdge(of: inferenceRegion.box, pen: pen)
        let thin = DrawingSizes.Pen(across: max(1, pen.across / 2), down: max(1, pen.down / 2))
        func draw(_ style: AnnotatorOptions.BoxStyle, pen: DrawingSizes.Pen, strength: Float) {
            let line = BoxOutline(rect, style: style, pen: pen, dashed: false, canvas: setup.canvas)
            let shade = BoxOutline(
                rect.inset(x: pen.across, y: pen.down), style: style, pen: thin, dashed: false, canvas: setup.canvas)
            for strip in shade.strips {
                setup.blender.fill(strip, with: Paint.black.faded(0.5 * strength), on: target)
            }
            for strip in line.strips { setup.blender.fill(strip, with: Paint.white.faded(strength), on: target) }
        }
        if inferenceRegion.magnification != nil {
            draw(.rectangle, pen: thin, strength: 0.6 * inferenceRegion.strength)
        }
        draw(.corners, pen: setup.sizes.strongPen, strength: inferenceRegion.strength)
    }
}

// MARK: - Boxes and traces

extension Annotator {
    /// The opacity of coasting objects is multiplied by this factor. Their lines are also dashed.
    private static let coastingFade: Float = 0.65
    /// The opacity of the label panels of coasting objects, and the minimum for other label panels. If the background
    /// showed through more, the text would have less contrast, because its colour is chosen for the panel's colour.
    private static let coastingPanelOpacity: Float = 0.85

    private func draw(_ box: DrawnBox, _ setup: Setup, on target: DrawingTarget) {
        let (object, rect, pen) = (box.object, box.rect, box.pen)
        let paint = box.paint.faded(object.coasting ? Annotator.coastingFade : 1)
        let style = setup.options.boxStyle
        let outline = BoxOutline(rect, style: style, pen: pen, dashed: object.coasting, canvas: setup.canvas)
        let inside = rect.inset(x: pen.across, y: pen.down)
        if style == .filled {
            setup.blender.fill(inside, with: paint.faded(object.coasting ? 0.2 : 0.28), on: target)
        }
        if style == .filled && !object.coasting {
            // The translucent filling is hard to see on a textured background, so a contrasting line is drawn inside
            // the outline.
            let edge = BoxOutline(inside, style: .rectangle, pen: setup.sizes.pen, dashed: false, canvas: setup.canvas)
            for strip in edge.strips { setup.blender.fill(strip, with: paint.contrast.faded(0.35), on: target) }
        }
        for strip in outline.strips { setup.blender.fill(strip, with: paint, on: target) }
        for (place, corner) in outline.corners {
            var painted = corner
            painted.paint = paint
            let tile = tiles.tile(.corner(painted)) { painted.draw().map { setup.blender.tile(from: $0) } }
            if let tile { setup.blender.draw(tile, atBuffer: setup.canvas.buffer(place), on: target) }
        }
    }

    private func drawTraces(_ setup: Setup, at time: Nanoseconds, on target: DrawingTarget) {
        guard let painter = setup.traces else { return }
        // The traces are sorted by ID, so that crossing traces cover each other in the same order in every frame.
        for (_, trace) in traces.traces.sorted(by: { $0.key < $1.key }) {
            painter.draw(trace, time: time, duration: setup.options.traceDuration, on: target)
        }
    }
}

// MARK: - Labels

extension Annotator {
    /// How long the label position of an object is kept after its label was last drawn, in seconds. If the object is
    /// drawn again within this time, its label returns to this position.
    private static let memory = 1.0

    /// - Parameter reserved: The places that no label may cover.
    private func drawLabels(
        _ boxes: [DrawnBox], _ setup: Setup, _ elapsed: Double, reserved: [PixelRect], on target: DrawingTarget
    ) {
        guard let painter = setup.labels else { return }
        let canvas = setup.canvas
        var placement = LabelPlacement(
            region: canvas.region, boxes: boxes.map(\.rect), reserved: reserved, step: canvas.step, elapsed: elapsed)
        for index in placingOrder(boxes.map(\.object)) {
            let (object, rect) = (boxes[index].object, boxes[index].rect)
            guard let style = style(for: object, paint: boxes[index].paint, setup) else { continue }
            let tile = tiles.tile(.label(style)) { painter.draw(style, of: object, showing: setup.text) }
            guard let tile else { continue }
            var position = object.id.flatMap { positions[$0] }
            var short: [(style: LabelStyle, tile: Tile)] = []
            let place = placement.place(
                (tile.width, tile.height),
                short: {
                    short = shortLabels(for: object, style, narrowerThan: tile, painter, setup.text)
                    return short.map { ($0.tile.width, $0.tile.height) }
                }, box: index, &position)
            if let id = object.id { positions[id] = position }
            guard let place else { continue }
            let drawn = position?.shortLabel.map { short[$0] } ?? (style: style, tile: tile)
            setup.blender.draw(drawn.tile, atBuffer: canvas.buffer(place), on: target)
            placedLabels.append(PlacedLabel(id: object.id, text: drawn.style.text, place: place, box: rect))
        }
        forgetLabels(but: boxes.map(\.object), elapsed)
    }

    /// Returns the short labels, which are drawn if there is no room for the full label. Each is narrower than the one
    /// before it.
    private func shortLabels(
        for object: AnnotatedObject, _ whole: LabelStyle, narrowerThan tile: Tile, _ painter: LabelPainter,
        _ text: LabelText
    ) -> [(style: LabelStyle, tile: Tile)] {
        var (style, width) = (whole, tile.width)
        return text.shortTexts(for: object, insteadOf: whole.text).compactMap { words in
            style.text = words
            guard let short = tiles.tile(.label(style), draw: { painter.draw(style) }), short.width < width else {
                return nil
            }
            width = short.width
            return (style, short)
        }
    }

    /// Returns the order in which labels are placed. The most prominent object is first. Then follow the objects with a
    /// visible label, and the other objects. Within each of these groups, older objects precede newer ones. A new label
    /// therefore displaces a visible label only if the new label belongs to the most prominent object. The order does
    /// not depend on missed detections, so that labels do not move back and forth with them.
    private func placingOrder(_ objects: [AnnotatedObject]) -> [Int] {
        func rank(_ index: Int) -> (Int, Int) {
            let object = objects[index]
            let hasLabel = object.id.flatMap { positions[$0] }.map { $0.hiddenFor == nil } ?? false
            return (object.prominent ? 0 : hasLabel ? 1 : 2, object.id ?? .max)
        }
        let ranks = objects.indices.map(rank)
        return objects.indices.sorted { (ranks[$0].0, ranks[$0].1, $0) < (ranks[$1].0, ranks[$1].1, $1) }
    }

    private func forgetLabels(but objects: [AnnotatedObject], _ elapsed: Double) {
        let drawnCount = objects.count { $0.id.map { positions[$0] != nil } ?? false }
        guard positions.count > drawnCount else { return }
        let drawn = Set(objects.lazy.compactMap(\.id))
        for (id, position) in positions where !drawn.contains(id) {
            let away = (position.hiddenFor ?? 0) + elapsed
            positions[id]?.hiddenFor = away
            if away > Self.memory { positions[id] = nil }
        }
    }

    private func style(for object: AnnotatedObject, paint: Paint, _ setup: Setup) -> LabelStyle? {
        let text = texts.text(for: object) { setup.text.text(for: object) }
        guard !text.isEmpty else { return nil }
        let options = setup.options
        let chosen = options.labelColor == 0 ? nil : Palette.opaque(options.labelColor)
        guard options.labelBackground else {
            let ink = chosen ?? paint.with(alpha: 1)
            return LabelStyle(text: text, panel: nil, ink: ink.faded(object.coasting ? 0.7 : 1))
        }
        let opacity = Annotator.coastingPanelOpacity
        return LabelStyle(
            text: text, panel: paint.with(alpha: object.coasting ? opacity : max(paint.alpha, opacity)),
            ink: chosen ?? paint.contrast,
            rounded: options.boxStyle == .rounded)
    }
}

extension AnnotatedObject {
    fileprivate func isVisible(width: Int, height: Int) -> Bool {
        box.isFinite && !box.clipped(width: width, height: height).isEmpty
    }
}
