/// Tells whether what moves in an object's box is most likely not the object, but somebody before it: a bed, a bus or a table that
/// fills much of the picture explains nothing of what goes on there.
enum StaticObjectTest {
    /// What covers less of the picture is most often somebody, who may well move a hand alone.
    private static let minimumShare = 0.4
    /// What moves itself differs in more of its box than this.
    private static let ownMotion = 0.25

    /// - Parameters:
    ///   - columns: those of the picture's cells that the box touches, and the same of rows.
    ///   - isMoving: whether something moves in each cell of the picture, row by row.
    ///   - width: how many cells the picture has across.
    static func isLikely<Cells: RandomAccessCollection<Bool>>(
        columns: some Collection<Int>, rows: some Collection<Int>, of isMoving: Cells, width: Int
    ) -> Bool where Cells.Index == Int {
        let count = columns.count * rows.count
        // Most boxes are small: nothing is counted for them.
        guard Double(count) > minimumShare * Double(isMoving.count) else { return false }
        let moving = rows.reduce(0) { sum, row in sum + columns.count { isMoving[row * width + $0] } }
        return Double(moving) < ownMotion * Double(count)
    }
}
