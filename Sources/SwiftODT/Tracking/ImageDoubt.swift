/// How much less the picture's word about one object's motion is to be believed than it claims.
///
/// What is followed in a box may be something else than the object: the street between somebody's legs, what can be seen through
/// a frame, whatever lies behind something dark. No pair of pictures tells. But each answer of the detector shows how far off the
/// box was carried, and where it is off to the same side again and again, the picture deceives. (Detections that jitter put it
/// off to either side.) Such an object is left to its filter.
struct ImageDoubt: Sendable {
    /// Centre x, centre y, width, height, in object sizes a second, squared; negative where errors go to either side.
    private var agreement = SIMD4<Double>.zero
    /// In object sizes.
    private var lastError = SIMD4<Double>.zero
    /// Seconds from one answer to the next.
    private var span = 0.0
    private var isToBeJudged = false

    /// What is added to the variance of velocities that were seen, as they were from one answer to the next.
    var variance: SIMD4<Double> { agreement.bounded(.zero, Self.highest) }

    /// The same for each of the steps between two answers: what deceives does so in all of them, and together they say no more
    /// than one.
    func variance(eachOf step: Double) -> SIMD4<Double> { variance * max(1, span / step) }

    /// Notes that the picture has moved the box.
    mutating func carry() { isToBeJudged = true }

    /// Compares where a box was carried with where it was found.
    ///
    /// - Returns: whether the picture had moved the box since it was found the last time.
    @inline(__always)
    mutating func judge(_ carried: SIMD4<Double>, against found: Box, after time: Nanoseconds) -> Bool {
        guard isToBeJudged, time > 0, found.area > 0 else { return false }
        isToBeJudged = false
        span = Double(time) / 1e9
        let error = (found.vector - carried) / found.area.squareRoot()
        let sample = (error * lastError / (span * span)).bounded(-Self.highest, Self.highest)
        agreement += (sample - agreement) * Self.pace
        lastError = error
        return true
    }

    private static let highest = SIMD4<Double>(repeating: 100)
    private static let pace = 0.4
}
