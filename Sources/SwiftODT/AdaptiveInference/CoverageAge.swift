/// For how long nobody has looked at the places of a picture, level by level of magnification: a look that is nearer counts for
/// those that are farther off, too.
struct CoverageAge: Sendable {
    static let (columns, rows) = (CellMeans.columns, CellMeans.rows)

    private var width = 1.0
    private var height = 1.0
    /// When each cell was last looked at, by level.
    private var lastInferred: [[Nanoseconds]] = []
    /// Sums from the first cell on, by level: a rectangle's is had from its corners.
    private var (places, motions): ([[Double]], [[Double]]) = ([], [])

    init() {}

    /// - Parameter time: when the first look is; what has been before counts as looked at so long ago that nothing is more worth a look.
    init(width: Double, height: Double, levels: Int, at time: Nanoseconds) {
        (self.width, self.height) = (width, height)
        let before = time.adding(-Self.neverInferred)
        lastInferred = Array(repeating: Array(repeating: before, count: Self.columns * Self.rows), count: levels)
        let empty = Array(repeating: 0.0, count: (Self.columns + 1) * (Self.rows + 1))
        (places, motions) = (Array(repeating: empty, count: levels), Array(repeating: empty, count: levels))
    }

    /// Something was looked at; `nil` for the whole picture.
    mutating func note(_ region: Box?, level: Int, at time: Nanoseconds) {
        let (across, down) = region.map(inside) ?? (0..<Self.columns, 0..<Self.rows)
        for level in lastInferred.indices.prefix(level + 1) {
            for row in down { for column in across { lastInferred[level][row * Self.columns + column] = time } }
        }
    }

    /// The cells whose middle is in a part.
    private func inside(_ region: Box) -> (Range<Int>, Range<Int>) {
        func range(_ low: Double, _ high: Double, _ length: Double, _ count: Int) -> Range<Int> {
            let first = min(Double(count), max(0, (low / length * Double(count) - 0.5).rounded(.up)))
            let end = min(Double(count), max(first, (high / length * Double(count) - 0.5).rounded(.up)))
            return Int(first)..<Int(end)
        }
        return (range(region.minX, region.maxX, width, Self.columns), range(region.minY, region.maxY, height, Self.rows))
    }

    /// Works out what a look at each place is worth now.
    ///
    /// - Parameters:
    ///   - isMoving: the cells where a nearer look may tell what moves there.
    ///   - longest: seconds beyond which a place is no more worth a look.
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

    func utility(of region: Box, level: Int) -> (place: Double, motion: Double) {
        let (across, down) = inside(region)
        return (Self.sum(places[level], across, down), min(Self.maximumMotionUtility, Self.sum(motions[level], across, down)))
    }

    private static func sum(_ sums: [Double], _ across: Range<Int>, _ down: Range<Int>) -> Double {
        let stride = columns + 1
        let (top, bottom) = (down.lowerBound * stride, down.upperBound * stride)
        return sums[bottom + across.upperBound] - sums[bottom + across.lowerBound] - sums[top + across.upperBound]
            + sums[top + across.lowerBound]
    }

    /// Seconds beyond which a place is no more worth a look: where objects are, which ask for looks, too, and where nothing goes on.
    static let (longest, longestWhenIdle) = (4.0, 3600.0)
    private static let neverInferred: Nanoseconds = 60_000_000_000
    /// Of a cell, for each second: all of the picture together is worth as much as an object that has not been seen.
    private static let utilityOfPlaces = 1.0 / Double(columns * rows)
    /// What moves in a cell, for each second; however much moves together, it is worth no more than an object.
    private static let utilityOfMotion = 0.1
    private static let maximumMotionUtility = 1.0
}
