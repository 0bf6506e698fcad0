/// For each cell of the picture and each magnification level: the time since the latest inference of the cell. An
/// inference at one level also covers all lower levels. Level 0 is the full frame.
struct CoverageAge: Sendable {
    static let (columns, rows) = (CellMeans.columns, CellMeans.rows)

    private var width = 1.0
    private var height = 1.0
    private var lastInferred: [[Nanoseconds]] = []
    /// Summed-area tables of the utility due to age (`places`) and due to motion (`motions`), by level. The sum over a
    /// rectangle is computed from the table's values at the four corners.
    private var (places, motions): ([[Double]], [[Double]]) = ([], [])

    init() {}

    /// - Parameter time: the time of the first inference. At this time, the age of all cells is 60 s.
    init(width: Double, height: Double, levels: Int, at time: Nanoseconds) {
        (self.width, self.height) = (width, height)
        let before = time.adding(-Self.neverInferred)
        lastInferred = Array(repeating: Array(repeating: before, count: Self.columns * Self.rows), count: levels)
        let empty = Array(repeating: 0.0, count: (Self.columns + 1) * (Self.rows + 1))
        (places, motions) = (Array(repeating: empty, count: levels), Array(repeating: empty, count: levels))
    }

    /// Records an inference of a region, or of the full frame if `region` is `nil`.
    mutating func note(_ region: Box?, level: Int, at time: Nanoseconds) {
        let (across, down) = region.map(inside) ?? (0..<Self.columns, 0..<Self.rows)
        for level in lastInferred.indices.prefix(level + 1) {
            for row in down { for column in across { lastInferred[level][row * Self.columns + column] = time } }
        }
    }

    private func inside(_ region: Box) -> (Range<Int>, Range<Int>) {
        func range(_ low: Double, _ high: Double, _ length: Double, _ count: Int) -> Range<Int> {
            let first = min(Double(count), max(0, (low / length * Double(count) - 0.5).rounded(.up)))
            let end = min(Double(count), max(first, (high / length * Double(count) - 0.5).rounded(.up)))
            return Int(first)..<Int(end)
        }
        return (
            range(region.minX, region.maxX, width, Self.columns), range(region.minY, region.maxY, height, Self.rows)
        )
    }

    /// Computes the utility of an inference at `time`, for each cell and level. `isMoving` marks the cells in which an
    /// object moves that a higher magnification might make detectable. The utility of a cell grows with its age, but
    /// only until the age is `longest` seconds.
    mutating func computeUtility(at time: Nanoseconds, with isMoving: [Bool], upTo longest: Double = Self.longest) {
        let columns = Self.columns + 1
        for level in lastInferred.indices {
            for row in 0..<Self.rows {
                var (place, moving) = (0.0, 0.0)
                for column in 0..<Self.columns {
                    let cell = row * Self.columns + column
                    let last = lastInferred[level][cell]
                    let age = last > time ? longest : min(longest, Double(time.since(last)) / 1e9)
                    place += age * Self.utilityOfPlaces
                    if isMoving[cell] { moving += age * Self.utilityOfMotion }
                    let at = (row + 1) * columns + column + 1
                    places[level][at] = places[level][at - columns] + place
                    motions[level][at] = motions[level][at - columns] + moving
                }
            }
        }
    }

    /// Returns the utility of an inference of a region: the part due to the age of its cells, and the part due to
    /// motion.
    func utility(of region: Box, level: Int) -> (place: Double, motion: Double) {
        let (across, down) = inside(region)
        return (
            Self.sum(places[level], across, down),
            min(Self.maximumMotionUtility, Self.sum(motions[level], across, down))
        )
    }

    private static func sum(_ sums: [Double], _ across: Range<Int>, _ down: Range<Int>) -> Double {
        let stride = columns + 1
        let (top, bottom) = (down.lowerBound * stride, down.upperBound * stride)
        return sums[bottom + across.upperBound] - sums[bottom + across.lowerBound] - sums[top + across.upperBound]
            + sums[top + across.lowerBound]
    }

    /// The utility of a cell grows with its age, but only until this age, in seconds. `longest` applies while areas
    /// compete with objects for inferences. `longestWhenIdle` applies when only the ages of areas are compared.
    static let (longest, longestWhenIdle) = (4.0, 3600.0)
    private static let neverInferred: Nanoseconds = 60_000_000_000
    /// The utility that each second of a cell's age adds to a region. All cells together add as much as one undetected
    /// object.
    private static let utilityOfPlaces = 1.0 / Double(columns * rows)
    /// The utility that each second of a cell's age adds to a region if the cell has motion.
    private static let utilityOfMotion = 0.1
    /// The maximum utility due to motion in a region, equal to that of one undetected object.
    private static let maximumMotionUtility = 1.0
}
