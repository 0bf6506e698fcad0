/// How far the camera has moved the whole picture, told from displacements of single things in it.
///
/// The median of the displacements, drawn towards zero the less they agree: a few objects that each go their own way
/// say nothing about the camera.
struct CameraMotion {
    private var displacements: ContiguousArray<SIMD2<Double>> = []

    /// Fewer displacements than this say nothing.
    static let minimumCount = 4

    var count: Int { displacements.count }

    mutating func begin() { displacements.removeAll(keepingCapacity: true) }

    mutating func add(_ displacement: SIMD2<Double>) { displacements.append(displacement) }

    /// The displacement of the picture in pixels; zero where nothing can be said.
    mutating func estimate() -> SIMD2<Double> {
        guard count >= Self.minimumCount else { return .zero }
        return displacements.withUnsafeMutableBufferPointer { values in
            let middle = Self.median(values)
            // Whatever their spread, it would leave nothing of so little.
            if (middle * middle).max() <= 4 * Self.precision { return .zero }
            for index in values.indices {
                let distance = values[index] - middle
                values[index] = SIMD2(abs(distance.x), abs(distance.y))
            }
            let spread = Self.median(values) * 1.4826
            let disagreement = (spread * spread / Double(values.count) + Self.precision) / (middle * middle + 1e-9)
            let rest = 1 - 4 * disagreement
            return middle * rest.larger(.zero)
        }
    }

    /// Variance in pixels that even the best agreement leaves.
    private static let precision = 0.01

    /// The values that stand in the middle once they are sorted, which they are, across and down each by itself.
    ///
    /// Neighbours are put in order in turns, so often that each can have come all the way: for the few that there are this is
    /// quicker than any sorting that decides as it goes, since nobody could guess how.
    private static func median(_ values: UnsafeMutableBufferPointer<SIMD2<Double>>) -> SIMD2<Double> {
        for turn in values.indices {
            var index = turn & 1
            while index < values.count - 1 {
                let (one, other) = (values[index], values[index + 1])
                values[index] = one.smaller(other)
                values[index + 1] = one.larger(other)
                index += 2
            }
        }
        return values[values.count / 2]
    }
}
