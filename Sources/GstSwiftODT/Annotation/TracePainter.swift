import CODTCairo
import SwiftODT

/// Draws the paths of objects as fading lines. The picture is divided into squares. Only the squares that a line
/// crosses are drawn and blended.
struct TracePainter {
    private static let side = 128
    private let surface: CairoSurface<UInt32>
    private let blender: Blender
    private let lineWidth: Double
    /// The width and height of a buffer pixel in display units.
    private let unitX: Double
    private let unitY: Double

    init?(blender: Blender, lineWidth: Double) {
        guard let surface = CairoSurface<UInt32>(width: Self.side, height: Self.side) else { return nil }
        self.surface = surface
        self.blender = blender
        self.lineWidth = lineWidth
        let canvas = blender.canvas
        (unitX, unitY) = canvas.orientation.swapsAxes ? (canvas.unitY, canvas.unitX) : (canvas.unitX, canvas.unitY)
        let context = surface.context
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
        // Where two segments of a line overlap, the newer segment replaces the older one. This hides the joints.
        cairo_set_operator(context, CAIRO_OPERATOR_SOURCE)
    }

    private struct Piece {
        let from: TraceHistory.Point
        let to: TraceHistory.Point
        /// The opacity: 1 at the object, 0 at the end of the trace.
        let strength: Double
        let bounds: Box
    }

    func draw(_ trace: TraceHistory.Trace, time: Nanoseconds, duration: Nanoseconds, on target: DrawingTarget) {
        let pieces = pieces(of: trace, time: time, duration: duration)
        guard let first = pieces.first else { return }
        let picture = blender.canvas.buffer(blender.canvas.region).box
        let bounds = pieces.reduce(first.bounds) { $0.union($1.bounds) }.intersection(picture)
        guard !bounds.isEmpty else { return }
        let side = TracePainter.side
        for row in Int(bounds.minY) / side...Int(bounds.maxY) / side {
            for column in Int(bounds.minX) / side...Int(bounds.maxX) / side {
                let square = PixelRect(x: column * side, y: row * side, width: side, height: side)
                draw(pieces, paint: trace.paint, square: square, picture: picture, on: target)
            }
        }
    }

    private func pieces(of trace: TraceHistory.Trace, time: Nanoseconds, duration: Nanoseconds) -> [Piece] {
        zip(trace.points, trace.points.dropFirst()).compactMap { from, to in
            let strength = 1 - Double(time - to.time) / Double(duration)
            guard strength > 0 else { return nil }
            let reach = lineWidth + 1
            return Piece(
                from: from, to: to, strength: min(strength, 1),
                bounds: Box(
                    minX: min(from.x, to.x) - reach, minY: min(from.y, to.y) - reach, maxX: max(from.x, to.x) + reach,
                    maxY: max(from.y, to.y) + reach))
        }
    }

    private func draw(_ pieces: [Piece], paint: Paint, square: PixelRect, picture: Box, on target: DrawingTarget) {
        let window = square.box.intersection(picture)
        let here = pieces.filter { !$0.bounds.intersection(window).isEmpty }
        guard let first = here.first else { return }
        let touched = here.reduce(first.bounds) { $0.union($1.bounds) }.intersection(window)
        // Multiples of 4 pixels are aligned with the chroma samples of any format, including interlaced ones.
        let left = Int(touched.minX) / 4 * 4
        let top = Int(touched.minY) / 4 * 4
        let place = PixelRect(
            x: left, y: top, width: (Int(touched.maxX.rounded(.up)) - left + 3) / 4 * 4,
            height: (Int(touched.maxY.rounded(.up)) - top + 3) / 4 * 4)
        let context = surface.context
        cairo_save(context)
        cairo_set_source_rgba(context, 0, 0, 0, 0)
        cairo_paint(context)
        cairo_rectangle(
            context, window.x - Double(left), window.y - Double(top), window.width, window.height)
        cairo_clip(context)
        cairo_scale(context, 1 / unitX, 1 / unitY)
        cairo_translate(context, -Double(left) * unitX, -Double(top) * unitY)
        for piece in here {
            surface.setPaint(paint.faded(Float(0.9 * piece.strength)))
            cairo_set_line_width(context, lineWidth * (0.4 + 0.6 * piece.strength))
            cairo_move_to(context, piece.from.x * unitX, piece.from.y * unitY)
            cairo_line_to(context, piece.to.x * unitX, piece.to.y * unitY)
            cairo_stroke(context)
        }
        cairo_restore(context)
        let tile = blender.tile(from: surface, width: place.width, height: place.height, orientation: .identity)
        blender.draw(tile, atBuffer: place, on: target)
    }
}

