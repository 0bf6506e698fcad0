import SwiftODT

/// Blends colours and tiles into frames, directly in the frame's pixel format.
///
/// In this type, a *row* is a row of pixels of the picture, and a *line* is a row of samples of a plane. With
/// vertically subsampled chroma, a line covers two rows. A *unit* is a group of samples that repeats along a line, see
/// ``PlaneLayout``. Samples outside the drawing and padding bytes are not changed.
///
/// `gst_video_blend` is not used for three reasons. It unpacks and packs whole destination lines. It converts with the
/// matrix of BT.601, whatever the stream's colorimetry is. If two pixels share a chroma sample, it uses the chroma of
/// only one of them. `Tests/Benchmarks/drawing` compares the two implementations.
final class Blender {
    let canvas: Canvas
    /// Whether the rows of two fields alternate in the current frame. Rows that share a chroma sample then belong to the
    /// same field. It changes from frame to frame in streams with the interlace mode `mixed`.
    var interlaced: Bool
    let planes: [PlaneLayout]
    let matrix: ComponentMatrix
    private let depth: SampleDepth
    /// The index of the alpha sample within a pixel of four samples; `nil` if the format has no alpha.
    private let alpha: Int?
    private let row: BlendRow

    init(canvas: Canvas) {
        self.canvas = canvas
        interlaced = canvas.interlaced
        planes = PlaneLayout.planes(of: canvas.format)
        matrix = ComponentMatrix(format: canvas.format, colorSpace: canvas.colorSpace)
        depth = canvas.format.depth
        alpha = canvas.format.layout.alpha?.offset
        row = BlendRow(
            capacity: planes.map { $0.units(across: canvas.width) * $0.unitSamples }.max() ?? 0, depth: depth)
    }

    /// Fills a rectangle, which is given in pixels of the upright picture (see ``Canvas``). The rectangle may start and
    /// end at any pixel. If only half of the pixels that share a chroma sample are inside the rectangle, the chroma
    /// sample is blended with half the opacity. The cost is proportional to the number of pixels in the rectangle.
    func fill(_ rect: PixelRect, with paint: Paint, in frame: Frame) {
        let picture = PixelRect(x: 0, y: 0, width: canvas.width, height: canvas.height)
        let target = canvas.buffer(rect).intersection(picture)
        guard !target.isEmpty else { return }
        let color = color(of: paint)
        for layout in planes {
            let units = layout.units(from: target.x, to: target.maxX)
            let count = units.count * layout.unitSamples
            let plane = frame.plane(layout.plane)
            let start = plane.base + units.lowerBound * layout.unitSamples * depth.bytes
            let lines = lines(of: layout, from: target.y, to: target.maxY)
            let whole = wholeLines(of: layout, from: target.y, to: target.maxY)
            var line = lines.lowerBound
            while line < lines.upperBound {
                let first = line
                line = whole.contains(first) ? whole.upperBound : first + 1
                let share = coverage(of: first, in: layout, from: target.y, to: target.maxY)
                guard share > 0 else { continue }
                let isOpaque = build(layout, units: units, from: target.x, to: target.maxX, color: color * share)
                if isOpaque, depth.bytes == 1 {
                    // The source samples are opaque and consist of whole bytes. The destination samples are therefore
                    // overwritten without being read. Most lines of boxes are filled in this way.
                    BlendRow.cover(
                        row.value, count: count, into: start + first * plane.stride, lines: line - first,
                        stride: plane.stride)
                    continue
                }
                for line in first..<line {
                    blend(row.value, keep: row.keep, count: count, into: start + line * plane.stride)
                }
            }
        }
    }

    /// Returns the samples of a colour in the frame's pixel format, premultiplied with alpha. For the order of the
    /// lanes see ``ComponentMatrix``.
    func color(of paint: Paint) -> SIMD4<Float> {
        let opacity = paint.opacity
        return matrix.samples(
            red: paint.red * opacity, green: paint.green * opacity, blue: paint.blue * opacity, alpha: opacity)
    }

