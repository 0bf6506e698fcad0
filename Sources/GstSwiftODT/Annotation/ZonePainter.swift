import CODTCairo
import SwiftODT

/// Draws zones and lines once into tiles. The tiles are blended with each frame until the zones or the frame format
/// change.
///
/// The picture is divided into squares. Only the squares that a zone or line touches become tiles. The cost per frame
/// is proportional to the area of the zones.
struct ZonePainter {
    private static let side = 128
    private static let fill: Float = 0.10

    private let canvas: Canvas
    private let tiles: [(tile: Tile, place: PixelRect)]

    init(_ zones: [Zone], blender: Blender, lineWidth: Double) {
        canvas = blender.canvas
        var tiles: [(tile: Tile, place: PixelRect)] = []
        let (region, side) = (canvas.region, Self.side)
        for top in stride(from: region.y, to: region.maxY, by: side) {
            for left in stride(from: region.x, to: region.maxX, by: side) {
                let place = PixelRect(
                    minX: left, minY: top, maxX: min(left + side, region.maxX), maxY: min(top + side, region.maxY))
                guard let surface = CairoSurface<UInt32>(width: place.width, height: place.height) else { continue }
                let sketch = Sketch(canvas: canvas, lineWidth: lineWidth, place: place, surface: surface)
                for zone in zones { sketch.draw(zone) }
                if !surface.isEmpty { tiles.append((blender.tile(from: surface), place)) }
            }
        }
        self.tiles = tiles
    }

    func draw(with blender: Blender, on target: DrawingTarget) {
        for (tile, place) in tiles { blender.draw(tile, atBuffer: canvas.buffer(place), on: target) }
    }

    /// Grey for an ignored area, otherwise amber.
    static func paint(of zone: Zone) -> Paint { Paint(argb: zone.kind == .ignore ? 0xFF9E_9E9E : 0xFFFF_C107) }

    private struct Sketch {
        let canvas: Canvas
        let lineWidth: Double
        let place: PixelRect
        let surface: CairoSurface<UInt32>

        func draw(_ zone: Zone) {
            let context = surface.context
            let paint = ZonePainter.paint(of: zone)
            cairo_save(context)
            defer { cairo_restore(context) }
            cairo_scale(context, 1 / canvas.unitX, 1 / canvas.unitY)
            cairo_translate(context, -Double(place.x) * canvas.unitX, -Double(place.y) * canvas.unitY)
            cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
            cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
            cairo_set_fill_rule(context, CAIRO_FILL_RULE_EVEN_ODD)
            cairo_new_path(context)
            let corners = zone.points.map {
                (
                    x: $0.x * Double(canvas.uprightWidth) * canvas.unitX,
                    y: $0.y * Double(canvas.uprightHeight) * canvas.unitY
                )
            }
            for corner in corners { cairo_line_to(context, corner.x, corner.y) }
            if zone.kind != .line {
                cairo_close_path(context)
                surface.setPaint(paint.faded(ZonePainter.fill * (zone.kind == .ignore ? 2 : 1)))
                cairo_fill_preserve(context)
            }
            stroke(paint, dashed: zone.kind == .ignore)
            if zone.kind == .line { drawArrow(across: corners, paint) }
        }

        /// Draws a line with a dark edge, so that the line is visible on a bright background, too.
        private func stroke(_ paint: Paint, dashed: Bool = false) {
            let context = surface.context
            if dashed { cairo_set_dash(context, [3 * lineWidth, 3 * lineWidth], 2, 0) }
            surface.setPaint(Paint(red: 0, green: 0, blue: 0, alpha: 0.35))
            cairo_set_line_width(context, lineWidth + 2)
            cairo_stroke_preserve(context)
            surface.setPaint(paint)
            cairo_set_line_width(context, lineWidth)
            cairo_stroke(context)
        }

        /// Draws an arrow that shows in which direction a crossing counts as `in`. Seen from the first point of the
        /// line towards the last point, the arrow points to the right.
        private func drawArrow(across corners: [(x: Double, y: Double)], _ paint: Paint) {
            let middle = corners.count / 2
            let (from, to) = (corners[middle - 1], corners[middle])
            let (dx, dy) = (to.x - from.x, to.y - from.y)
            let length = (dx * dx + dy * dy).squareRoot()
            guard length > 0 else { return }
            let (reach, context) = (6 * lineWidth, surface.context)
            let (along, across) = ((x: dx / length, y: dy / length), (x: -dy / length, y: dx / length))
            // The arrow is at a quarter of the line's length, because the text is at the middle.
            var root = (x: from.x + dx / 4, y: from.y + dy / 4)
            var tip = (x: root.x + across.x * reach, y: root.y + across.y * reach)
            // At the edge of the picture, the arrow is shifted back across the line until its head is visible.
            let picture = Box(
                x: 0, y: 0, width: Double(canvas.uprightWidth) * canvas.unitX,
                height: Double(canvas.uprightHeight) * canvas.unitY)
            func shifted(_ point: (x: Double, y: Double), by distance: Double) -> (x: Double, y: Double) {
                (point.x - across.x * distance, point.y - across.y * distance)
            }
            let shift = stride(from: 0, through: 2 * reach, by: 1).first {
                let (x, y) = shifted(tip, by: $0)
                return picture.contains(
                    Box(x: x - lineWidth, y: y - lineWidth, width: 2 * lineWidth, height: 2 * lineWidth), within: 0)
            }
            (root, tip) = (shifted(root, by: shift ?? 0), shifted(tip, by: shift ?? 0))
            cairo_move_to(context, root.x, root.y)
            cairo_line_to(context, tip.x, tip.y)
            for side in [-1.0, 1] {
                cairo_move_to(context, tip.x, tip.y)
                cairo_line_to(
                    context, tip.x + (side * along.x - across.x) * reach * 0.4,
                    tip.y + (side * along.y - across.y) * reach * 0.4)
            }
            stroke(paint)
        }
    }
}