/// The recent paths of tracked objects.
struct TraceHistory {
    struct Point {
        /// The centre of the object's box, in buffer pixels.
        var x: Double
        var y: Double
        var time: Nanoseconds
        /// Whether the position is predicted. Predicted points are removed when the object is detected again or no longer
        /// drawn, because the object may never have been there.
        var isPredicted: Bool
    }

    struct Trace {
        private static let maximumPoints = 256

        var points: [Point]
        var paint: Paint
        /// The time of the first frame without the object since its last point; `nil` while it is in the frames.
        fileprivate var absentSince: Nanoseconds?

        /// Adds the current position of the object as the last point. The last point is replaced if this position is
        /// closer than `spacing` to the last but one point, or if the last two points are too close in time for a trace
        /// of `duration`. Earlier points do not change.
        fileprivate mutating func add(_ point: Point, spacing: Double, duration: Nanoseconds) {
            if !point.isPredicted { removePredicted() }
            // A predicted point does not replace a detected one.
            if points.count > 1, let last = points.last, last.isPredicted == point.isPredicted {
                let known = points[points.count - 2]
                let (dx, dy) = (point.x - known.x, point.y - known.y)
                // The points of 250 intervals and those at both ends of the trace are at most `maximumPoints`.
                let interval = duration / 250
                if dx * dx + dy * dy < spacing * spacing || last.time - known.time < interval { points.removeLast() }
            }
            points.append(point)
            if points.count > Self.maximumPoints { points.removeFirst() }
        }

        fileprivate mutating func noteAbsence(at time: Nanoseconds) {
            absentSince = absentSince ?? time
            removePredicted()
        }

        private mutating func removePredicted() {
            while points.last?.isPredicted == true { points.removeLast() }
        }
    }

    /// A longer absence in nanoseconds begins another trace, because the object may return elsewhere (`reidentify`).
    private static let maximumAbsence: Nanoseconds = 1_000_000_000

    private(set) var traces: [Int: Trace] = [:]
    private var latest: Nanoseconds = .min

    /// Records the positions of the objects of a frame. Removes points that are older than the trace duration.
    ///
    /// - Parameter spacing: A distance in buffer pixels. If the new position of an object is closer than this to the
    ///   last but one point of its trace, the new position replaces the last point. A slow object therefore does not
    ///   fill the history.
    mutating func record(
        _ objects: [AnnotatedObject], options: AnnotatorOptions, colors: TrackColors = TrackColors(),
        time: Nanoseconds, spacing: Double
    ) {
        guard options.drawTraces, options.traceDuration > 0 else { return removeAll() }
        if time < latest { removeAll() }
        latest = time
        for object in objects where object.box.isFinite {
            guard let id = object.id else { continue }
            let point = Point(
                x: object.box.centerX, y: object.box.centerY, time: time, isPredicted: object.coasting)
            var trace = traces[id] ?? Trace(points: [], paint: .black)
            if let since = trace.absentSince, time - since > Self.maximumAbsence { trace.points = [] }
            trace.absentSince = nil
            trace.paint = Palette.paint(for: object, options: options, colors: colors)
            trace.add(point, spacing: spacing, duration: options.traceDuration)
            traces[id] = trace
        }
        for id in Set(traces.keys).subtracting(objects.compactMap(\.id)) { traces[id]?.noteAbsence(at: time) }
        let (start, overflow) = time.subtractingReportingOverflow(options.traceDuration)
        guard !overflow else { return }
        for (id, trace) in traces {
            guard let last = trace.points.last, last.time > start else {
                traces[id] = nil
                continue
            }
            // One older point is kept, because the line fades out towards it.
            let old = trace.points.prefix { $0.time <= start }.count - 1
            if old > 0 { traces[id]?.points.removeFirst(old) }
        }
    }

    func isVisible(at time: Nanoseconds, duration: Nanoseconds) -> Bool {
        traces.values.contains { trace in
            guard trace.points.count > 1, let last = trace.points.last else { return false }
            return time >= last.time && time - last.time < duration
        }
    }

    mutating func removeAll() {
        traces.removeAll()
        latest = .min
    }
}
