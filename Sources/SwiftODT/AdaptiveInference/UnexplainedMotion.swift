/// Finds changes of the picture that no track explains, and decides whether they justify an inference.
///
/// An inference may detect nothing at a place with motion (leaves, water, an undetectable object). Motion in these
/// cells and in adjacent cells is then ignored for a back-off time. The back-off time doubles with each further
/// inference that detects nothing there. Adjacent cells are included because moving objects enter them. A cell without
/// motion for 3 s loses its back-off.
struct UnexplainedMotion: Sendable {
    /// Whether there is unexplained motion, including motion that is ignored during a back-off time.
    private(set) var isAny = false
    /// Whether there is unexplained motion in a cell without a running back-off time.
    private(set) var isNewMotion = false
    /// Whether there is unexplained motion that began within the last second.
    private(set) var isFresh = false
    /// Whether all unexplained motion is in cells where many inferences have detected nothing, for example leaves,
    /// water or a blinking lamp.
    private(set) var isRecurring = false
    /// The fraction of the picture with unexplained motion. Cells with explained motion are left out of the total.
    private(set) var share = 0.0

    private struct Cell {
        var backOff: Nanoseconds = 0
        /// Motion in this cell is ignored until this time, because an inference has detected nothing here.
        var ignoredUntil: Nanoseconds = .min
        /// The number of inferences that have detected nothing in the cell since it was last static.
        var emptyInferences = 0
        var moved: Nanoseconds = .min

        mutating func forget(at time: Nanoseconds) {
            if moved < time.adding(-UnexplainedMotion.calm) { (backOff, emptyInferences) = (0, 0) }
        }
    }

    private var cells: ContiguousArray<Cell> = []
    /// The time when the current unexplained motion began. Pauses shorter than `calm` do not end the motion.
    private var began: Nanoseconds = .min
    private var latest: Nanoseconds = .min
    private(set) var isUnexplained: ContiguousArray<Bool> = []
    /// The back-off times of the cells before the current inference.
    private var previous: ContiguousArray<Nanoseconds> = []

    private static let firstBackOff: Nanoseconds = 200_000_000
    private static let maximumBackOff: Nanoseconds = 1_000_000_000
    private static let calm: Nanoseconds = 3_000_000_000
    private static let fresh: Nanoseconds = 1_000_000_000
    /// Motion also counts as explained in a margin around an object's box, because the object's shadow and limbs reach
    /// there. The margin is relative to the box's width and height.
    private static let margin = 0.15
    /// The lower bound of ``margin``, in pixels of the luma plane.
    private static let minimumMargin = 3.0
    /// An object counts as static if the IoU of its boxes in two frames exceeds this value.
    private static let staticIoU = 0.95

    /// Finds the unexplained motion of a frame. `places` are the current boxes of the objects. `previousPlaces` are the
    /// boxes in the reference frame. Both are in plane pixels.
    mutating func find(
        in change: FrameDifference, besides places: ContiguousArray<Box>, _ previousPlaces: ContiguousArray<Box>,
        at time: Nanoseconds
    ) {
        if cells.count != change.isChanged.count {
            cells = ContiguousArray(repeating: Cell(), count: change.isChanged.count)
        }
        isUnexplained.removeAll(keepingCapacity: true)
        isUnexplained.append(contentsOf: change.isChanged)
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
            if cells[index].emptyInferences < RecurringMotion.minimumInferences { isRecurring = false }
        }
        isAny = count > 0
        isRecurring = isRecurring && isAny
        if isAny {
            if latest < time.adding(-Self.calm) { began = time }
            latest = time
        }
        isFresh = isAny && began > time.adding(-Self.fresh)
        // If objects cover nearly all of the picture, the few other cells are not representative. The divisor is
        // therefore at least a quarter of all cells.
        share = cells.isEmpty ? 0 : Double(count) / Double(max(cells.count - explained, cells.count / 4))
    }

    /// Processes the result of an inference. Cells whose motion is still unexplained get a back-off time. `places` are
    /// the boxes of the objects after the result. `previousPlaces` are the boxes at the previous inference. Both are in
    /// plane pixels.
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
            let backOff = change.neighbours(of: index).reduce(0) { max($0, previous[$1]) }
            cells[index].emptyInferences = min(cells[index].emptyInferences + 1, RecurringMotion.minimumInferences)
            cells[index].backOff = backOff == 0 ? Self.firstBackOff : min(backOff * 2, Self.maximumBackOff)
            let end = time.adding(cells[index].backOff)
            for neighbour in change.neighbours(of: index) {
                cells[neighbour].ignoredUntil = max(cells[neighbour].ignoredUntil, end)
            }
        }
    }

    /// Returns whether the motion in an object's box is probably caused by another object in front of it. Two frames
    /// are compared. `box` is from one of them, and `others` are the boxes of all objects in the other frame. If the
    /// object is static, one box of `others` matches `box`.
    private func isBackdrop(_ box: Box, besides others: ContiguousArray<Box>, in change: FrameDifference) -> Bool {
        guard let (columns, rows) = change.cells(of: box) else { return false }
        return StaticObjectTest.isLikely(columns: columns, rows: rows, of: change.isChanged, width: change.columns)
            && others.contains { $0.iou(box) > Self.staticIoU }
    }

    private mutating func explain(_ box: Box, in change: FrameDifference) {
        let wide = box.grown(by: Self.margin, minimum: Self.minimumMargin)
        guard let (columns, rows) = change.cells(of: wide) else { return }
        for row in rows {
            for column in columns { isUnexplained[row * change.columns + column] = false }
        }
    }
}

/// Tests whether an object is probably static, although there is motion in its box. A bed, bus or table that fills much
/// of the picture does not move itself: another object moves in front of it.
enum StaticObjectTest {
    /// Only boxes that cover more than this fraction of the picture are tested. A smaller box often contains a person
    /// who moves only a hand.
    private static let minimumShare = 0.4
    /// If at least this fraction of the cells in the box has motion, the object itself counts as moving.
    private static let ownMotion = 0.25

    /// Returns whether the object is probably static. `columns` and `rows` are the cells that its box touches.
    /// `isMoving` contains all cells of the picture in row order, `width` cells in each row.
    static func isLikely<Cells: RandomAccessCollection<Bool>>(
        columns: some Collection<Int>, rows: some Collection<Int>, of isMoving: Cells, width: Int
    ) -> Bool where Cells.Index == Int {
        let count = columns.count * rows.count
        // Most boxes are small. They are rejected without counting cells.
        guard Double(count) > minimumShare * Double(isMoving.count) else { return false }
        let moving = rows.reduce(0) { sum, row in sum + columns.count { isMoving[row * width + $0] } }
        return Double(moving) < ownMotion * Double(count)
    }
}
