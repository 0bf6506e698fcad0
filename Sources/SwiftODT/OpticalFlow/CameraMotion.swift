/// Estimates the camera motion as the median of the displacements of objects or points.
///
/// The estimate is reduced towards zero if the displacements disagree, because a few objects with different motions do
/// not indicate camera motion.
struct CameraMotion {
    private var displacements: ContiguousArray<SIMD2<Double>> = []

    static let minimumCount = 4

    var count: Int { displacements.count }

    mutating func begin() { displacements.removeAll(keepingCapacity: true) }

    mutating func add(_ displacement: SIMD2<Double>) { displacements.append(displacement) }

    /// Returns the camera motion in the unit of the displacements. Zero if there are too few displacements, or if they
    /// disagree.
    mutating func estimate() -> SIMD2<Double> {
        guard count >= Self.minimumCount else { return .zero }
        return displacements.withUnsafeMutableBufferPointer { values in
            let middle = Self.median(values)
            // If the median is this small, `rest` below is 0 for any spread.
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

    /// The minimum variance of the median, in squared units of the displacements.
    private static let precision = 0.01

    /// Returns the medians of x and of y. Uses odd-even transposition sort, which is faster for few values than
    /// algorithms with unpredictable branches.
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

/// Detects camera motion that is too slow to be measured from frame to frame. Compares pictures that are half a second
/// apart.
struct CameraDrift {
    /// The result of the latest comparison.
    private(set) var isMoving = false

    private var before: (pyramid: ImagePyramid, time: Nanoseconds)?

    /// The interval between the compared pictures, in nanoseconds.
    private static let step: Nanoseconds = 500_000_000
    /// The camera counts as moving if the background has moved by more than this distance between the compared
    /// pictures, in plane pixels.
    private static let still = 0.6

    /// Compares the picture with the picture of the previous comparison. Does nothing if less than ``step`` has passed
    /// since that comparison.
    ///
    /// - Parameter boxes: the areas of moving objects, in buffer pixels. They are excluded from the comparison.
    mutating func update(at plane: LumaPlane, time: Nanoseconds, around boxes: [Box]) {
        if let before, time >= before.time, time - before.time < Self.step { return }
        let pyramid = ImagePyramid(plane)
        defer { before = (pyramid, time) }
        guard let previous = before?.pyramid, previous.plane.width == plane.width,
            previous.plane.height == plane.height,
            min(plane.width, plane.height) >= 16
        else { return }
        var motion = ImageMotion(from: previous, to: pyramid)
        let shift = motion.backgroundShift(around: ContiguousArray(boxes)) ?? .zero
        isMoving = max(abs(shift.x) / plane.scaleX, abs(shift.y) / plane.scaleY) > Self.still
    }

    mutating func forget() { (before, isMoving) = (nil, false) }
}
