import Glibc

/// A test picture with which each network runs once before its first use. It shows a stop sign and a clock beside a
/// road. It is drawn by code and is identical on every machine. Networks trained on COCO detect the stop sign and the
/// clock with scores of about 0.9.
///
///     let placement = try ReferencePicture.withFrame { try request.fill(from: $0) }
enum ReferencePicture {
    /// The name of the picture in the manifests of models. Change the name whenever the picture changes.
    static let name = "signs-1"
    /// In pixels.
    static let side = 320

    static func withFrame<Answer>(_ body: (Frame) throws -> Answer) rethrows -> Answer {
        var canvas = Canvas(horizon: 190)
        canvas.drawRoad()
        canvas.drawStopSign(center: SIMD2(78, 105), radius: 58)
        canvas.drawClock(center: SIMD2(235, 110), radius: 55)
        return try canvas.pixels.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { preconditionFailure("the canvas has pixels") }
            let plane = Frame.Plane(base: base, stride: 3 * side)
            return try body(Frame(format: .rgb, width: side, height: side, planes: [plane]))
        }
    }
}

private typealias Color = SIMD3<Float>
private typealias Point = SIMD2<Float>

/// A picture with functions that fill anti-aliased convex shapes.
private struct Canvas {
    var pixels: [UInt8]
    /// For each pixel of the current row: the fraction of the pixel that the shape covers, 0 to 1.
    private var coverage = [Float](repeating: 0, count: ReferencePicture.side)

    /// Draws a blue sky above a green meadow. `horizon` is the first row of the meadow.
    init(horizon: Int) {
        let side = ReferencePicture.side
        let (sky, meadow): ([UInt8], [UInt8]) = ([150, 185, 220], [90, 140, 70])
        pixels = []
        pixels.reserveCapacity(3 * side * side)
        for row in 0..<side {
            for _ in 0..<side { pixels += row < horizon ? sky : meadow }
        }
    }

    /// The coverage of a shape is sampled at this number of horizontal lines in each row of pixels.
    private static let linesPerRow = 4

    /// - Parameter span: returns the range of x in which the shape intersects the horizontal line at `y`, or `nil` if
    ///   it does not intersect the line.
    @inline(__always)
    private mutating func fill(_ color: Color, top: Float, bottom: Float, span: (_ y: Float) -> ClosedRange<Float>?) {
        let side = ReferencePicture.side
        let share = 1 / Float(Self.linesPerRow)
        for row in max(0, Int(top))..<min(side, Int(bottom.rounded(.up))) {
            var (first, end) = (side, 0)
            for line in 0..<Self.linesPerRow {
                guard let span = span(Float(row) + (Float(line) + 0.5) * share) else { continue }
                let (left, right) = (max(0, span.lowerBound), min(Float(side), span.upperBound))
                guard left < right else { continue }
                let (from, to) = (Int(left), min(side, Int(right.rounded(.up))))
                for column in from..<to {
                    coverage[column] += (min(right, Float(column + 1)) - max(left, Float(column))) * share
                }
                (first, end) = (min(first, from), max(end, to))
            }
            guard first < end else { continue }
            for column in first..<end {
                blend(color, coverage[column], at: 3 * (row * side + column))
                coverage[column] = 0
            }
        }
    }

    /// Mixes a pixel with a colour. `share` is the weight of the colour, 0 to 1. `offset` is the index of the pixel's
    /// first byte.
    @inline(__always)
    private mutating func blend(_ color: Color, _ share: Float, at offset: Int) {
        for channel in 0..<3 {
            let old = Float(pixels[offset + channel])
            pixels[offset + channel] = UInt8(old + (color[channel] - old) * share + 0.5)
        }
    }

    /// `corners` must form a convex polygon.
    private mutating func fillPolygon(_ color: Color, _ corners: [Point]) {
        let heights = corners.map(\.y)
        fill(color, top: heights.min() ?? 0, bottom: heights.max() ?? 0) { y in
            var range: ClosedRange<Float>?
            for (index, a) in corners.enumerated() {
                let b = corners[(index + 1) % corners.count]
                guard (a.y <= y) != (b.y <= y) else { continue }
                let x = a.x + (y - a.y) * (b.x - a.x) / (b.y - a.y)
                range = min(range?.lowerBound ?? x, x)...max(range?.upperBound ?? x, x)
            }
            return range
        }
    }

