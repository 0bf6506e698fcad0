/// What a detection says of an object of its own where a surer one overlaps it: soft non-maximum suppression.
///
/// Detectors leave second boxes on one object, up to the overlap that their suppression allows, and boxes across two. These come
/// with whatever they are on, frame after frame, so that seeing them often proves nothing. But people walk close together, too: such
/// boxes are not dropped. The surer box explains them the more, the more they overlap, and what it leaves of their score is what
/// speaks for somebody else.
enum SoftSuppression {
    /// Up to this overlap (intersection over union) two boxes are two objects.
    static let free = 0.3

    /// How much of the score of the less sure one is left.
    @inline(__always)
    static func share(ofOverlap overlap: Double) -> Double { min(1, (1 - overlap) / (1 - free)) }
}
