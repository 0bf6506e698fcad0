/// Measures the motion of boxes and of the background between two pictures.
///
/// Tracks a few points in each box and takes the median of their displacements. The median is robust against background
/// points and lost points.
struct ImageMotion {
    private let flow: PointFlow
    private let scale: SIMD2<Double>
    private var across: ContiguousArray<Float> = []
    private var down: ContiguousArray<Float> = []
    private var starts: ContiguousArray<SIMD2<Float>> = []
    private var camera = CameraMotion()

    init(from: ImagePyramid, to: ImagePyramid) {
        flow = PointFlow(from: from, to: to)
        scale = SIMD2(from.plane.scaleX, from.plane.scaleY)
    }

    /// Returns `nil` if too few points could be tracked, or if their displacements disagree.
    ///
    /// - Parameters:
    ///   - box: the box in the first picture, in buffer pixels.
    ///   - guess: the expected displacement in buffer pixels.
    ///   - points: the approximate number of points to track.
    mutating func move(of box: Box, guess: SIMD2<Double>, points: Int) -> BoxMove? {
        let small = box.scaled(x: 1 / scale.x, y: 1 / scale.y)
        let expected = SIMD2<Float>(Float(guess.x / scale.x), Float(guess.y / scale.y))
        let levels = min(small.width, small.height) >= 24 ? 3 : min(small.width, small.height) >= 12 ? 2 : 1
        across.removeAll(keepingCapacity: true)
        down.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        let rows = small.height > 1.5 * small.width ? max(3, points / 3) : max(3, points / 4)
        let columns = max(2, points / rows)
        for row in 0..<rows {
            for column in 0..<columns {
                let x = small.x + small.width * (0.2 + 0.6 * (Double(column) + 0.5) / Double(columns))
                let y = small.y + small.height * (0.1 + 0.8 * (Double(row) + 0.5) / Double(rows))
                let start = SIMD2(Float(x), Float(y))
                guard let found = flow.checkedDisplacement(of: start, guess: expected, levels: levels) else { continue }
                across.append(found.x)
                down.append(found.y)
                starts.append(start)
            }
        }
        guard across.count >= 3, across.count * 3 >= rows * columns else { return nil }
        let zoom = zoomOfPoints()
        let (x, spreadX) = Self.median(&across)
        let (y, spreadY) = Self.median(&down)
        let spread = max(spreadX, spreadY)
        guard spread < 0.15 * Float(max(small.width, small.height)) + 0.5 else { return nil }
        // The windows of neighbouring points overlap, so three points count as one independent measurement.
        let deviation = (Double(spread) / (Double(across.count) / 3).squareRoot() + 0.15) * max(scale.x, scale.y)
        return BoxMove(x: Double(x) * scale.x, y: Double(y) * scale.y, scale: zoom, deviation: deviation)
    }

    /// Returns the displacement of the background in buffer pixels, or `nil` if it cannot be estimated.
    ///
    /// - Parameter boxes: the objects' boxes in buffer pixels. They are not part of the background.
    mutating func backgroundShift(around boxes: ContiguousArray<Box>) -> SIMD2<Double>? {
        let (width, height) = (Double(flow.from.plane.width), Double(flow.from.plane.height))
        camera.begin()
        for row in 0..<5 {
            for column in 0..<8 {
                let x = width * (Double(column) + 0.5) / 8
                let y = height * (Double(row) + 0.5) / 5
                if boxes.contains(where: { Self.holds($0, x * scale.x, y * scale.y) }) { continue }
                let start = SIMD2(Float(x), Float(y))
                guard let found = flow.checkedDisplacement(of: start, guess: .zero, levels: 3) else { continue }
                camera.add(SIMD2<Double>(found) * scale)
            }
        }
        return camera.count >= 8 ? camera.estimate() : nil
    }

    /// Returns the ratio of the new box size to the old one. It is derived from the median growth of the distances
    /// between points. The growth is halved, because the measurement is noisy.
    private func zoomOfPoints() -> Double {
        guard across.count >= 6 else { return 1 }
        var ratios: ContiguousArray<Float> = []
        for one in 0..<across.count {
            let other = (one + across.count / 2) % across.count
            let before = starts[other] - starts[one]
            let after = before + SIMD2(across[other] - across[one], down[other] - down[one])
            let length = (before * before).sum()
            if length > 16 { ratios.append(((after * after).sum() / length).squareRoot()) }
        }
        guard ratios.count >= 4 else { return 1 }
        let (ratio, spread) = Self.median(&ratios)
        return spread < 0.1 ? Double(1 + (min(max(ratio, 0.9), 1.1) - 1) / 2) : 1
    }

    /// Returns the median and a robust standard deviation (the scaled median absolute deviation). Sorts `values`.
    private static func median(_ values: inout ContiguousArray<Float>) -> (Float, Float) {
        values.sort()
        let median = values[values.count / 2]
        var distances = values
        for index in distances.indices { distances[index] = abs(values[index] - median) }
        distances.sort()
        return (median, distances[distances.count / 2] * 1.4826)
    }

    private static func holds(_ box: Box, _ x: Double, _ y: Double) -> Bool {
        x > box.minX && x < box.maxX && y > box.minY && y < box.maxY
    }
}

struct BoxMove: Sendable {
    /// The displacement in buffer pixels.
    var x: Double
    var y: Double
    /// The ratio of the new box size to the old one.
    var scale: Double
    /// The standard deviation of the displacement in buffer pixels.
    var deviation: Double
}
