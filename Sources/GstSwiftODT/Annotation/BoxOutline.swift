import CODTCairo

/// The outline of a box, as rectangles of whole pixels (strips) and, if the style is `rounded`, tiles for the corners.
/// The cost of drawing depends on the area of the lines, not on the area of the box.
struct BoxOutline {
    private(set) var strips: [PixelRect] = []
    private(set) var corners: [(place: PixelRect, corner: RoundedCorner)] = []

    /// - Parameters:
    ///   - rect: The outer edge of the outline, in pixels of the upright picture.
    ///   - dashed: Whether the sides have gaps, which indicates a coasting object. Ignored by the style `corners`.
    init(
        _ rect: PixelRect, style: AnnotatorOptions.BoxStyle, pen: DrawingSizes.Pen, dashed: Bool, canvas: Canvas
    ) {
        guard rect.width > 2 * pen.across, rect.height > 2 * pen.down else {
            strips = [rect]
            return
        }
        guard style != .corners else {
            addBrackets(of: rect, pen: pen, canvas: canvas)
            return
        }
        let radius: (x: Int, y: Int) =
            style == .rounded ? BoxOutline.radius(in: rect, pen: pen, canvas: canvas) : (0, 0)
        let isRounded = radius.x >= pen.across && radius.y >= pen.down
        addSides(of: rect, from: isRounded ? radius : (pen.across, pen.down), pen: pen, dashed: dashed)
        if isRounded { addCorners(of: rect, radius: radius, pen: pen) }
    }

    /// Adds the four sides between the corners. `corner` is the size of a corner. If it equals the size of the pen, the
    /// corners are square. The upper and lower sides then include the corners.
    private mutating func addSides(
        of rect: PixelRect, from corner: (x: Int, y: Int), pen: DrawingSizes.Pen, dashed: Bool
    ) {
        let square = corner == (pen.across, pen.down)
        let startX = square ? 0 : corner.x
        for part in BoxOutline.parts(of: rect.width, leaving: startX, dash: dashed ? 5 * pen.across : nil) {
            for y in [rect.y, rect.maxY - pen.down] {
                strips.append(PixelRect(x: rect.x + part.lowerBound, y: y, width: part.count, height: pen.down))
            }
        }
        let startY = square ? 0 : corner.y
        for part in BoxOutline.parts(of: rect.height, leaving: startY, dash: dashed ? 5 * pen.down : nil) {
            let inner = part.clamped(to: corner.y..<(rect.height - corner.y))
            guard !inner.isEmpty else { continue }
            for x in [rect.x, rect.maxX - pen.across] {
                strips.append(PixelRect(x: x, y: rect.y + inner.lowerBound, width: pen.across, height: inner.count))
            }
        }
    }

    /// Returns the ranges of a side that are drawn. `margin` is left out at both ends of the side. If `dash` is `nil`,
    /// or the side is shorter than 8 pixels, the rest is one range. Otherwise the ranges are dashes of about the length
    /// `dash`. There is a dash at each end, and the gaps are slightly shorter than the dashes.
    private static func parts(of length: Int, leaving margin: Int, dash: Int?) -> [Range<Int>] {
        let whole = margin..<max(margin, length - margin)
        guard var dash else { return [whole] }
        // Short sides have shorter dashes, so that the outline of a small box is dashed, too.
        if whole.count <= 3 * dash { dash = whole.count / 4 }
        guard dash >= 2 else { return [whole] }
        let even = dash + dash % 2
        let gaps = max(1, (whole.count - even) * 5 / (even * 9))
        return (0...gaps).map { number in
            let start = (whole.count - even) * number / gaps
            // Dashes start at even positions, so that they align with subsampled chroma. The last dash ends at the end
            // of the side.
            let place = whole.lowerBound + (number == gaps ? start : start - start % 2)
            return place..<min(place + even, whole.upperBound)
        }
    }

