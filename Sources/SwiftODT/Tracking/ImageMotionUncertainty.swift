/// Estimates the error of image motion for one object.
///
/// The points in a box may belong to something else, such as the background between a person's legs. A pair of pictures
/// cannot show this, but each detection shows the error of the propagated box. The image motion is wrong if the errors
/// of consecutive results have the same sign and exceed the errors of a constant-velocity prediction. The Kalman filter
/// then gives the image motion less weight. Detector jitter causes errors of alternating sign.
struct ImageMotionUncertainty: Sendable {
    /// The estimated variance of the velocity that image motion gives, for centre x, centre y, width and height, in
    /// squared object sizes per squared second. Unlike ``variance`` it can be negative: the image motion is then more
    /// accurate than the constant-velocity prediction. An object size is the square root of the box's area.
    private var evidence = SIMD4<Double>.zero
    /// The errors at the latest result, in object sizes: of the propagated box, and of a constant-velocity prediction.
    private var lastError = (carried: SIMD4<Double>.zero, expected: SIMD4<Double>.zero)
    /// The time between the latest two results of the object, in seconds.
    private var span = 0.0
    private var isToBeJudged = false

    /// The additional variance of the measured velocity between two results, in squared object sizes per squared
    /// second.
    var variance: SIMD4<Double> { evidence.bounded(.zero, TrackerTuning.greatestImageError) }

    /// Returns the additional velocity variance for one of several steps between two results. The errors of the steps
    /// are fully correlated. All steps together therefore count as one measurement.
    ///
    /// - Parameter step: the duration of the step in seconds.
    func variance(eachOf step: Double) -> SIMD4<Double> { variance * max(1, span / step) }

    /// Returns the velocity variance of a step for the association. It has a lower bound for people who pass each
    /// other: image motion can move the box of one person along with the other person. When this error becomes
    /// measurable, the identities may already be swapped.
    func cautiousVariance(eachOf step: Double) -> SIMD4<Double> {
        evidence.bounded(SIMD4(repeating: TrackerTuning.usualImageError), TrackerTuning.greatestImageError)
            * max(1, span / step)
    }

    /// Records that image motion moved the box.
    mutating func noteMove() { isToBeJudged = true }

    /// Compares the propagated box with a detection.
    ///
    /// - Parameters:
    ///   - carried: the propagated box.
    ///   - found: the detection.
    ///   - past: the earlier observations.
    /// - Returns: whether image motion has moved the box since the previous observation.
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
            error.carried * lastError.carried
            - (error.expected * lastError.expected).bounded(.zero, TrackerTuning.greatestImageError)
        let sample = (excess / (span * span)).bounded(
            -TrackerTuning.greatestImageError, TrackerTuning.greatestImageError)
        evidence += (sample - evidence) * TrackerTuning.imageErrorShare
        lastError = error
        return true
    }

    /// Returns the constant-velocity prediction from the latest two observations. `nil` if there is only one
    /// observation.
    private static func expected(at time: Nanoseconds, after past: ObservationHistory) -> SIMD4<Double>? {
        guard past.count > 1, past[0].time > past[1].time else { return nil }
        let steps = Double(time - past[0].time) / Double(past[0].time - past[1].time)
        return past[0].box.vector + (past[0].box.vector - past[1].box.vector) * steps
    }
}
