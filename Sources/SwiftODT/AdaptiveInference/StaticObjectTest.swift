/// Tests whether motion within an object's box is probably caused by another object in front of it. A bed, bus or table
/// that fills much of the image does not explain motion in its box.
enum StaticObjectTest {
    /// Minimum share of the image for the test. Smaller boxes often contain a person, who may move only a hand.
    private static let minimumShare = 0.4
    /// Share of changed cells in the box from which the motion is the object's own.
    private static let ownMotion = 0.25

    /// Returns whether the object is probably static.
    /// - Parameters:
    ///   - columns: the columns of cells that the box touches.
    ///   - rows: the rows of cells that the box touches.
    ///   - isMoving: whether each cell of the image contains motion, in row order.
    ///   - width: the number of cells per row.
    static func isLikely<Cells: RandomAccessCollection<Bool>>(
        columns: some Collection<Int>, rows: some Collection<Int>, of isMoving: Cells, width: Int
    ) -> Bool where Cells.Index == Int {
        let count = columns.count * rows.count
        // Most boxes are small; skip the count for them.
        guard Double(count) > minimumShare * Double(isMoving.count) else { return false }
        let moving = rows.reduce(0) { sum, row in sum + columns.count { isMoving[row * width + $0] } }
        return Double(moving) < ownMotion * Double(count)
    }
}
