/// Tracks points from one picture to the next with the pyramidal Lucas-Kanade method on windows of 8 × 8 pixels.
struct PointFlow {
    let from: ImagePyramid
    let to: ImagePyramid

    /// Returns `nil` if the picture has no texture at the point, or if the point leaves the picture.
    ///
    /// - Parameters:
    ///   - point: the position in the first picture, in plane pixels.
    ///   - guess: the initial estimate of the displacement, in plane pixels.
    ///   - levels: the number of pyramid levels to use.
    func displacement(of point: SIMD2<Float>, guess: SIMD2<Float>, levels: Int) -> SIMD2<Float>? {
        var found = guess
        for level in stride(from: min(levels, from.levels.count, to.levels.count) - 1, through: 0, by: -1) {
            let scale = 1 / Float(1 << level)
            guard let refined = refine(point * scale, found * scale, from.levels[level], to.levels[level]) else {
                if level > 0 { continue }
                return nil
            }
            found = refined / scale
        }
        return found
    }

    /// Returns `nil` if tracking backward does not lead back to the start (forward-backward check).
    func checkedDisplacement(of point: SIMD2<Float>, guess: SIMD2<Float>, levels: Int) -> SIMD2<Float>? {
        guard let forth = displacement(of: point, guess: guess, levels: levels),
            let back = PointFlow(from: to, to: from).displacement(of: point + forth, guess: -forth, levels: 1)
        else { return nil }
        let error = forth + back
        return (error * error).sum() < 0.5 ? forth : nil
    }

    private func refine(
        _ point: SIMD2<Float>, _ start: SIMD2<Float>, _ first: ImagePyramid.Level, _ second: ImagePyramid.Level
    ) -> SIMD2<Float>? {
        guard first.contains(point) else { return nil }
        // One row above and one below the window, for the gradients. The compiler keeps these arrays on the stack.
        var rows = [SIMD8<Float>](repeating: .zero, count: 10)
        for row in rows.indices { rows[row] = first.row(row - 1, at: point) }
        var slopeX = [SIMD8<Float>](repeating: .zero, count: 8)
        var slopeY = [SIMD8<Float>](repeating: .zero, count: 8)
        var (xx, xy, yy) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
        for row in 0..<8 {
            slopeX[row] = (first.row(row, at: point + SIMD2(1, 0)) - first.row(row, at: point - SIMD2(1, 0))) * 0.5
            slopeY[row] = (rows[row + 2] - rows[row]) * 0.5
            xx += slopeX[row] * slopeX[row]
            xy += slopeX[row] * slopeY[row]
            yy += slopeY[row] * slopeY[row]
        }
        let (a, b, c) = (xx.sum(), xy.sum(), yy.sum())
        let determinant = a * c - b * b
        // The smaller eigenvalue of the structure tensor. The displacement is ambiguous unless there is
        // texture in both directions.
        let weakest = (a + c - ((a - c) * (a - c) + 4 * b * b).squareRoot()) / 2
        guard weakest > 64 * 2, determinant > 0 else { return nil }
        var moved = start
        for _ in 0..<8 {
            guard second.contains(point + moved) else { return nil }
            var (errorX, errorY) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
            for row in 0..<8 {
                let difference = rows[row + 1] - second.row(row, at: point + moved)
                errorX += difference * slopeX[row]
                errorY += difference * slopeY[row]
            }
            let (x, y) = (errorX.sum(), errorY.sum())
            let step = SIMD2((c * x - b * y) / determinant, (a * y - b * x) / determinant)
            guard step.x.isFinite, step.y.isFinite, (step * step).sum() < 64 else { return nil }
            moved += step
            if (step * step).sum() < 0.001 { break }
        }
        return moved
    }
}

/// Interpolates windows of 8 × 8 samples.
extension ImagePyramid.Level {
    /// Returns whether the window around a point lies inside the pyramid level, with a margin for the gradients.
    fileprivate func contains(_ point: SIMD2<Float>) -> Bool {
        point.x >= 6 && point.y >= 6 && point.x < Float(width - 7) && point.y < Float(height - 7)
    }

    /// Returns the eight samples of one row of the window. ``contains(_:)`` must be true for the point.
    ///
    /// - Parameter row: -1 to 8. Rows -1 and 8 lie above and below the window.
    @inline(__always)
    fileprivate func row(_ row: Int, at point: SIMD2<Float>) -> SIMD8<Float> {
        let (x, y) = (Int(point.x), Int(point.y))
        let (alongX, alongY) = (point.x - Float(x), point.y - Float(y))
        let corner = pixels + (y + row - 4) * width + x - 4
        let below = corner + width
        let upper = load(corner) + (load(corner + 1) - load(corner)) * alongX
        let lower = load(below) + (load(below + 1) - load(below)) * alongX
        return upper + (lower - upper) * alongY
    }

    private func load(_ start: UnsafeMutablePointer<Float>) -> SIMD8<Float> {
        UnsafeRawPointer(start).loadUnaligned(as: SIMD8<Float>.self)
    }
}
