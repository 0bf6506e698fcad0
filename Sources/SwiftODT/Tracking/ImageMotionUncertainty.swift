/// Estimates the error of image motion for one object.
///
/// The points in a box may belong to something else, such as the background between a person's legs. A pair of
/// pictures cannot show this, but each detection shows the error of the propagated box. If the errors of consecutive
/// results have the same sign and exceed those of a constant-velocity prediction, the image motion is wrong, and the
/// filter gives it less weight. Detector jitter gives errors of alternating sign.
struct ImageMotionUncertainty: Sendable {
    /// Centre x, centre y, width, height: squared object sizes per second; negative if image motion is better than
    /// the prediction.
    private var evidence = SIMD4<Double>.zero
    /// The errors at the latest result in object sizes: of the propagated box and of a constant-velocity prediction.
    private var lastError = (carried: SIMD4<Double>.zero, expected: SIMD4<Double>.zero)
    /// Seconds between the latest two results.
    private var span = 0.0
    private var isToBeJudged = false

    /// The additional variance of the measured velocity between two results.
    var variance: SIMD4<Double> { evidence.bounded(.zero, Self.highest) }

    /// Returns the additional variance for each of several steps between two results. The errors of the steps are
    /// fully correlated, so that all steps together count as one measurement.
    func variance(eachOf step: Double) -> SIMD4<Double> { variance * max(1, span / step) }

    /// Returns the variance for the association, with a lower bound. When two people pass each other, image motion
    /// drags their boxes along, and the errors show only when the identities may already be swapped.
    func cautiousVariance(eachOf step: Double) -> SIMD4<Double> {
        evidence.bounded(SIMD4(repeating: Self.usual), Self.highest) * max(1, span / step)
    }

    /// Records that image motion moved the box.
    mutating func noteMove() { isToBeJudged = true }

    /// Compares the propagated box with the detection.
    ///
    /// - Parameter past: the earlier observations.
    /// - Returns: whether image motion had moved the box since the latest observation.
    @inline(__always)
    mutating func judge(_ carried: SIMD4<Double>, against found: Observation, after past: ObservationHistory) -> Bool {
        guard isToBeJudged, found.time > past[0].time, found.box.area > 0 else { return false }
        isToBeJudged = false
        span = Double(found.time - past[0].time) / 1e9
        let size = found.box.area.squareRoot()
        let error = (
            carried: (found.box.vector - carried) / size,
            expected: Self.expected(at: found.time, after: past).map { (found.box.vector - $0) / size } ?? .zero
        )
        let excess =
            error.carried * lastError.carried - (error.expected * lastError.expected).bounded(.zero, Self.highest)
        let sample = (excess / (span * span)).bounded(-Self.highest, Self.highest)
        evidence += (sample - evidence) * Self.pace
        lastError = error
        return true
    }

    /// Returns the constant-velocity prediction from the latest two observations; `nil` with fewer observations.
    private static func expected(at time: Nanoseconds, after past: ObservationHistory) -> SIMD4<Double>? {
        guard past.count > 1, past[0].time > past[1].time else { return nil }
        let steps = Double(time - past[0].time) / Double(past[0].time - past[1].time)
        return past[0].box.vector + (past[0].box.vector - past[1].box.vector) * steps
    }

    /// The lower bound of the cautious variance: (0.5 object sizes per second)².
    private static let usual = 0.25
    private static let highest = SIMD4<Double>(repeating: 100)
    private static let pace = 0.4
}
