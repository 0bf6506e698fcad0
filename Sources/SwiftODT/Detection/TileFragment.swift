/// Tests whether a detection is a fragment or a detail of another object, rather than an object in front of it.
enum TileFragment {
    /// Minimum share of a fragment's area inside the object.
    private static let inside = 0.7
    /// A detection is not a detail if the object's score is at most this factor times the detection's score.
    private static let trustInDetails = 0.5

    /// Returns whether most of a box is inside an object's box.
    static func lies(_ box: Box, within object: Box) -> Bool { box.intersection(object).area > inside * box.area }

    /// Returns whether a detection is a mere detail of an object of the same class, for example a head detected as a
    /// person.
    static func isDetail(_ box: Box, score: Double, of object: Box, score other: Double) -> Bool {
        other > trustInDetails * score && lies(box, within: object)
    }
}
