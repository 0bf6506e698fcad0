/// Where in the picture something moves that no known object explains, by the cells of ``CoverageAge``.
///
/// Compares each cell's mean with what it has lately been, beside what all of them did: light that changes and a camera that turns
/// move everything, and that is nothing to look for.
///
/// ``FrameDifference`` tells the pace nearly the same, but beside the picture that was looked at last and by pixels that differ much. Where
/// each frame is looked at that is the frame before, from which what is small and slow hardly differs; means that are remembered for a
/// while tell of it.
struct CellMotion: Sendable {
    private(set) var isMoving = [Bool](repeating: false, count: CoverageAge.columns * CoverageAge.rows)
    /// Whether most of the picture stands: before a camera that turns nobody can tell what is large and moves.
    private(set) var isCalm = true
    /// Whether nothing moves where objects are known, nor the camera.
    private(set) var isStill = true
    /// When each cell moved last, and since when it did.
    private var moved = [Nanoseconds](repeating: .min, count: CoverageAge.columns * CoverageAge.rows)
    private var began = [Nanoseconds](repeating: .min, count: CoverageAge.columns * CoverageAge.rows)
    private var latest: Nanoseconds?
    private var means: ContiguousArray<Float> = []
    private var latestMeans: ContiguousArray<Float> = []
    private var changes = [Float](repeating: 0, count: CoverageAge.columns * CoverageAge.rows)

    /// Grey levels by which a cell's mean changes where something comes into it.
    private static let minimum: Float = 1.5
    /// The mean of what a cell was follows what it is within so many seconds.
    private static let memory = 0.2
    /// What has been calm for so long begins to move anew.
    private static let calm: Nanoseconds = 1_000_000_000

    /// - Parameter known: where objects are, in buffer pixels.
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
        // Where most of the picture changes that is the camera, or the light.
        let usual = changes.sorted()[changes.count * 3 / 4]
        isCalm = usual <= Self.minimum
        let follow = Float(min(1, seconds / Self.memory))
        for cell in latestMeans.indices {
            isMoving[cell] = changes[cell] > Self.minimum + 3 * usual
            means[cell] += (latestMeans[cell] - means[cell]) * follow
        }
        let (width, height) = (plane.scaleX * Double(plane.width), plane.scaleY * Double(plane.height))
        // All are judged by the same picture, whoever is told of first.
        let seen = isMoving
        for box in known where box.isFinite {
            explain(box.scaled(x: Double(columns) / width, y: Double(rows) / height), in: seen)
        }
        isStill = isCalm && isMoving == seen
        noteBeginnings(at: time)
    }

    /// What moves, thing by thing.
    var regions: [MovingRegion] {
        isMoving.contains(true) ? MovingRegion.all(in: zip(isMoving, began).map { $0 ? $1 : nil }) : []
    }

    private mutating func noteBeginnings(at time: Nanoseconds) {
        for cell in isMoving.indices where isMoving[cell] {
            if moved[cell] < time.adding(-Self.calm) || moved[cell] > time { began[cell] = time }
            moved[cell] = time
        }
    }

    /// - Parameters:
    ///   - box: in cells.
    ///   - seen: where something moves, explained or not.
    private mutating func explain(_ box: Box, in seen: [Bool]) {
        func range(_ low: Double, _ high: Double, _ count: Int) -> Range<Int> {
            let first = min(Double(count), max(0, low.rounded(.down)))
            return Int(first)..<Int(min(Double(count), max(first, high.rounded(.up))))
        }
        let (rows, columns) = (range(box.minY, box.maxY, CoverageAge.rows), range(box.minX, box.maxX, CoverageAge.columns))
        if StaticObjectTest.isLikely(columns: columns, rows: rows, of: seen, width: CoverageAge.columns) { return }
        for row in rows {
            for column in columns { isMoving[row * CoverageAge.columns + column] = false }
        }
    }
}
