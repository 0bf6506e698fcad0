/// A detection that passed ``DetectionPreFilter``. It is trivially copyable: it has a label index instead of a
/// ``Label``, which is reference-counted.
struct FilteredDetection: Sendable {
    var box: Box
    var score: Double
    /// The score after soft NMS, see ``SoftSuppression``.
    var ownScore: Double
    /// -1 without a label.
    var label: Int
    /// Its index in the detector's result.
    var source: Int
    /// Whether its score is below the threshold, so that it cannot begin a track.
    var isUncertain = false
}
