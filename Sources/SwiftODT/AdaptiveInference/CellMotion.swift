/// Detects motion that no track explains, for each cell of the grid of ``CoverageAge``, and determines the utility of
/// inferences due to this motion.
///
/// The mean grey level of each cell is compared with the moving average of this mean. A cell has motion if the
/// difference is clearly larger than in most other cells. Changes of light and camera motion affect all cells and are
/// thus ignored.
///
/// ``FrameDifference`` is similar but serves the interval policy. It compares single pixels with the last inferred
/// frame. If every frame is inferred, the last inferred frame is the previous frame, from which small or slow objects
/// hardly differ. The moving average in `CellMotion` makes small or slow objects detectable.
struct CellMotion: Sendable {
    private(set) var isMoving = [Bool](repeating: false, count: CoverageAge.columns * CoverageAge.rows)
    /// Whether most of the picture is static. If not, the camera moves or the light changes, and moving objects cannot
    /// be distinguished from the background.
    private(set) var isCalm = true
    /// Whether neither the camera nor a tracked object moves. Unexplained motion does not count.
    private(set) var isStill = true
    private var moved = [Nanoseconds](repeating: .min, count: CoverageAge.columns * CoverageAge.rows)
    private var began = [Nanoseconds](repeating: .min, count: CoverageAge.columns * CoverageAge.rows)
    private var latest: Nanoseconds?
    private var means: ContiguousArray<Float> = []
    private var latestMeans: ContiguousArray<Float> = []
    private var changes = [Float](repeating: 0, count: CoverageAge.columns * CoverageAge.rows)
    private(set) var utilityOfFullFrame = 0.0
    /// For each cell, whether it has motion of an object that may be detected at a higher magnification. These are the
    /// cells with unexplained motion, except those of large moving objects.
    private(set) var isMovingNearby: [Bool] = []

    /// The utility that each large moving object adds to a full-frame inference. It exceeds the utility of an area
    /// whose latest inference was a long time ago.
    static let utilityOfLarge = 3.0
    /// A moving region no longer counts as one large object if no full-frame inference has detected an object in it for
    /// this time, in nanoseconds.
    private static let longestLarge: Nanoseconds = 1_000_000_000
    /// The minimum change of a cell's mean that counts as motion, in grey levels.
    private static let minimum: Float = 1.5
    /// The time constant, in seconds, of the moving average of each cell's mean.
    private static let averagingTime = 0.2
    /// If a cell had no motion for longer than this time, in nanoseconds, its next motion counts as new.
    private static let calm: Nanoseconds = 1_000_000_000

    /// Updates the state with the next frame. `known` contains the boxes of all tracks, in buffer pixels.
    mutating func update(at plane: LumaPlane?, at time: Nanoseconds, besides known: [Box]) {
        let seconds = latest.map { max(0, Double(time.since($0)) / 1e9) } ?? 0
        latest = time
        let (columns, rows) = (CoverageAge.columns, CoverageAge.rows)
        isStill = true
        guard let plane, CellMeans.take(of: plane, into: &latestMeans) else {
            for cell in isMoving.indices { isMoving[cell] = false }
            return
        }
        guard means.count == latestMeans.count else {
            means = latestMeans
            return
        }
        for cell in latestMeans.indices { changes[cell] = abs(latestMeans[cell] - means[cell]) }
        // The third quartile measures changes that affect most cells: camera motion and changes of light.
        let typicalChange = changes.sorted()[changes.count * 3 / 4]
        isCalm = typicalChange <= Self.minimum
        let follow = Float(min(1, seconds / Self.averagingTime))
        for cell in latestMeans.indices {
            isMoving[cell] = changes[cell] > Self.minimum + 3 * typicalChange
            means[cell] += (latestMeans[cell] - means[cell]) * follow
        }
        let (width, height) = (plane.scaleX * Double(plane.width), plane.scaleY * Double(plane.height))
        // Each box is tested against all motion, including motion that another box explains. Otherwise the result would
        // depend on the order of the boxes.
        let allMotion = isMoving
        for box in known where box.isFinite {
            explain(box.scaled(x: Double(columns) / width, y: Double(rows) / height), in: allMotion)
        }
        isStill = isCalm && isMoving == allMotion
        for cell in isMoving.indices where isMoving[cell] {
            if moved[cell] < time.adding(-Self.calm) || moved[cell] > time { began[cell] = time }
            moved[cell] = time
        }
    }

