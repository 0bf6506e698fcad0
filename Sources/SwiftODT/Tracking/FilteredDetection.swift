/// A detection that came through the sieve, without what only its track wants to know: labels are counted by reference,
/// and these are copied often.
struct FilteredDetection: Sendable {
    var box: Box
    var score: Double
    /// What of the score speaks for an object of its own, see ``SoftSuppression``.
    var ownScore: Double
    /// -1 where the detector does not say.
    var label: Int
    /// Its place in the detector's answer.
    var source: Int
    /// It would begin no track.
    var isUncertain = false
}