/// Places the texts of zones beside the highest point of an area, or beside the middle of a line. Texts overlap only if
/// there is no room beside this point, nor above or below the texts that are there.
///
/// A place has room for about two more digits and is kept while the text fits. Texts therefore rarely move when counts
/// change.
struct ZoneTextPlacement {
    private struct Anchor {
        let x: Int
        let y: Int
        let isLine: Bool
    }

    private let canvas: Canvas
    private let gap: Int
    private let anchors: [Anchor]
    private var places: [PixelRect] = []

    init(_ zones: [Zone], canvas: Canvas, lineWidth: Double) {
        self.canvas = canvas
        gap = Int(2 * lineWidth)
        anchors = zones.map { zone in
            let corners = zone.points.map {
                (x: $0.x * Double(canvas.uprightWidth), y: $0.y * Double(canvas.uprightHeight))
            }
            let middle = corners.count / 2
            let point =
                zone.kind == .line
                ? (
                    x: (corners[middle - 1].x + corners[middle].x) / 2,
                    y: (corners[middle - 1].y + corners[middle].y) / 2
                )
                : corners.min { ($0.y, $0.x) < ($1.y, $1.x) } ?? (0, 0)
            return Anchor(x: Int(point.x), y: Int(point.y), isLine: zone.kind == .line)
        }
    }

    /// Returns the places of texts, in the order of the zones. The sizes are in pixels of the upright grid.
    mutating func places(of sizes: [LabelPlacement.Size]) -> [PixelRect] {
        let isCurrent =
            places.count == sizes.count
            && zip(places, sizes).allSatisfy { $0.width >= $1.width && $0.height == $1.height }
        if !isCurrent {
            places.removeAll()
            for (anchor, size) in zip(anchors, sizes) {
                let width = max(size.width, min(size.width + size.height, canvas.region.width))
                places.append(place(at: anchor, (width, size.height)))
            }
        }
        return zip(places, sizes).map { PixelRect(x: $0.x, y: $0.y, width: $1.width, height: $1.height) }
    }

    /// Returns the first free place of these: to the right or left of the anchor, each below or above it, and then
    /// below or above the texts that are in the way.
    private func place(at anchor: Anchor, _ size: LabelPlacement.Size) -> PixelRect {
        let (region, step) = (canvas.region, canvas.step)
        func aligned(_ x: Int, _ y: Int) -> PixelRect {
            PixelRect(
                x: region.x + (x - region.x) / step.x * step.x, y: region.y + (y - region.y) / step.y * step.y,
                width: size.width, height: size.height)
        }
        func obstacle(_ place: PixelRect) -> PixelRect? { places.first { !$0.intersection(place).isEmpty } }
        // At the right edge of the picture, the text of an area is inside the area, but it does not cover a line.
        let right = anchor.isLine ? anchor.x + gap : min(anchor.x + gap, region.maxX - size.width)
        let below = anchor.y + gap
        let (left, above) = (anchor.x - gap - size.width, anchor.y - gap - size.height)
        let beside = [(right, below), (right, above), (left, below), (left, above)].map(aligned)
        if let free = beside.first(where: { region.intersection($0) == $0 && obstacle($0) == nil }) { return free }
        let start = aligned(
            min(max(right, region.x), max(region.x, region.maxX - size.width)),
            min(max(below, region.y), max(region.y, region.maxY - size.height)))
        var place = start
        while let obstacle = obstacle(place) { place.y = obstacle.maxY }
        if place.maxY <= region.maxY { return place }
        place = start
        while let obstacle = obstacle(place) { place.y = obstacle.y - size.height }
        return place.y >= region.y ? place : start
    }
}

extension CairoSurface<UInt32> {
    fileprivate var isEmpty: Bool {
        var isEmpty = true
        withPixels { pixels, stride in
            for row in 0..<height where isEmpty {
                isEmpty = (0..<width).allSatisfy { pixels[row * stride + $0] == 0 }
            }
        }
        return isEmpty
    }
}
