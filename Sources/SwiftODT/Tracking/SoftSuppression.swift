/// The score reduction of overlapping detections: soft non-maximum suppression (soft NMS).
///
/// Detectors return second boxes on one object, up to the overlap limit of their own NMS, and boxes across two
/// objects. These recur in every frame, so that repetition does not confirm them. Two people can also overlap that
/// much, so that the boxes are kept with a reduced score: the higher the overlap with a stronger box, the lower.
enum SoftSuppression {
    /// The IoU up to which two boxes count as separate objects.
    static let free = 0.3

    /// Returns the factor on the score of the weaker box.
    @inline(__always)
    static func share(ofOverlap overlap: Double) -> Double { min(1, (1 - overlap) / (1 - free)) }
}
