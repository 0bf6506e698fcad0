/// Tells pieces and details of a thing that a part has only a piece of from what stands before it.
enum TileFragment {
    /// So much of a piece lies in the thing that it is a piece of.
    private static let inside = 0.7
    /// What is this much surer than the thing around it is no detail of that.
    private static let trustInDetails = 0.5

    static func lies(_ box: Box, within object: Box) -> Bool { box.intersection(object).area > inside * box.area }

    /// Whether something under the name of the thing around it is but a detail of that: a head, taken for somebody.
    static func isDetail(_ box: Box, score: Double, of object: Box, score other: Double) -> Bool {
        other > trustInDetails * score && lies(box, within: object)
    }
}