    /// Computes ``utilityOfFullFrame`` and ``isMovingNearby``, separating large moving regions from small ones.
    ///
    /// A large object is detected in the full frame, while a tile would cut it. If the motion of a region remains
    /// unexplained, the region may consist of many small objects, for which tiles are better. With a fixed inference
    /// interval, all moving regions count as small, because the next full-frame inference follows soon.
    mutating func computeUtility(at time: Nanoseconds, because cause: InferencePolicy.Reason, in pyramid: RegionPyramid)
    {
        (utilityOfFullFrame, isMovingNearby) = (0, isMoving)
        guard cause != .interval, isCalm, isMoving.contains(true) else { return }
        let (width, height) = (pyramid.fullFrame.box.width, pyramid.fullFrame.box.height)
        for region in MovingRegion.all(in: zip(isMoving, began).map { $0 ? $1 : nil })
        where time.since(region.began) < Self.longestLarge
            && pyramid.visibility(ofSide: region.side(width: width, height: height), at: 0).isCertain
        {
            for cell in region.cells { isMovingNearby[cell] = false }
            utilityOfFullFrame += Self.utilityOfLarge
        }
    }

    /// Marks the motion in an object's box as explained. If the object is probably static, the motion belongs to
    /// something in front of it and remains unexplained.
    ///
    /// - Parameters:
    ///   - box: the box in units of cells.
    ///   - allMotion: the cells with motion, explained or not.
    private mutating func explain(_ box: Box, in allMotion: [Bool]) {
        func range(_ low: Double, _ high: Double, _ count: Int) -> Range<Int> {
            let first = min(Double(count), max(0, low.rounded(.down)))
            return Int(first)..<Int(min(Double(count), max(first, high.rounded(.up))))
        }
        let (rows, columns) = (
            range(box.minY, box.maxY, CoverageAge.rows), range(box.minX, box.maxX, CoverageAge.columns)
        )
        if StaticObjectTest.isLikely(columns: columns, rows: rows, of: allMotion, width: CoverageAge.columns) { return }
        for row in rows {
            for column in columns { isMoving[row * CoverageAge.columns + column] = false }
        }
    }
}

/// A connected region of cells with unexplained motion. It is most likely one object.
struct MovingRegion: Sendable {
    /// The indices of the region's cells in the grid of ``CoverageAge``, row by row.
    private(set) var cells: [Int]
    private(set) var began: Nanoseconds

    /// Returns the size of the region in buffer pixels: the side of a square with the same area. At the picture's edge,
    /// only a part of the object is visible, so the longer side of the region is returned instead.
    func side(width: Double, height: Double) -> Double {
        let (across, down) = (width / Double(CoverageAge.columns), height / Double(CoverageAge.rows))
        let (x, y) = (cells.map { $0 % CoverageAge.columns }, cells.map { $0 / CoverageAge.columns })
        guard let left = x.min(), let right = x.max(), let top = y.min(), let bottom = y.max() else { return 0 }
        if left == 0 || top == 0 || right == CoverageAge.columns - 1 || bottom == CoverageAge.rows - 1 {
            return max(Double(right - left + 1) * across, Double(bottom - top + 1) * down)
        }
        return (Double(cells.count) * across * down).squareRoot()
    }

    /// Divides cells into 8-connected regions, in row order of their first cells.
    ///
    /// - Parameter began: the time when motion began in each cell. `nil` for static cells.
    static func all(in began: [Nanoseconds?]) -> [MovingRegion] {
        var left = began
        var found: [MovingRegion] = []
        for first in left.indices {
            guard let start = left[first] else { continue }
            left[first] = nil
            var region = MovingRegion(cells: [first], began: start)
            var next = 0
            while next < region.cells.count {
                region.takeNeighbours(of: region.cells[next], from: &left)
                next += 1
            }
            found.append(region)
        }
        return found
    }

    private mutating func takeNeighbours(of cell: Int, from left: inout [Nanoseconds?]) {
        let (column, row) = (cell % CoverageAge.columns, cell / CoverageAge.columns)
        for y in max(0, row - 1)...min(CoverageAge.rows - 1, row + 1) {
            for x in max(0, column - 1)...min(CoverageAge.columns - 1, column + 1) {
                let other = y * CoverageAge.columns + x
                guard let start = left[other] else { continue }
                left[other] = nil
                cells.append(other)
                began = min(began, start)
            }
        }
    }
}