    /// Draws a tile at a position of the buffer. The position must be aligned to whole units and lines. The parts of
    /// the tile beyond the right and bottom edges of the frame are not drawn.
    func draw(_ tile: Tile, atBuffer target: PixelRect, in frame: Frame) {
        for (layout, plane) in zip(planes, tile.planes) {
            let first = target.x >> layout.unitShift
            let units = min(plane.units, layout.units(across: canvas.width) - first)
            let start = target.y >> layout.lineShift
            let lines = min(plane.lines, lineCount(of: layout) - start)
            guard first >= 0, start >= 0, units > 0 else { continue }
            let destination = frame.plane(layout.plane)
            let corner = destination.base + start * destination.stride + first * layout.unitSamples * depth.bytes
            plane.bytes.withUnsafeBytes { bytes in
                // The first half of the bytes are source samples, the second half are weights of the destination.
                let half = bytes.count / 2
                for line in 0..<max(lines, 0) {
                    let value = bytes.baseAddress! + line * plane.units * layout.unitSamples * depth.bytes
                    blend(
                        value, keep: value + half, count: units * layout.unitSamples,
                        into: corner + line * destination.stride)
                }
            }
        }
    }

    /// Fills ``row`` with one line of a rectangle for one plane. The rectangle covers the columns of pixels from `left`
    /// up to, but not including, `right`.
    ///
    /// - Returns: Whether the line is opaque and fills each of its units completely.
    private func build(
        _ layout: PlaneLayout, units: Range<Int>, from left: Int, to right: Int, color: SIMD4<Float>
    ) -> Bool {
        row.clear(units.count * layout.unitSamples)
        let inner = layout.units(across: left)
        let whole = inner..<max(inner, right >> layout.unitShift)
        var unit = units.lowerBound
        while unit < units.upperBound {
            let place = (unit - units.lowerBound) * layout.unitSamples
            let unitStart = unit << layout.unitShift
            for sample in layout.samples {
                let start = unitStart + sample.firstPixel
                let end = start + sample.pixels
                let inside = min(end, right) - max(start, left)
                guard inside > 0 else { continue }
                let part = Float(inside) / Float(min(end, canvas.width) - start)
                row.set(place + sample.place, component: sample.component, color: color * part)
            }
            // All units that are completely inside the rectangle are identical, so one unit is built and repeated.
            let same = whole.contains(unit) ? whole.upperBound - unit : 1
            row.repeat(place..<(place + layout.unitSamples), times: same)
            unit += same
        }
        return whole == units && layout.samples.count == layout.unitSamples && color.w >= Float(depth.white)
    }

    @inline(__always)
    private func blend(
        _ value: UnsafeRawPointer, keep: UnsafeRawPointer, count: Int, into old: UnsafeMutableRawPointer
    ) {
        if let alpha {
            BlendRow.blendPixels(value, keep: keep, into: old, count: count / 4, alpha: alpha, depth: depth)
        } else {
            BlendRow.blend(value, keep: keep, into: old, count: count, depth: depth)
        }
    }
}

// MARK: - Lines of samples and rows of pixels

extension Blender {
    func lineCount(of layout: PlaneLayout) -> Int { layout.lines(down: canvas.height) }

    /// Returns the two rows of pixels in the buffer that a line of samples covers. If the plane is not vertically
    /// subsampled, the line covers one row, which is returned twice. The second row may be below the picture. In
    /// interlaced content, chroma lines alternate between the fields. The two rows then belong to the same field and
    /// are two apart.
    func pixelRows(of line: Int, in layout: PlaneLayout) -> (Int, Int) {
        guard layout.lineShift > 0 else { return (line, line) }
        guard interlaced else { return (2 * line, 2 * line + 1) }
        let first = 4 * (line >> 1) + (line & 1)
        return (first, first + 2)
    }

    private func lines(of layout: PlaneLayout, from top: Int, to bottom: Int) -> Range<Int> {
        guard layout.lineShift > 0 else { return top..<bottom }
        guard interlaced else { return (top >> 1)..<((bottom + 1) >> 1) }
        return (top / 4 * 2)..<min((bottom + 3) / 4 * 2, lineCount(of: layout))
    }

    private func wholeLines(of layout: PlaneLayout, from top: Int, to bottom: Int) -> Range<Int> {
        guard layout.lineShift > 0 else { return top..<bottom }
        let (first, end) =
            interlaced ? ((top + 3) / 4 * 2, bottom / 4 * 2) : ((top + 1) >> 1, bottom >> 1)
        return first..<max(first, end)
    }

    /// Returns the fraction of a line's rows that are between `top` and `bottom`: 0, 0.5 or 1.
    private func coverage(of line: Int, in layout: PlaneLayout, from top: Int, to bottom: Int) -> Float {
        guard layout.lineShift > 0 else { return 1 }
        let (first, second) = pixelRows(of: line, in: layout)
        let rows = top..<bottom
        let (one, other): (Float, Float) = (rows.contains(first) ? 1 : 0, rows.contains(second) ? 1 : 0)
        return second < canvas.height ? (one + other) / 2 : one
    }
}
