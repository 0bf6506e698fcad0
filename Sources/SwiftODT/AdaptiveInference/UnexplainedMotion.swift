/// What has changed in the picture and is none of the known objects, and whether that is news.
///
/// Where a look found nothing (leaves, water, somebody whom the detector does not see), the place has to wait before it is news
/// again, each time twice as long, and so have its neighbours, since what moves goes on to them. A place that has been calm for a while
/// is as new as any.
struct UnexplainedMotion: Sendable {
    /// Whether anything is unexplained, news or not.
    private(set) var isAny = false
    /// Whether something is that has not been looked at in vain just now.
    private(set) var isNewMotion = false
    /// Whether something is, and nothing was until a moment ago: somebody may be coming.
    private(set) var isFresh = false
    /// Whether something is, but only where it has been going on for long and been looked at in vain again and again: leaves, water, a lamp that
    /// blinks.
    private(set) var isRecurring = false
    /// In which share of the picture, less where objects explain what has changed, something is.
    private(set) var share = 0.0

    private struct Cell {
        /// For how long what moves here waits after a look in vain.
        var backOff: Nanoseconds = 0
        /// Until then nothing here is news.
        var ignoredUntil: Nanoseconds = .min
        /// How often that was looked at in vain since it was last calm here.
        var emptyInferences = 0
        /// When something last moved here that nothing explained.
        var moved: Nanoseconds = .min

        /// Whatever was here has gone where it has been calm for so long.
        mutating func forget(at time: Nanoseconds) {
            if moved < time.adding(-UnexplainedMotion.calm) { (backOff, emptyInferences) = (0, 0) }
        }
    }

    private var cells: ContiguousArray<Cell> = []
    /// Since when something moves now and then, and when it last did.
    private var began: Nanoseconds = .min
    private var latest: Nanoseconds = .min
    private var isUnexplained: ContiguousArray<Bool> = []
    private var columns = 0
    /// How patient the cells were before a look.
    private var previous: ContiguousArray<Nanoseconds> = []

    private static let firstBackOff: Nanoseconds = 200_000_000
    private static let maximumBackOff: Nanoseconds = 1_000_000_000
    private static let calm: Nanoseconds = 3_000_000_000
    /// So many looks in vain at one place: whoever walks has gone on by then.
    private static let maximumEmptyInferences = 12
    private static let fresh: Nanoseconds = 1_000_000_000
    /// How far around an object its shadow and its limbs may reach: a share of its box, and pixels of the plane.
    private static let margin = 0.15
    private static let minimumMargin = 3.0
    /// Two boxes of what stands overlap so much (IoU).
    private static let standing = 0.95

    /// - Parameters:
    ///   - places: where objects are, in pixels of the plane.
    ///   - previousPlaces: where they were in the picture that this one is compared with.
    mutating func find(
        in change: FrameDifference, besides places: ContiguousArray<Box>, _ previousPlaces: ContiguousArray<Box>,
        at time: Nanoseconds
    ) {
        if cells.count != change.isChanged.count {
            cells = ContiguousArray(repeating: Cell(), count: change.isChanged.count)
        }
        isUnexplained.removeAll(keepingCapacity: true)
        isUnexplained.append(contentsOf: change.isChanged)
        columns = change.columns
        for box in places where !isBackdrop(box, besides: previousPlaces, in: change) { explain(box, in: change) }
        for box in previousPlaces where !isBackdrop(box, besides: places, in: change) { explain(box, in: change) }
        (isAny, isNewMotion, isRecurring) = (false, false, true)
        var count = 0
        let explained = change.count - isUnexplained.count { $0 }
        for index in cells.indices where isUnexplained[index] {
            count += 1
            cells[index].forget(at: time)
            cells[index].moved = time
            if cells[index].ignoredUntil <= time { isNewMotion = true }
            if cells[index].emptyInferences < Self.maximumEmptyInferences { isRecurring = false }
        }
        isAny = count > 0
        isRecurring = isRecurring && isAny
        if isAny {
            if latest < time.adding(-Self.calm) { began = time }
            latest = time
        }
        isFresh = isAny && began > time.adding(-Self.fresh)
        // Where objects cover nearly all, what is left says little.
        share = cells.isEmpty ? 0 : Double(count) / Double(max(cells.count - explained, cells.count / 4))
    }

    /// It has been looked at, and the answer is there: what is still unexplained waits.
    ///
    /// - Parameters:
    ///   - places: where objects are now that the answer is known, in pixels of the plane.
    ///   - previousPlaces: where they were in the picture that was looked at before.
    mutating func noteInference(
        at time: Nanoseconds, besides places: ContiguousArray<Box>, _ previousPlaces: ContiguousArray<Box>,
        in change: FrameDifference
    ) {
        guard isAny, isUnexplained.count == cells.count else { return }
        for box in places where !isBackdrop(box, besides: previousPlaces, in: change) { explain(box, in: change) }
        for index in cells.indices { cells[index].forget(at: time) }
        previous.removeAll(keepingCapacity: true)
        for cell in cells { previous.append(cell.backOff) }
        for index in cells.indices where isUnexplained[index] {
            let backOff = neighbours(of: index).reduce(0) { max($0, previous[$1]) }
            cells[index].emptyInferences = min(cells[index].emptyInferences + 1, Self.maximumEmptyInferences)
            cells[index].backOff = backOff == 0 ? Self.firstBackOff : min(backOff * 2, Self.maximumBackOff)
            let end = time.adding(cells[index].backOff)
            for neighbour in neighbours(of: index) { cells[neighbour].ignoredUntil = max(cells[neighbour].ignoredUntil, end) }
        }
    }

    /// Whether what moves in an object's box is somebody else's.
    ///
    /// - Parameter others: where objects were, or are, in the other picture: a backdrop stands as it stood.
    private func isBackdrop(_ box: Box, besides others: ContiguousArray<Box>, in change: FrameDifference) -> Bool {
        guard let (columns, rows) = change.cells(of: box) else { return false }
        return StaticObjectTest.isLikely(columns: columns, rows: rows, of: change.isChanged, width: change.columns)
            && others.contains { $0.iou(box) > Self.standing }
    }

    private mutating func explain(_ box: Box, in change: FrameDifference) {
        let (across, down) = (
            max(Self.minimumMargin, Self.margin * box.width), max(Self.minimumMargin, Self.margin * box.height)
        )
        let wide = Box(x: box.x - across, y: box.y - down, width: box.width + 2 * across, height: box.height + 2 * down)
        guard let (columns, rows) = change.cells(of: wide) else { return }
        for row in rows {
            for column in columns { isUnexplained[row * change.columns + column] = false }
        }
    }

    /// The cell itself among them.
    private func neighbours(of index: Int) -> some Sequence<Int> {
        let (row, column) = (index / columns, index % columns)
        let across = max(0, column - 1)...min(columns - 1, column + 1)
        return (max(0, row - 1)...min(cells.count / columns - 1, row + 1)).lazy.flatMap { [columns] y in
            across.lazy.map { y * columns + $0 }
        }
    }
}