    private mutating func fillDisc(_ color: Color, center: Point, radius: Float) {
        fill(color, top: center.y - radius, bottom: center.y + radius) { y in
            let square = radius * radius - (y - center.y) * (y - center.y)
            return square > 0 ? (center.x - square.squareRoot())...(center.x + square.squareRoot()) : nil
        }
    }

    private mutating func fillRectangle(_ color: Color, _ x: Float, _ y: Float, _ width: Float, _ height: Float) {
        fill(color, top: y, bottom: y + height) { $0 >= y && $0 <= y + height ? x...(x + width) : nil }
    }

    private mutating func drawLine(_ color: Color, from a: Point, to b: Point, width: Float) {
        let along = b - a
        let length = (along.x * along.x + along.y * along.y).squareRoot()
        let across = Point(-along.y, along.x) * (width / 2 / length)
        fillPolygon(color, [a + across, b + across, b - across, a - across])
    }

    /// Returns a point of a circle. `turns` is the angle in full turns, clockwise, starting at the right.
    private func point(_ turns: Float, of radius: Float, around center: Point) -> Point {
        center + Point(cosf(turns * 2 * .pi), sinf(turns * 2 * .pi)) * radius
    }

    mutating func drawRoad() {
        fillPolygon(Color(95, 95, 98), [Point(140, 190), Point(180, 190), Point(320, 320), Point(0, 320)])
    }

    mutating func drawStopSign(center: Point, radius: Float) {
        let white = Color(245, 245, 245)
        for (color, radius) in [(white, radius), (Color(190, 25, 35), 0.92 * radius)] {
            fillPolygon(color, (0..<8).map { point((Float($0) + 0.5) / 8, of: radius, around: center) })
        }
        // The strokes of the letters S, T, O and P: left, top, width and height in tenths of the radius, relative to
        // the centre.
        let strokes: [SIMD4<Float>] = [
            SIMD4(-7.75, -3.55, 3.9, 1.1), SIMD4(-7.75, -3.55, 1.1, 4.1), SIMD4(-7.75, -0.55, 3.9, 1.1),
            SIMD4(-4.95, -0.55, 1.1, 4.1), SIMD4(-7.75, 2.45, 3.9, 1.1),
            SIMD4(-3.75, -3.55, 3.9, 1.1), SIMD4(-2.35, -3.55, 1.1, 7.1),
            SIMD4(0.25, -3.55, 3.5, 1.1), SIMD4(0.25, 2.45, 3.5, 1.1), SIMD4(0.25, -3.55, 1.1, 7.1),
            SIMD4(2.65, -3.55, 1.1, 7.1),
            SIMD4(4.05, -3.55, 1.1, 7.1), SIMD4(4.05, -3.55, 3.7, 1.1), SIMD4(4.05, -0.55, 3.7, 1.1),
            SIMD4(6.65, -3.55, 1.1, 4.1),
        ]
        for stroke in strokes {
            let scaled = stroke * (radius / 10)
            fillRectangle(white, center.x + scaled.x, center.y + scaled.y, scaled.z, scaled.w)
        }
    }

    /// The clock shows ten past ten.
    mutating func drawClock(center: Point, radius: Float) {
        let black = Color(20, 20, 20)
        fillDisc(Color(40, 40, 45), center: center, radius: radius)
        fillDisc(Color(240, 240, 235), center: center, radius: 0.9 * radius)
        for hour in 0..<12 {
            let turns = Float(hour) / 12
            drawLine(
                black, from: point(turns, of: 0.72 * radius, around: center),
                to: point(turns, of: 0.85 * radius, around: center), width: 0.05 * radius)
        }
        drawLine(
            black, from: center, to: point(Float(10) / 12 + Float(1) / 72 - 0.25, of: 0.45 * radius, around: center),
            width: 0.07 * radius)
        drawLine(
            black, from: center, to: point(Float(1) / 6 - 0.25, of: 0.68 * radius, around: center), width: 0.05 * radius
        )
        fillDisc(black, center: center, radius: 0.06 * radius)
    }
}
