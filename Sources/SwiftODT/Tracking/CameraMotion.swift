/// How far the camera has moved the whole picture, told from displacements of single things in it.
///
/// The median of the displacements, drawn towards zero the less they agree: a few objects that each go their own way
/// say nothing about the camera.
struct CameraMotion {
    private var across: ContiguousArray<Double> = []
    private var down: ContiguousArray<Double> = []

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
        return SIMD2(Self.agreed(&across), Self.agreed(&down))
    }

    private static func agreed(_ values: inout ContiguousArray<Double>) -> Double {
        values.withUnsafeMutableBufferPointer { values in
            let middle = median(values)
            // Whatever their spread, it would leave nothing of so little.
            if 4 * 0.01 >= middle * middle + 1e-9 { return 0 }
            for index in values.indices { values[index] = abs(values[index] - middle) }
            let spread = median(values) * 1.4826
            let doubt = (spread * spread / Double(values.count) + 0.01) / (middle * middle + 1e-9)
            return middle * max(0, 1 - 4 * doubt)
        }
    }

    /// The value that would stand in the middle if they were sorted. Sorts no more than that takes, and decides without
    /// branches, which nobody could guess.
    private static func median(_ values: UnsafeMutableBufferPointer<Double>) -> Double {
        let middle = values.count / 2
        var range = 0..<values.count
        while true {
            let pivot = values[(range.lowerBound + range.upperBound) / 2]
            let less = bringForward(range, in: values) { $0 < pivot }
            if middle < less {
                range = range.lowerBound..<less
                continue
            }
            let more = bringForward(less..<range.upperBound, in: values) { $0 <= pivot }
            if middle < more { return pivot }
            range = more..<range.upperBound
        }
    }

    /// Brings values for which something holds before those for which it does not, and says where these begin.
    @inline(__always)
    private static func bringForward(
        _ range: Range<Int>, in values: UnsafeMutableBufferPointer<Double>, where holds: (Double) -> Bool
    ) -> Int {
        var place = range.lowerBound
        for index in range {
            let value = values[index]
            values[index] = values[place]
            values[place] = value
            place += holds(value) ? 1 : 0
        }
        return place
    }
}
