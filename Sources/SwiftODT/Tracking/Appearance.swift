/// What an object looks like: how its grey levels are spread, in three stripes from top to bottom.
///
/// Hair, jacket and trousers; roof, windows and wheels: enough to tell two things that pass each other apart in most
/// cases, and the same at any size, in any posture. Taking one costs half a microsecond, comparing two some
/// nanoseconds.
struct Appearance: Sendable {
    /// The share of each grey level in the stripe, eight levels a stripe.
    private var top: SIMD8<Float>
    private var middle: SIMD8<Float>
    private var bottom: SIMD8<Float>

    /// Looks at the inner part of a box, where the object is and not what is behind it.
    ///
    /// - Returns: `nil` where too little of it is in the picture.
    init?(of box: Box, in plane: LumaPlane) {
        guard let area = Area(inside: box, of: plane) else { return nil }
        let stripes = plane.withPixels { pixels in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: 3 * Self.slots) { counts in
                counts.initialize(repeating: 0)
                for row in 0..<Self.rows {
                    let line = pixels.baseAddress! + area.y(row) * plane.width
                    let stripe = counts.baseAddress! + row / Self.rowsOfStripe * Self.slots
                    for column in 0..<Self.columns {
                        // Shared between the two nearest levels, so that a shade at their border is no matter of luck.
                        let level = Int(line[area.x(column)]) + 16
                        let share = Int32(level & 31)
                        stripe[level >> 5] += 32 - share
                        stripe[level >> 5 + 1] += share
                    }
                }
                return (Self.shares(counts, 0), Self.shares(counts, 1), Self.shares(counts, 2))
            }
        }
        (top, middle, bottom) = stripes
    }

    /// How much of the one is found in the other, 0 to 1.
    func similarity(_ other: Appearance) -> Double {
        Double((top.common(other.top) + middle.common(other.middle) + bottom.common(other.bottom)).sum()) / 3
    }

    /// Takes in a newer look: things turn, and light changes.
    mutating func follow(_ newer: Appearance, share: Double) {
        let share = Float(share)
        top += (newer.top - top) * share
        middle += (newer.middle - middle) * share
        bottom += (newer.bottom - bottom) * share
    }

    /// Samples, and a stripe's levels with one more at either end for what is shared beyond.
    private static let (rows, columns, rowsOfStripe, slots) = (24, 8, 8, 10)

    private static func shares(_ counts: UnsafeMutableBufferPointer<Int32>, _ stripe: Int) -> SIMD8<Float> {
        let first = stripe * slots
        var levels = SIMD8<Float>()
        for level in 0..<8 { levels[level] = Float(counts[first + level + 1]) }
        levels[0] += Float(counts[first])
        levels[7] += Float(counts[first + slots - 1])
        return levels / Float(rowsOfStripe * columns * 32)
    }

    /// Where in the plane is looked, in steps of a sample.
    private struct Area {
        private let left: Double
        private let top: Double
        private let stepX: Double
        private let stepY: Double

        init?(inside box: Box, of plane: LumaPlane) {
            let left = max(0, (box.x + 0.25 * box.width) / plane.scaleX)
            let right = min(Double(plane.width), (box.x + 0.75 * box.width) / plane.scaleX)
            let top = max(0, (box.y + 0.05 * box.height) / plane.scaleY)
            let bottom = min(Double(plane.height), (box.y + 0.85 * box.height) / plane.scaleY)
            guard right - left >= 2, bottom - top >= 3 else { return nil }
            (stepX, stepY) = ((right - left) / Double(columns), (bottom - top) / Double(rows))
            (self.left, self.top) = (left + stepX / 2, top + stepY / 2)
        }

        func x(_ column: Int) -> Int { Int(left + Double(column) * stepX) }
        func y(_ row: Int) -> Int { Int(top + Double(row) * stepY) }
    }
}

extension SIMD8<Float> {
    /// Lane by lane the smaller one.
    fileprivate func common(_ other: Self) -> Self { replacing(with: other, where: other .< self) }
}
