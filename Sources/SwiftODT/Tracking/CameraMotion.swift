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
        let middle = median(&values)
        for index in values.indices { values[index] = abs(values[index] - middle) }
        let spread = median(&values) * 1.4826
        let doubt = (spread * spread / Double(values.count) + 0.01) / (middle * middle + 1e-9)
        return middle * max(0, 1 - 4 * doubt)
    }

    /// The value that would stand in the middle if they were sorted. Sorts no more than that takes.
    private static func median(_ values: inout ContiguousArray<Double>) -> Double {
        let middle = values.count / 2
        var (low, high) = (0, values.count - 1)
        while low < high {
            let pivot = values[(low + high) / 2]
            var (left, right) = (low, high)
            while left <= right {
                while values[left] < pivot { left += 1 }
                while values[right] > pivot { right -= 1 }
                if left <= right {
                    values.swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            if middle <= right { high = right } else if middle >= left { low = left } else { break }
        }
        return values[middle]
    }
}
