/// What has changed in the picture and is none of the known objects, and whether that is news.
///
/// Where a look found nothing (leaves, water, somebody whom the detector does not see), the place has to wait before it is news
/// again, each time twice as long, and so have its neighbours, since what moves goes on to them. A place that has been calm for a while
/// is as new as any.
struct UnexplainedMotion: Sendable {
    /// Whether anything is unexplained, news or not.
    private(set) var isAny = false
    /// Whether something is that has not been looked at in vain just now.
    private(set) var isNews = false
    /// Whether something is, and nothing was until a moment ago: somebody may be coming.
    private(set) var isFresh = false
    /// Whether something is, but only where it has been going on for long and been looked at in vain again and again: leaves, water, a lamp that
    /// blinks.
    private(set) var isOldNews = false
    /// In which share of the picture, less where objects explain what has changed, something is.
    private(set) var share = 0.0

    private struct Cell {
        /// For how long what moves here waits after a look in vain.
        var patience: Nanoseconds = 0
        /// Until then nothing here is news.
        var waits: Nanoseconds = .min
        /// How often that was looked at in vain since it was last calm here.
        var vain = 0
        /// When something last moved here that nothing explained.
        var moved: Nanoseconds = .min

        /// Whatever was here has gone where it has been calm for so long.
        mutating func forget(at time: Nanoseconds) {
            if moved < time.adding(-UnexplainedMotion.calm) { (patience, vain) = (0, 0) }
        }
    }

    private var cells: ContiguousArray<Cell> = []
    /// Since when something moves now and then, and when it last did.
    private var began: Nanoseconds = .min
    private var latest: Nanoseconds = .min
    private var isUnexplained: ContiguousArray<Bool> = []
    private var columns = 0
    /// How patient the cells were before a look.
    private var former: ContiguousArray<Nanoseconds> = []

    private static let firstPatience: Nanoseconds = 200_000_000
    private static let mostPatience: Nanoseconds = 1_000_000_000
    private static let calm: Nanoseconds = 3_000_000_000
    /// So many looks in vain at one place: whoever walks has gone on by then.
    private static let mostVain = 12
    private static let fresh: Nanoseconds = 1_000_000_000
    /// How far around an object its shadow and its limbs may reach: a share of its box, and pixels of the plane.
    private static let margin = 0.15
    private static let leastMargin = 3.0
    /// Two boxes of what stands overlap so much (IoU).
    private static let standing = 0.95

    /// - Parameters:
    ///   - places: where objects are, in pixels of the plane.
    ///   - formerPlaces: where they were in the picture that this one is compared with.
    mutating func find(
        in change: PictureChange, besides places: ContiguousArray<Box>, _ formerPlaces: ContiguousArray<Box>,
        at time: Nanoseconds
    ) {
        if cells.count != change.isChanged.count {
            cells = ContiguousArray(repeating: Cell(), count: change.isChanged.count)
        }
        isUnexplained.removeAll(keepingCapacity: true)
        isUnexplained.append(contentsOf: change.isChanged)
        columns = change.columns
        for box in places where !isBackdrop(box, besides: formerPlaces, in: change) { explain(box, in: change) }
        for box in formerPlaces where !isBackdrop(box, besides: places, in: change) { explain(box, in: change) }
        (isAny, isNews, isOldNews) = (false, false, true)
        var count = 0
        let explained = change.count - isUnexplained.count { $0 }
        for index in cells.indices where isUnexplained[index] {
            count += 1
            cells[index].forget(at: time)
            cells[index].moved = time
            if cells[index].waits <= time { isNews = true }
            if cells[index].vain < Self.mostVain { isOldNews = false }
        }
        isAny = count > 0
        isOldNews = isOldNews && isAny
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
    ///   - formerPlaces: where they were in the picture that was looked at before.
    mutating func noteLook(
        at time: Nanoseconds, besides places: ContiguousArray<Box>, _ formerPlaces: ContiguousArray<Box>,
        in change: PictureChange
    ) {
        guard isAny, isUnexplained.count == cells.count else { return }
        for box in places where !isBackdrop(box, besides: formerPlaces, in: change) { explain(box, in: change) }
        for index in cells.indices { cells[index].forget(at: time) }
        former.removeAll(keepingCapacity: true)
        for cell in cells { former.append(cell.patience) }
        for index in cells.indices where isUnexplained[index] {
            let patience = neighbours(of: index).reduce(0) { max($0, former[$1]) }
            cells[index].vain = min(cells[index].vain + 1, Self.mostVain)
            cells[index].patience = patience == 0 ? Self.firstPatience : min(patience * 2, Self.mostPatience)
            let end = time.adding(cells[index].patience)
            for neighbour in neighbours(of: index) { cells[neighbour].waits = max(cells[neighbour].waits, end) }
        }
    }

    /// Whether what moves in an object's box is somebody else's.
    ///
    /// - Parameter others: where objects were, or are, in the other picture: a backdrop stands as it stood.
    private func isBackdrop(_ box: Box, besides others: ContiguousArray<Box>, in change: PictureChange) -> Bool {
        guard let (columns, rows) = change.cells(of: box) else { return false }
        return Backdrop.isLikely(columns: columns, rows: rows, of: change.isChanged, width: change.columns)
            && others.contains { $0.iou(box) > Self.standing }
    }

    private mutating func explain(_ box: Box, in change: PictureChange) {
        let (across, down) = (
            max(Self.leastMargin, Self.margin * box.width), max(Self.leastMargin, Self.margin * box.height)
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
