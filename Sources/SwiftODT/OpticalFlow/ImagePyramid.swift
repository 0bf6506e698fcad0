/// A luma plane in full, half and quarter size as floating-point samples, for optical flow.
final class ImagePyramid {
    /// The pyramid owns the memory.
    struct Level {
        let pixels: UnsafeMutablePointer<Float>
        let width: Int
        let height: Int
    }

    private(set) var plane: LumaPlane
    let levels: [Level]
    private let storage: UnsafeMutablePointer<Float>

    init(_ plane: LumaPlane) {
        self.plane = plane
        var sizes = [(plane.width, plane.height)]
        while sizes.count < 3, let (width, height) = sizes.last, min(width, height) >= 48 {
            sizes.append((width / 2, height / 2))
        }
        // Vector loads may read beyond the end of the last row.
        let reach = 32
        let count = sizes.reduce(0) { $0 + $1.0 * $1.1 }
        storage = .allocate(capacity: count + reach)
        (storage + count).initialize(repeating: 0, count: reach)
        var start = storage
        levels = sizes.map { width, height in
            defer { start += width * height }
            return Level(pixels: start, width: width, height: height)
        }
        fill()
    }

    deinit { storage.deallocate() }

    /// Refills the pyramid from another plane. New memory would be slower, because the system clears it page by page.
    ///
    /// - Returns: `false` if the planes differ in size. The pyramid is then unchanged.
    func take(_ other: LumaPlane) -> Bool {
        guard other.width == plane.width, other.height == plane.height else { return false }
        plane = other
        fill()
        return true
    }

    private func fill() {
        for index in 0..<plane.width * plane.height { storage[index] = Float(plane.pixels[index]) }
        for (larger, smaller) in zip(levels, levels.dropFirst()) { Self.halve(larger, into: smaller) }
    }

    private static func halve(_ from: Level, into to: Level) {
        for y in 0..<to.height {
            let upper = from.pixels + 2 * y * from.width
            let lower = upper + from.width
            let row = to.pixels + y * to.width
            for x in 0..<to.width {
                row[x] = (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1]) * 0.25
            }
        }
    }
}
