/// Remembers the cells in which many inferences have detected nothing although there was motion, for example leaves or
/// water.
///
/// Motion in these cells and their neighbours does not count as activity, so it does not open the gate before the
/// decoder. It can still trigger an inference, see ``UnexplainedMotion``. An object in front of the leaves is therefore
/// detected in each inferred frame.
struct RecurringMotion: Sendable {
    private struct Cell {
        var emptyInferences = 0
        /// The value of `clock` at the latest inference that has detected nothing in this cell.
        var moved: Nanoseconds = 0
    }

    private var cells: ContiguousArray<Cell> = []
    private var isIgnored: ContiguousArray<Bool> = []
    private var clock: Nanoseconds = 0

    /// The motion in a cell counts as recurring after this number of inferences without a detection. A walking person
    /// leaves a cell earlier.
    static let minimumInferences = 12
    /// A cell is forgotten after this time without motion, measured with `clock` in nanoseconds. It is longer than the
    /// pause between gusts of wind.
    private static let memory: Nanoseconds = 60_000_000_000
    /// One frame advances `clock` by at most this time, in nanoseconds. If only key frames are decoded, motion is
    /// visible in few frames. Without this limit, cells would be forgotten too early.
    private static let maximumStep: Nanoseconds = 1_000_000_000

    mutating func advance(by step: Nanoseconds) { clock = clock.adding(min(step, Self.maximumStep)) }

    /// Records the result of an inference. `isUnexplained` marks the cells with motion that no track explains. Other
    /// changed cells are forgotten, because objects are detected there. `change` is the difference between the inferred
    /// frame and its reference frame.
    mutating func noteInference(_ isUnexplained: ContiguousArray<Bool>, in change: FrameDifference) {
        guard isUnexplained.count == change.isChanged.count else { return }
        if cells.count != isUnexplained.count {
            cells = ContiguousArray(repeating: Cell(), count: isUnexplained.count)
        }
        isIgnored = ContiguousArray(repeating: false, count: cells.count)
        for index in cells.indices {
            if isUnexplained[index] {
                cells[index].emptyInferences = min(cells[index].emptyInferences + 1, Self.minimumInferences)
                cells[index].moved = clock
            } else if change.isChanged[index] || clock.since(cells[index].moved) > Self.memory {
                cells[index].emptyInferences = 0
            }
            guard cells[index].emptyInferences == Self.minimumInferences else { continue }
            for neighbour in change.neighbours(of: index) { isIgnored[neighbour] = true }
        }
    }

    mutating func forget() { (cells, isIgnored) = ([], []) }

    /// Returns whether at least one cell in `isMoving` has motion that is not recurring.
    func counts(_ isMoving: ContiguousArray<Bool>) -> Bool {
        isMoving.indices.contains { isMoving[$0] && !(isIgnored.count == isMoving.count && isIgnored[$0]) }
    }
}
