/// How far the camera has moved the whole picture, told from displacements of single things in it.
///
/// The median of the displacements, drawn towards zero the less they agree: a few objects that each go their own way
/// say nothing about the camera.
struct CameraMotion {
    private var across: ContiguousArray<Double> = []
    private var down: ContiguousArray<Double> = []
    private var deviations: ContiguousArray<Double> = []

    /// Fewer displacements than this say nothing.
    static let fewest = 4

    var count: Int { across.count }

    mutating func begin() {
        across.removeAll(keepingCapacity: true)
        down.removeAll(keepingCapacity: true)
    }

    mutating func add(x: Double, y: Double) {
        across.append(x)
        down.append(y)
    }

    /// The displacement of the picture in pixels; zero where nothing can be said.
    mutating func estimate() -> SIMD2<Double> {
        guard count >= Self.fewest else { return .zero }
        across.sort()
        down.sort()
        return SIMD2(agreed(across), agreed(down))
    }

    private mutating func agreed(_ sorted: ContiguousArray<Double>) -> Double {
        let median = sorted[sorted.count / 2]
        deviations.removeAll(keepingCapacity: true)
        for value in sorted { deviations.append(abs(value - median)) }
        deviations.sort()
        let spread = deviations[deviations.count / 2] * 1.4826
        let doubt = (spread * spread / Double(sorted.count) + 0.01) / (median * median + 1e-9)
        return median * max(0, 1 - 4 * doubt)
    }
}