    /// Returns the radius of the rounded corners; 0 if there is no room for them. It is a multiple of the canvas's
    /// step, because the corners are tiles.
    private static func radius(in rect: PixelRect, pen: DrawingSizes.Pen, canvas: Canvas) -> (x: Int, y: Int) {
        let wanted = 5 * Double(max(pen.across, pen.down))
        let maximum = min(Double(rect.width) * canvas.unitX, Double(rect.height) * canvas.unitY) / 2
        let size = canvas.tileSize(
            width: min(wanted, maximum) / canvas.unitX, height: min(wanted, maximum) / canvas.unitY)
        let step = canvas.step
        return (
            min(size.width, rect.width / 2 / step.x * step.x), min(size.height, rect.height / 2 / step.y * step.y)
        )
    }

    private mutating func addCorners(
        of rect: PixelRect, radius: (x: Int, y: Int), pen: DrawingSizes.Pen
    ) {
        for right in [false, true] {
            for bottom in [false, true] {
                let place = PixelRect(
                    x: right ? rect.maxX - radius.x : rect.x, y: bottom ? rect.maxY - radius.y : rect.y,
                    width: radius.x, height: radius.y)
                let corner = RoundedCorner(
                    width: radius.x, height: radius.y, pen: pen, right: right, bottom: bottom, paint: .black)
                corners.append((place, corner))
            }
        }
    }

    /// Adds two arms at each corner. The length of an arm is a quarter of the shorter side, but at least five times the
    /// width of the pen. It is limited so that two arms never meet.
    private mutating func addBrackets(of rect: PixelRect, pen: DrawingSizes.Pen, canvas: Canvas) {
        let side = min(Double(rect.width) * canvas.unitX, Double(rect.height) * canvas.unitY)
        let arm = max(side / 4, 5 * max(Double(pen.across) * canvas.unitX, Double(pen.down) * canvas.unitY))
        let step = canvas.step
        let armX = max(pen.across, min(Int(arm / canvas.unitX), rect.width * 2 / 5) / step.x * step.x)
        let armY = max(pen.down, min(Int(arm / canvas.unitY), rect.height * 2 / 5) / step.y * step.y)
        for x in [rect.x, rect.maxX - armX] {
            for y in [rect.y, rect.maxY - pen.down] {
                strips.append(PixelRect(x: x, y: y, width: armX, height: pen.down))
            }
        }
        for x in [rect.x, rect.maxX - pen.across] {
            for y in [rect.y + pen.down, rect.maxY - armY] {
                strips.append(PixelRect(x: x, y: y, width: pen.across, height: armY - pen.down))
            }
        }
    }
}

/// One corner of a box with rounded corners: a quarter of a ring. Equal corners share one tile.
struct RoundedCorner: Hashable {
    let width: Int
    let height: Int
    let pen: DrawingSizes.Pen
    let right: Bool
    let bottom: Bool
    var paint: Paint

    func draw() -> CairoSurface<UInt32>? {
        guard let surface = CairoSurface<UInt32>(width: width, height: height) else { return nil }
        let context = surface.context
        cairo_translate(context, right ? 0 : Double(width), bottom ? 0 : Double(height))
        cairo_scale(context, right ? 1 : -1, bottom ? 1 : -1)
        addQuarter(width: Double(width), height: Double(height), to: context)
        addQuarter(width: Double(width - pen.across), height: Double(height - pen.down), to: context)
        cairo_set_fill_rule(context, CAIRO_FILL_RULE_EVEN_ODD)
        surface.setPaint(paint)
        cairo_fill(context)
        return surface
    }

    private func addQuarter(width: Double, height: Double, to context: OpaquePointer) {
        guard width > 0, height > 0 else { return }
        cairo_save(context)
        cairo_scale(context, width, height)
        cairo_move_to(context, 0, 0)
        cairo_arc(context, 0, 0, 1, 0, .pi / 2)
        cairo_close_path(context)
        cairo_restore(context)
    }
}
