/// Remembers the cells in which many inferences have detected nothing in spite of motion, for example leaves or water.
///
/// Motion there, and in adjacent cells, does not count as activity, so it does not open the gate before the decoder. The
/// decision to run inference does not depend on it: it has shorter back-off times, see ``UnexplainedMotion``. An object in
/// such a cell is therefore still detected in each frame that is inferred.
struct RecurringMotion: Sendable {
    private struct Cell {
        /// The number of inferences that have detected nothing here.
        var emptyInferences = 0
        /// The value of `clock` at the latest of them.
        var moved: Nanoseconds = 0
    }

    private var cells: ContiguousArray<Cell> = []
    /// Whether motion in a cell does not count.
    private var isIgnored: ContiguousArray<Bool> = []
    private var clock: Nanoseconds = 0

    /// The number of inferences without a detection from which on the motion in a cell counts as recurring. A walking
    /// person leaves a cell earlier.
    static let minimumInferences = 12
    /// The time without motion after which a cell is forgotten. It is longer than the pause between gusts of wind.
    private static let memory: Nanoseconds = 60_000_000_000
    /// The maximum time that counts between two frames. While only key frames are decoded, there are fewer frames in which
    /// motion can be seen.
    private static let maximumStep: Nanoseconds = 1_000_000_000

    /// Records the time between two frames.
    mutating func advance(by step: Nanoseconds) { clock = clock.adding(min(step, Self.maximumStep)) }

    /// Records the result of an inference.
    ///
    /// - Parameters:
    ///   - isUnexplained: for each cell, whether it has motion that no track explains. Changed cells that tracks explain
    ///     are forgotten, because objects are detected there.
    ///   - change: the difference between the inferred frame and its reference frame.
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

    /// Forgets all cells, because the picture has changed as a whole.
    mutating func forget() { (cells, isIgnored) = ([], []) }

    /// Returns whether any of the cells counts, given those with motion.
    func counts(_ isMoving: ContiguousArray<Bool>) -> Bool {
        isMoving.indices.contains { isMoving[$0] && !(isIgnored.count == isMoving.count && isIgnored[$0]) }
    }
}
