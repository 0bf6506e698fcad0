/// Tells whether what moves in an object's box is most likely not the object, but somebody before it: a bed, a bus or a table that
/// fills much of the picture explains nothing of what goes on there.
enum Backdrop {
    /// What covers less of the picture is most often somebody, who may well move a hand alone.
    private static let leastShare = 0.4
    /// What moves itself differs in more of its box than this.
    private static let ownMotion = 0.25

    /// - Parameters:
    ///   - cells: how many the box has.
    ///   - moving: in how many of them something moves.
    ///   - all: how many the picture has.
    static func isLikely(cells: Int, moving: Int, of all: Int) -> Bool {
        Double(cells) > leastShare * Double(all) && Double(moving) < ownMotion * Double(cells)
    }
}
